// One element of each op that moves elements: an index of the result becomes an index of an operand, with masks where several operands meet.
//
//   reshape 2x12 -> 4x6 at (i, j):  x[(6 i + j) floordiv 12, (6 i + j) mod 12]
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using kernel::Mask;

using Index = SmallVector<AffineExpr>;

static Value zeroOf(ElementEmitter &e, Value tensor) {
  return e.scalar().constant(0, scalar::computeType(tensorType(tensor).getElementType()));
}

/// 0 <= expression < extent; a bound that is known to hold may be left out.
static void constrain(Mask &mask, AffineExpr expression, AffineExpr extent, bool low, bool high) {
  if (low) {
    mask.expressions.push_back(expression);
    mask.isEquality.push_back(false);
  }
  if (high) {
    mask.expressions.push_back(extent - 1 - expression);
    mask.isEquality.push_back(false);
  }
}

Value PermuteOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Index source(index.size());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    source[dim] = index[i];
  return e.element(getX(), source);
}

//===-- reshape ----------------------------------------------------------------===//

/// Row-major position of `index` in a space of the given dims.
static AffineExpr linearize(ElementEmitter &e, ArrayRef<DimAttr> dims, ArrayRef<AffineExpr> index) {
  AffineExpr linear = getAffineConstantExpr(0, e.getContext());
  for (auto [dim, i] : llvm::zip(dims, index))
    linear = linear * e.dim(dim) + i;
  return linear;
}

/// The index in a space of the given dims of row-major position `linear`; zeros where the space has no elements.
static Index delinearize(ElementEmitter &e, ArrayRef<DimAttr> dims, AffineExpr linear) {
  Index index(dims.size(), getAffineConstantExpr(0, e.getContext()));
  if (llvm::any_of(dims, [](DimAttr d) { return isConstant(d, 0); }))
    return index;
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = d == 0 ? linear : linear % e.dim(dims[d]);
    linear = d == 0 ? linear : linear.floorDiv(e.dim(dims[d]));
  }
  return index;
}

namespace {
/// Dims [fromBegin, fromEnd) of one shape hold the same elements as [toBegin, toEnd) of the other.
struct DimGroup {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};
} // namespace

static bool isLess(DimAttr a, DimAttr b) { return a.isConstant() && b.isConstant() && a.getValue() < b.getValue(); }

/// The smallest groups of dims with equal products, front to back; what can't be proved equal ends up in one last group.
static SmallVector<DimGroup> matchGroups(ArrayRef<DimAttr> from, ArrayRef<DimAttr> to) {
  SmallVector<DimGroup> groups;
  for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    DimGroup group{i, i + 1, j, j + 1};
    if (i == from.size() || j == to.size()) { // only unprovable leftovers: join the group before
      groups.back().fromEnd = from.size(), groups.back().toEnd = to.size();
      break;
    }
    DimAttr a = from[i], b = to[j];
    while (a != b && (group.fromEnd < from.size() || group.toEnd < to.size())) {
      bool growFrom = group.toEnd == to.size() || (group.fromEnd < from.size() && (isLess(a, b) || !isLess(b, a)));
      if (growFrom)
        a = a * from[group.fromEnd++];
      else
        b = b * to[group.toEnd++];
    }
    groups.push_back(group);
    i = group.fromEnd, j = group.toEnd;
  }
  return groups;
}

Value ReshapeOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SmallVector<DimAttr> fromDims = graph::getDims(getType()), toDims = graph::getDims(tensorType(getX())), from, to;
  SmallVector<size_t> toPosition;
  Index fromIndex, source(toDims.size(), getAffineConstantExpr(0, e.getContext()));
  for (auto [dim, i] : llvm::zip(fromDims, index))
    if (!isConstant(dim, 1))
      from.push_back(dim), fromIndex.push_back(i);
  for (auto [d, dim] : llvm::enumerate(toDims))
    if (!isConstant(dim, 1))
      to.push_back(dim), toPosition.push_back(d);
  bool empty = llvm::any_of(to, [](DimAttr d) { return isConstant(d, 0); });
  if (to.empty() || from.empty() || empty)
    return e.element(getX(), source);
  for (const DimGroup &group : matchGroups(from, to)) {
    size_t fromCount = group.fromEnd - group.fromBegin, toCount = group.toEnd - group.toBegin;
    AffineExpr linear = linearize(e, ArrayRef(from).slice(group.fromBegin, fromCount), ArrayRef(fromIndex).slice(group.fromBegin, fromCount));
    for (auto [d, i] : llvm::enumerate(delinearize(e, ArrayRef(to).slice(group.toBegin, toCount), linear)))
      source[toPosition[group.toBegin + d]] = i;
  }
  return e.element(getX(), source);
}

