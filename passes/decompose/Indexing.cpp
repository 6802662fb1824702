// See Indexing.h.
//
//   scatter(base, indices, source, dim):   hits[…, n, …, k] = indices[…, k] == iota(n)      which write goes to which element
//                                          result = base combined with the fold of source over k where it hits; for plain writes, the last k that hits is gathered
//   sort(x):                               rank_j = number of elements that come before x_j;  order[p] = the j whose rank is p;  values = gather(x, order)
#include "passes/decompose/Indexing.h"
#include "passes/decompose/DecomposeBuilder.h"
#include "passes/decompose/Routines.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// Writes become routines of the runtime where `routines` says so.
class IndexingBuilder : public DecomposeBuilder {
public:
  explicit IndexingBuilder(Operation *op, bool routines = false) : DecomposeBuilder(op), routines(routines) {}
  Value asInt64(Value x) { return make<CastOp>(x, b.getI64Type()); }

  bool routines;
};

SmallVector<DimAttr> dimsOf(Value x) { return getDims(tensorType(x)); }

/// Dim `d` moved to the end, in its place a dim of size 1: [.., k, ..] to [.., 1, .., k].
Value toInner(IndexingBuilder &b, Value x, int64_t d) {
  int64_t rank = tensorType(x).getRank();
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    if (i != d)
      order.push_back(i);
  order.push_back(d);
  SmallVector<DimAttr> shape = dimsOf(x);
  shape.push_back(shape[d]);
  shape[d] = b.dim(1);
  return b.reshape(b.permute(x, order), shape);
}

/// The value below (or above) which no element of the type is.
double extremeOf(Type element, bool lowest) {
  if (isa<FloatType>(element))
    return lowest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  if (lowest)
    return isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  return std::ldexp(1.0, isUnsigned ? width : width - 1) - 1;
}

//===-- scatter --------------------------------------------------------------------------===//

struct Scatter {
  Value base, indices, source; // indices and source of one shape, no larger than base but along dim
  int64_t dim;
  ScatterReduce reduce;
  bool excludeSelf;
};

/// The writes that hit each element of `block`, folded, together with what was there.
Value combine(IndexingBuilder &b, const Scatter &s, Value hits, Value block) {
  Type element = tensorType(block).getElementType();
  SmallVector<int64_t> inner = {tensorType(block).getRank()};
  Value source = toInner(b, s.source, s.dim);
  auto hitting = [&](double neutral) { return b.make<WhereOp>(hits, source, b.number(neutral, element)); };
  auto any = [&] { return b.make<AnyOp>(hits, inner, false); };
  auto unlessExcluded = [&](Value written, Value together) { return s.excludeSelf ? b.make<WhereOp>(any(), written, block) : together; };
  switch (s.reduce) {
  case ScatterReduce::sum: {
    Value written = b.make<SumOp>(hitting(0), inner, false);
    return unlessExcluded(written, b.make<AddOp>(block, written));
  }
  case ScatterReduce::prod: {
    Value written = b.make<ProdOp>(hitting(1), inner, false);
    return unlessExcluded(written, b.make<MulOp>(block, written));
  }
  case ScatterReduce::amax: {
    Value written = b.make<AmaxOp>(hitting(extremeOf(element, true)), inner, false);
    return unlessExcluded(written, b.make<MaximumOp>(block, written));
  }
  case ScatterReduce::amin: {
    Value written = b.make<AminOp>(hitting(extremeOf(element, false)), inner, false);
    return unlessExcluded(written, b.make<MinimumOp>(block, written));
  }
  case ScatterReduce::mean: {
    Value count = b.make<CastOp>(b.make<SumOp>(b.asInt64(hits), inner, false), element), sum = b.make<SumOp>(hitting(0), inner, false);
    if (!s.excludeSelf) {
      count = b.make<AddOp>(count, b.number(1, element));
      sum = b.make<AddOp>(sum, block);
    }
    count = b.make<MaximumOp>(count, b.number(1, element));
    Value mean = isa<FloatType>(element) ? b.make<DivOp>(sum, count) : b.make<DivFloorOp>(sum, count);
    return unlessExcluded(mean, mean);
  }
  case ScatterReduce::none: break;
  }
  // The last write wins.
  DimAttr writes = dimsOf(s.indices)[s.dim];
  Value number = b.make<WhereOp>(hits, b.positions(writes, inner[0], inner[0] + 1), b.number(-1, b.b.getI64Type()));
  Value last = b.make<AmaxOp>(number, inner, false), zero = b.number(0, b.b.getI64Type());
  Value written = b.make<GatherOp>(s.source, b.make<MaximumOp>(last, zero), s.dim);
  return b.make<WhereOp>(b.make<GeOp>(last, zero), written, block);
}

/// The write as a routine.
Value buildRoutine(IndexingBuilder &b, const Scatter &s) {
  auto op = ScatterOp::create(b.b, b.loc, s.base, s.indices, s.source, s.dim, s.reduce, s.excludeSelf);
  Value result = useRoutine(op)[0];
  op->erase();
  return result;
}

Value buildScatter(IndexingBuilder &b, Scatter s) {
  if (b.routines)
    return buildRoutine(b, s);
  SmallVector<DimAttr> base = dimsOf(s.base), shape = dimsOf(s.indices);
  if (llvm::any_of(shape, [](DimAttr d) { return isConstant(d, 0); }))
    return s.base;
  s.source = b.firstElements(s.source, shape);
  SmallVector<DimAttr> blockShape(shape);
  blockShape[s.dim] = base[s.dim];
  Value block = b.firstElements(s.base, blockShape);
  // Reading the positions by the indices checks these.
  Value flat = b.reshape(s.indices, {getNumElements(tensorType(s.indices))});
  Value checked = b.reshape(b.make<IndexSelectOp>(b.positions(base[s.dim], 0, 1), flat, 0), shape);
  Value hits = b.make<EqOp>(toInner(b, checked, s.dim), b.positions(base[s.dim], s.dim, shape.size() + 1));
  Value result = combine(b, s, hits, block);
  if (blockShape == base)
    return result;
  SmallVector<DimAttr> starts(base.size(), b.dim(0));
  return b.make<SliceScatterOp>(s.base, result, makeDimArray(b.context, starts), SmallVector<int64_t>(base.size(), 1));
}

/// A write of whole slices: the 1-d (or 0-d) indices stand for all elements of a slice.
Value buildSliceWrite(IndexingBuilder &b, Value base, Value indices, Value source, int64_t dim, ScatterReduce reduce) {
  SmallVector<DimAttr> shape = dimsOf(source), along(shape.size(), b.dim(1));
  if (shape.empty()) // a 0-d tensor has one slice, itself
    return reduce == ScatterReduce::none ? source : b.make<AddOp>(base, source);
  along[dim] = shape[dim];
  if (b.routines)
    return b.scatter(base, b.reshape(indices, along), source, dim, reduce, false);
  return buildScatter(b, {base, b.expand(b.reshape(indices, along), shape), source, dim, reduce, false});
}

Value buildIndexPut(IndexingBuilder &b, IndexPutOp op) {
  SmallVector<DimAttr> base = dimsOf(op.getBase()), indexShape, rest;
  ArrayRef<int64_t> dims = op.getDims();
  // The position within the indexed dims, row-major; graph.index checks and wraps negative indices.
  Value linear;
  DimAttr extent = b.dim(1);
  for (auto [d, indices] : llvm::zip(dims, op.getIndices())) {
    Value checked = IndexOp::create(b.b, b.loc, b.positions(base[d], 0, 1), ValueRange{indices}, ArrayRef<int64_t>{0});
    Value size = b.reshape(b.make<IotaOp>(base[d], b.dim(0), b.dim(1), b.b.getI64Type()), {});
    linear = linear ? b.make<AddOp>(b.make<MulOp>(linear, size), checked) : checked;
    extent = extent * base[d];
  }
  indexShape = dimsOf(linear);
  SmallVector<int64_t> order(dims), inverse(base.size());
  SmallVector<DimAttr> moved;
  for (size_t d = 0; d < base.size(); ++d)
    if (!llvm::is_contained(dims, int64_t(d))) {
      order.push_back(d);
      rest.push_back(base[d]);
    }
  for (auto [to, from] : llvm::enumerate(order)) {
    inverse[from] = to;
    moved.push_back(base[from]);
  }
  // The value, broadcast, with the index dims in front.
  bool consecutive = dims.back() - dims.front() + 1 == int64_t(dims.size());
  int64_t first = consecutive ? dims.front() : 0, indexRank = indexShape.size();
  SmallVector<DimAttr> full(rest);
  full.insert(full.begin() + first, indexShape.begin(), indexShape.end());
  SmallVector<int64_t> front = llvm::to_vector(llvm::seq<int64_t>(first, first + indexRank));
  for (int64_t d = 0; d < int64_t(full.size()); ++d)
    if (d < first || d >= first + indexRank)
      front.push_back(d);
  DimAttr count = getNumElements(tensorType(linear));
  SmallVector<DimAttr> flatBase = {extent}, flatValue = {count};
  flatBase.append(rest);
  flatValue.append(rest);
  Value value = b.reshape(b.permute(b.expand(op.getValue(), full), front), flatValue);
  Value flat = b.reshape(b.permute(op.getBase(), order), flatBase);
  ScatterReduce reduce = op.getAccumulate() ? ScatterReduce::sum : ScatterReduce::none;
  Value written = buildSliceWrite(b, flat, b.reshape(linear, {count}), value, 0, reduce);
  return b.permute(b.reshape(written, moved), inverse);
}