Value AsStridedOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  AffineExpr linear = e.dim(getOffset());
  for (auto [stride, i] : llvm::zip(getDimArray(getStrides()), index))
    linear = linear + i * e.dim(stride);
  return e.element(getX(), delinearize(e, graph::getDims(tensorType(getX())), linear));
}

//===-- one source element ---------------------------------------------------------===//

Value ExpandOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return e.element(getX(), broadcastIndex(tensorType(getX()), index));
}

Value SliceOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Index source;
  for (auto [start, step, i] : llvm::zip(getDimArray(getStarts()), getSteps(), index))
    source.push_back(e.dim(start) + i * step);
  return e.element(getX(), source);
}

Value FlipOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Index source(index);
  for (int64_t d : getDims())
    source[d] = e.dim(graph::getDim(tensorType(getX()), d)) - 1 - index[d];
  return e.element(getX(), source);
}

Value RollOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Index source(index);
  for (auto [d, shift] : llvm::zip(getDims(), getShifts())) {
    DimAttr extent = graph::getDim(tensorType(getX()), d);
    if (!isConstant(extent, 0))
      source[d] = (source[d] - shift) % e.dim(extent);
  }
  return e.element(getX(), source);
}

Value DiagonalOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  int64_t dim1 = getDim1(), dim2 = getDim2(), offset = getOffset();
  Index source(tensorType(getX()).getRank());
  size_t next = 0;
  for (int64_t d = 0; d < int64_t(source.size()); ++d)
    source[d] = d == dim1   ? index.back() + std::max<int64_t>(-offset, 0)
                : d == dim2 ? index.back() + std::max<int64_t>(offset, 0)
                            : index[next++];
  return e.element(getX(), source);
}

/// x where `kept` >= 0, else 0.
static Value emitTriangle(ElementEmitter &e, Value x, ArrayRef<AffineExpr> index, AffineExpr kept) {
  return e.maskedElement(x, index, Mask{{kept}, {false}}, zeroOf(e, x));
}
Value TrilOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitTriangle(e, getX(), index, index[index.size() - 2] - index.back() + int64_t(getDiagonal()));
}
Value TriuOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitTriangle(e, getX(), index, index.back() - index[index.size() - 2] - int64_t(getDiagonal()));
}

//===-- pads, concat, slice writes ---------------------------------------------------===//

Value PadOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  RankedTensorType type = tensorType(getX());
  SmallVector<DimAttr> low = getDimArray(getLow()), high = getDimArray(getHigh());
  auto mayBePositive = [](DimAttr pad) { return !pad.isConstant() || pad.getValue() > 0; };
  Index source;
  Mask mask;
  for (auto [d, i] : llvm::enumerate(index)) {
    source.push_back(i - e.dim(low[d]));
    constrain(mask, source[d], e.dim(graph::getDim(type, d)), mayBePositive(low[d]), mayBePositive(high[d]));
  }
  if (mask.empty())
    return e.element(getX(), source);
  return e.maskedElement(getX(), source, mask, e.element(getValue(), {}));
}

/// Pads made of pieces of x: below, inside and above the operand, each with an affine index. `outside(d, p, above)` gives the index on dim d at
/// position p (counted from x's first element) outside.
static Value emitPieces(ElementEmitter &e, Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, ArrayRef<AffineExpr> index,
                        llvm::function_ref<AffineExpr(int64_t, AffineExpr, bool)> outside) {
  struct Piece {
    Index index;
    Mask mask;
  };
  SmallVector<Piece> pieces(1);
  for (auto [d, i] : llvm::enumerate(index)) {
    AffineExpr p = i - low[d], extent = e.dim(graph::getDim(tensorType(x), d));
    SmallVector<Piece> next;
    for (const Piece &piece : pieces) {
      auto add = [&](AffineExpr at, AffineExpr constrained, bool lowBound, bool highBound) {
        next.push_back(piece);
        next.back().index.push_back(at);
        constrain(next.back().mask, constrained, extent, lowBound, highBound);
      };
      add(p, p, low[d] > 0, high[d] > 0);
      if (low[d] > 0) // -1 - p >= 0
        add(outside(d, p, false), extent + p, false, true);
      if (high[d] > 0) // p - extent >= 0
        add(outside(d, p, true), p - extent, true, false);
    }
    pieces = std::move(next);
  }
  Value value = zeroOf(e, x);
  for (const Piece &piece : pieces)
    value = piece.mask.empty() ? e.element(x, piece.index) : e.maskedElement(x, piece.index, piece.mask, value);
  return value;
}