//===-- orders ----------------------------------------------------------------------------===//

/// bool: x < y in sort's order, where NaN is largest.
Value comesBefore(IndexingBuilder &b, Value x, Value y) {
  Value less = b.make<LtOp>(x, y);
  if (!isa<FloatType>(tensorType(x).getElementType()))
    return less;
  Value onlyYIsNan = b.make<LogicalAndOp>(b.make<LogicalNotOp>(b.make<IsNanOp>(x)), b.make<IsNanOp>(y));
  return b.make<LogicalOrOp>(less, onlyYIsNan);
}

/// The first `count` elements of x along dim in order, and their positions; equal ones keep theirs.
SmallVector<Value> buildSort(IndexingBuilder &b, Value x, int64_t dim, DimAttr count, bool descending) {
  int64_t rank = tensorType(x).getRank(), last = rank - 1;
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      order.push_back(d);
  order.push_back(dim);
  SmallVector<int64_t> inverse(rank);
  for (auto [to, from] : llvm::enumerate(order))
    inverse[from] = to;
  Value rows = b.permute(x, order), keys = rows;
  if (tensorType(x).getElementType().isInteger(1))
    keys = b.make<CastOp>(rows, b.b.getI32Type());
  SmallVector<DimAttr> shape = dimsOf(rows), outer(shape), inner(shape);
  DimAttr n = shape[last];
  outer.push_back(b.dim(1));       // [.., n, 1]: element j
  inner.insert(inner.begin() + last, b.dim(1)); // [.., 1, n]: element i
  Value ofJ = b.reshape(keys, outer), ofI = b.reshape(keys, inner);
  Value smaller = comesBefore(b, ofI, ofJ), larger = comesBefore(b, ofJ, ofI);
  Value first = descending ? larger : smaller, behind = descending ? smaller : larger;
  Value earlier = b.make<LtOp>(b.positions(n, rank, rank + 1), b.positions(n, last, rank + 1));
  Value tie = b.make<LogicalAndOp>(b.make<LogicalNotOp>(behind), earlier);
  SmallVector<int64_t> innermost = {rank};
  Value ranks = b.make<SumOp>(b.asInt64(b.make<LogicalOrOp>(first, tie)), innermost, false); // [.., n]
  // order[p] = the j whose rank is p
  Value here = b.make<EqOp>(b.reshape(ranks, inner), b.positions(count, last, rank + 1)); // [.., count, n]
  Value positions = b.make<WhereOp>(here, b.positions(n, rank, rank + 1), b.number(0, b.b.getI64Type()));
  Value indices = b.make<SumOp>(positions, innermost, false);
  return {b.permute(b.make<GatherOp>(rows, indices, last), inverse), b.permute(indices, inverse)};
}

SmallVector<Value> buildSort(Operation *op, Value x, int64_t dim, std::optional<int64_t> count, bool descending) {
  IndexingBuilder b(op);
  DimAttr n = graph::getDim(tensorType(x), dim);
  return buildSort(b, x, dim, count ? b.dim(*count) : n, descending);
}

} // namespace

SmallVector<Value> graphc::decomposeIndexing(Operation *op, bool routines) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<ScatterOp>([](ScatterOp o) {
        IndexingBuilder b(o);
        return SmallVector<Value>{buildScatter(b, {o.getBase(), o.getIndices(), o.getSource(), int64_t(o.getDim()), o.getReduce(), o.getExcludeSelf()})};
      })
      .Case<IndexAddOp>([&](IndexAddOp o) {
        IndexingBuilder b(o, routines);
        return SmallVector<Value>{buildSliceWrite(b, o.getBase(), o.getIndices(), o.getSource(), o.getDim(), ScatterReduce::sum)};
      })
      .Case<IndexCopyOp>([&](IndexCopyOp o) {
        IndexingBuilder b(o, routines);
        return SmallVector<Value>{buildSliceWrite(b, o.getBase(), o.getIndices(), o.getSource(), o.getDim(), ScatterReduce::none)};
      })
      .Case<IndexPutOp>([&](IndexPutOp o) {
        IndexingBuilder b(o, routines);
        return SmallVector<Value>{buildIndexPut(b, o)};
      })
      .Case<SortOp>([](SortOp o) { return buildSort(o, o.getX(), o.getDim(), std::nullopt, o.getDescending()); })
      .Case<TopkOp>([](TopkOp o) { return buildSort(o, o.getX(), o.getDim(), int64_t(o.getK()), !o.getSmallest()); })
      .Default(SmallVector<Value>());
}