Value PadReflectOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitPieces(e, getX(), getLow(), getHigh(), index, [&](int64_t d, AffineExpr p, bool above) {
    return above ? (e.dim(graph::getDim(tensorType(getX()), d)) - 1) * 2 - p : -p;
  });
}

Value PadReplicateOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitPieces(e, getX(), getLow(), getHigh(), index, [&](int64_t d, AffineExpr, bool above) {
    return above ? e.dim(graph::getDim(tensorType(getX()), d)) - 1 : getAffineConstantExpr(0, e.getContext());
  });
}

Value PadCircularOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Index source;
  for (auto [d, i] : llvm::enumerate(index)) {
    bool padded = getLow()[d] > 0 || getHigh()[d] > 0;
    source.push_back(padded ? (i - getLow()[d]) % e.dim(graph::getDim(tensorType(getX()), d)) : i);
  }
  return e.element(getX(), source);
}

Value ConcatOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  int64_t dim = getDim();
  DimAttr offset = DimAttr::constant(getContext(), 0);
  Value value = zeroOf(e, getParts()[0]);
  for (auto [number, part] : llvm::enumerate(getParts())) {
    DimAttr extent = graph::getDim(tensorType(part), dim);
    Index source(index);
    source[dim] = index[dim] - e.dim(offset);
    Mask mask;
    constrain(mask, source[dim], e.dim(extent), number > 0, number + 1 < getParts().size());
    if (!isConstant(extent, 0))
      value = mask.empty() ? e.element(part, source) : e.maskedElement(part, source, mask, value);
    offset = offset + extent;
  }
  return value;
}

Value SliceScatterOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  RankedTensorType base = tensorType(getBase()), value = tensorType(getValue());
  SmallVector<DimAttr> starts = getDimArray(getStarts());
  Index source;
  Mask mask;
  for (auto [d, i] : llvm::enumerate(index)) {
    int64_t step = getSteps()[d];
    AffineExpr offset = i - e.dim(starts[d]);
    source.push_back(offset.floorDiv(step));
    bool whole = isConstant(starts[d], 0) && step == 1 && graph::getDim(value, d) == graph::getDim(base, d);
    constrain(mask, offset, e.dim(graph::getDim(value, d)) * step, !whole && !isConstant(starts[d], 0), !whole);
    if (step > 1) {
      mask.expressions.push_back(offset % step);
      mask.isEquality.push_back(true);
    }
  }
  return mask.empty() ? e.element(getValue(), source) : e.maskedElement(getValue(), source, mask, e.element(getBase(), index));
}

//===-- ranges -------------------------------------------------------------------------===//

Value IotaOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  scalar::ScalarBuilder &b = e.scalar();
  Type compute = scalar::computeType(getDtype());
  auto start = dyn_cast<DimAttr>(getStart()), step = dyn_cast<DimAttr>(getStep());
  auto rounded = [&](Value exact) { return b.cast(b.cast(exact, getDtype()), compute); };
  if (start && step)
    return rounded(e.indexValue(e.dim(start) + index[0] * e.dim(step)));
  Type f64 = b.getBuilder().getF64Type();
  auto number = [&](DimAttr dim, Attribute attribute) {
    return dim ? b.cast(e.indexValue(e.dim(dim)), f64) : b.constant(cast<FloatAttr>(attribute).getValueAsDouble(), f64);
  };
  Value i = b.cast(e.indexValue(index[0]), f64);
  return rounded(b.add(number(start, getStart()), b.mul(number(step, getStep()), i)));
}
