// Indexing by tensors, scattering, sorting.
//
// `x[:, i, j]` is aten::index with None for the slice: graph.index at dims [1, 2]. A mask that only fills is a where; what
// needs a mask's count has a shape that depends on data and is refused.
#include "frontend/builder/Orders.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// Index tensors are i32 or i64.
static Value indexValue(Call &call, Value index) {
  if (!index)
    return index;
  ScalarType type = call.e.dtype(index);
  if (type == ScalarType::I32 || type == ScalarType::I64)
    return index;
  if (isFloat(type)) {
    call.fail("an index tensor of floats (eager refuses it too)");
    return {};
  }
  return call.e.cast(index, ScalarType::I64);
}

/// A 0-d tensor as [1], as eager treats it where a dim is indexed.
static Value withDim(Call &call, Value x) { return x && call.e.rank(x) == 0 ? call.e.reshape(x, {call.e.dim(int64_t(1))}) : x; }

static void convertEmbedding(Call &call) {
  Value weight = call.value("weight"), indices = indexValue(call, call.value("indices"));
  call.give(call.e.create<graph::EmbeddingOp>(weight, indices));
}

namespace {
struct Indices {
  std::vector<Value> tensors;
  SmallVector<int64_t> dims;
  Value mask;         // the only index, where it is a mask
  int64_t maskDim = 0; // the first dim that the mask covers
};
} // namespace

/// The positions where a constant mask holds, one index tensor a dim; false where the mask isn't constant.
static bool constantMask(Call &call, Value mask, int64_t firstDim, Indices &out) {
  auto elements = call.e.constantElements(mask);
  if (!elements)
    return false;
  ArrayRef<int64_t> shape = call.e.type(mask).getShape();
  std::vector<std::vector<Val>> positions(shape.size());
  std::vector<int64_t> index(shape.size(), 0);
  for (const Val &element : *elements) {
    for (size_t d = 0; d < shape.size() && toDouble(element) != 0; ++d)
      positions[d].push_back(index[d]);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    out.tensors.push_back(call.e.constant({int64_t(positions[d].size())}, ScalarType::I64, positions[d]));
    out.dims.push_back(firstDim + int64_t(d));
  }
  return true;
}

static Indices readIndices(Call &call, Value x) {
  Indices out;
  const Val *found = call.find("indices");
  const List *list = found ? found->get<List>() : nullptr;
  if (!list) {
    call.fail("indices must be a list");
    return out;
  }
  int64_t dim = 0;
  for (const Val &element : (*list)->elements) {
    const Tensor *tensor = element.get<Tensor>();
    if (!tensor) {
      ++dim;
      continue;
    }
    Value index = call.run.read(*tensor);
    ScalarType type = call.e.dtype(index);
    bool isMask = type == ScalarType::Bool || type == ScalarType::U8;
    int64_t covers = isMask ? call.e.rank(index) : 1;
    if (!isMask) {
      out.tensors.push_back(indexValue(call, index));
      out.dims.push_back(dim);
    } else if (!constantMask(call, index, dim, out)) {
      if (out.mask || !out.tensors.empty())
        call.fail("a mask beside other index tensors");
      out.mask = call.e.cast(index, ScalarType::Bool);
      out.maskDim = dim;
    }
    dim += covers;
  }
  if (dim > call.e.rank(x))
    call.fail("too many indices for a tensor of rank " + Twine(call.e.rank(x)));
  if (out.mask && !out.tensors.empty())
    call.fail("a mask beside other index tensors");
  if (out.mask && !call.failed())
    unifyShapes(call, call.e.dims(out.mask), ArrayRef<DimAttr>(call.e.dims(x)).slice(out.maskDim, call.e.rank(out.mask)));
  return out;
}

static void convertIndex(Call &call) {
  Value x = call.value("self");
  Indices indices = readIndices(call, x);
  if (call.failed() || call.run.stopped())
    return;
  if (indices.mask)
    return call.give(Val(std::make_shared<MaskedValue>(MaskedValue{call.run.fresh(x), indices.mask, indices.maskDim, call.node.location})));
  if (indices.tensors.empty())
    return call.give(x);
  unifyBroadcast(call, indices.tensors);
  if (!call.run.stopped())
    call.give(call.e.create<graph::IndexOp>(x, indices.tensors, indices.dims));
}

/// The values that x[mask] = values writes, at their places: the n-th where the mask holds for the n-th time. The mask covers dims from maskDim on.
static Value valuesByMask(Call &call, const Expr &x, const Indices &indices, const Expr &values) {
  Expr mask(call, indices.mask), holds = mask.reshape({graph::getNumElements(call.e.type(mask))});
  if (indices.maskDim != 0) {
    call.fail("writing several values by a mask of other dims than the first");
    return {};
  }
  SmallVector<DimAttr> all = x.dims(), rest(ArrayRef<DimAttr>(all).drop_front(mask.rank())), rows = rest, shape = mask.dims();
  DimAttr count = values.rank() > int64_t(rest.size()) ? values.dim(0) : call.e.dim(int64_t(1));
  unifyExpand(call, values.dims(), rest);
  if (call.failed() || call.run.stopped())
    return {};
  if (graph::isConstant(count, 1))
    return call.e.expand(values, x.dims());
  rows.insert(rows.begin(), count);
  Expr number(call, call.e.create<graph::CumsumOp>(Value(holds.cast(ScalarType::I64)), int64_t(0)));
  Value taken = call.e.create<graph::IndexSelectOp>(Value(values.expand(rows)), Value(where(holds, number - 1.0, 0.0)), int64_t(0));
  shape.append(rest);
  return call.e.reshape(taken, shape);
}

/// x[mask] = values: a where over the mask, spread over the dims that it doesn't cover.
static Value maskedPut(Call &call, Value x, const Indices &indices, Value value, bool accumulate) {
  SmallVector<DimAttr> shape(call.e.rank(x), call.e.dim(int64_t(1)));
  for (int64_t d = 0; d < call.e.rank(indices.mask); ++d)
    shape[indices.maskDim + d] = call.e.dim(indices.mask, d);
  bool isOne = call.e.type(value).hasStaticShape() && call.e.type(value).getNumElements() == 1;
  Value mask = call.e.reshape(indices.mask, shape);
  Value written = isOne ? call.e.reshape(value, {}) : valuesByMask(call, Expr(call, x), indices, Expr(call, value));
  if (call.failed() || call.run.stopped())
    return x;
  if (accumulate)
    written = call.e.create<graph::AddOp>(x, written);
  return call.e.create<graph::WhereOp>(mask, written, x);
}

/// a[mask] = f(a[mask]): f's elements where the mask holds.
static void putMasked(Call &call, const MaskedValue &selected) {
  Value x = call.value("self"), all = call.run.read(selected.all);
  Indices indices = readIndices(call, x);
  if (call.failed() || call.run.stopped() || !x || !all)
    return;
  MaskedValue target{selected.all, indices.mask, indices.maskDim, call.node.location};
  if (!indices.mask || !isSameMask(selected, target) || call.e.dims(all) != call.e.dims(x))
    return call.fail("writes a tensor selected by one mask where another one selects");
  if (call.e.dtype(all) != call.e.dtype(x))
    return call.fail("index_put of another dtype (eager refuses it too)");
  if (call.boolean("accumulate", false))
    all = call.e.create<graph::AddOp>(x, all);
  SmallVector<DimAttr> shape = call.e.dims(indices.mask);
  shape.resize(call.e.rank(x) - indices.maskDim, call.e.dim(int64_t(1)));
  Value mask = call.e.expand(call.e.reshape(indices.mask, shape), call.e.dims(x));
  call.give(call.e.create<graph::WhereOp>(mask, all, x));
}

static void convertIndexPut(Call &call) {
  if (const Val *values = call.find("values"); values && values->is<Masked>())
    return putMasked(call, *values->as<Masked>());
  Value x = call.value("self"), value = call.value("values");
  Indices indices = readIndices(call, x);
  bool accumulate = call.boolean("accumulate", false);
  if (call.failed() || call.run.stopped() || !x || !value)
    return;
  if (call.e.dtype(value) != call.e.dtype(x) && call.e.rank(value) != 0)
    return call.fail("index_put of another dtype (eager refuses it too)");
  value = call.e.cast(value, call.e.dtype(x));
  if (indices.mask)
    return call.give(maskedPut(call, x, indices, value, accumulate));
  if (indices.tensors.empty())
    return call.give(call.e.expand(value, call.e.dims(x)));
  unifyBroadcast(call, indices.tensors);
  if (Value selected = call.run.stopped() ? Value() : call.e.create<graph::IndexOp>(x, indices.tensors, indices.dims)) // only its shape counts
    unifyExpand(call, call.e.dims(value), call.e.dims(selected));
  if (!call.failed() && !call.run.stopped())
    givePointwise(call, call.e.create<graph::IndexPutOp>(x, value, indices.tensors, indices.dims, accumulate));
}

static void convertIndexSelect(Call &call) {
  Value given = call.value("self"), x = withDim(call, given), index = indexValue(call, call.value("index"));
  int64_t d = call.dimIndex("dim", call.e.rank(x));
  if (call.failed())
    return;
  Value result = call.e.create<graph::IndexSelectOp>(x, index, d);
  call.give(call.e.rank(given) == 0 ? call.e.reshape(result, {}) : result);
}

static void convertGather(Call &call) {
  Value x = withDim(call, call.value("self")), given = indexValue(call, call.value("index")), index = withDim(call, given);
  int64_t d = call.dimIndex("dim", call.e.rank(x));
  if (call.failed())
    return;
  if (hasZero(call.e.dims(index))) // of any rank
    return call.give(call.e.expand(call.e.constant(call.e.dtype(x), 0.0), call.e.dims(index)));
  Value result = call.e.create<graph::GatherOp>(x, index, d);
  call.give(call.e.rank(given) == 0 ? call.e.reshape(result, {}) : result);
}

/// Indices below 0 counted from the end, for the operators whose kernels do that beside aten::index.
static Expr fromEnd(Call &call, const Expr &index, DimAttr size) {
  Expr count(call, call.e.dimTensor(size, index.dtype()));
  return where(index < 0.0, index + count, index);
}

/// gather whose operands broadcast against each other in the other dims; without a dim of the flattened tensors.
static void convertTakeAlongDim(Call &call) {
  Expr x(call, call.value("self")), index(call, indexValue(call, call.value("indices")));
  if (call.failed())
    return;
  if (!call.given("dim")) {
    auto flat = [&](const Expr &v) { return v.reshape({graph::getNumElements(call.e.type(v))}); };
    return call.give(gather(flat(x), fromEnd(call, flat(index), graph::getNumElements(call.e.type(x))), 0));
  }
  int64_t d = call.dimIndex("dim", x.rank());
  if (call.failed() || x.rank() != index.rank())
    return call.fail("take_along_dim of tensors of different ranks");
  SmallVector<DimAttr> from = x.dims(), to = index.dims();
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == d)
      continue;
    DimAttr size = graph::isConstant(from[i], 1) ? to[i] : from[i];
    if (!graph::isConstant(to[i], 1) && to[i] != size)
      unifyDims(call, size, to[i]);
    from[i] = to[i] = size;
  }
  if (!call.run.stopped() && !call.failed())
    call.give(gather(x.expand(from), fromEnd(call, index.expand(to), x.dim(d)), d));
}

static Value spread(Call &call, Value value, Value like) { return call.e.expand(value, call.e.dims(like)); }

static std::optional<graph::ScatterReduce> reduction(StringRef name) {
  return llvm::StringSwitch<std::optional<graph::ScatterReduce>>(name)
      .Cases({"sum", "add"}, graph::ScatterReduce::sum)
      .Cases({"prod", "multiply"}, graph::ScatterReduce::prod)
      .Case("amax", graph::ScatterReduce::amax)
      .Case("amin", graph::ScatterReduce::amin)
      .Case("mean", graph::ScatterReduce::mean)
      .Case("", graph::ScatterReduce::none)
      .Default(std::nullopt);
}

/// scatter with a tensor or a number, scatter_add, scatter_reduce. The source may be larger than the index.
static void scatter(Call &call, std::optional<graph::ScatterReduce> reduce, bool excludeSelf) {
  Value given = call.value("self"), base = withDim(call, given), index = withDim(call, indexValue(call, call.value("index")));
  int64_t d = call.dimIndex("dim", call.e.rank(base));
  if (!reduce || call.failed())
    return call.fail("an unknown reduction");
  Value source;
  if (call.find("src")) {
    source = withDim(call, call.value("src"));
    for (int64_t i = 0; i < call.e.rank(index) && source; ++i)
      source = call.e.slice(source, i, call.e.dim(int64_t(0)), call.e.dim(index, i));
    if (source && call.e.dtype(source) != call.e.dtype(base))
      return call.fail("scatter of another dtype (eager refuses it too)");
  } else {
    source = spread(call, promoted(call, promotedOperand(call, "value"), call.e.dtype(base)), index);
  }
  Value result = call.e.create<graph::ScatterOp>(base, index, source, d, *reduce, excludeSelf);
  call.give(call.e.reshape(result, call.e.dims(given)));
}
static void convertScatter(Call &call) { scatter(call, reduction(call.text("reduce", "")), false); }
static void convertScatterAdd(Call &call) { scatter(call, graph::ScatterReduce::sum, false); }
static void convertScatterReduce(Call &call) { scatter(call, reduction(call.text("reduce")), !call.boolean("include_self", true)); }

namespace {
/// Operands of index_add and its like; a 0-d tensor counts as [1].
struct SliceWrite {
  Value given, base, index, source;
  int64_t dim = 0;
};
} // namespace

static SliceWrite sliceWriteOf(Call &call, StringRef sourceName) {
  SliceWrite w;
  w.given = call.value("self");
  w.base = withDim(call, w.given);
  w.index = indexValue(call, call.value("index"));
  w.dim = call.dimIndex("dim", call.e.rank(w.base));
  if (sourceName.empty())
    return w;
  w.source = withDim(call, call.value(sourceName));
  if (!call.failed())
    unifySliceWrite(call, w.base, w.source, w.index, w.dim);
  return w;
}

static void convertIndexAdd(Call &call) {
  SliceWrite w = sliceWriteOf(call, "source");
  if (call.failed() || call.run.stopped())
    return;
  if (call.number("alpha", 1) != 1)
    w.source = call.e.create<graph::MulOp>(w.source, call.e.constant(call.e.dtype(w.source), *call.find("alpha")));
  call.give(call.e.reshape(call.e.create<graph::IndexAddOp>(w.base, w.index, w.source, w.dim), call.e.dims(w.given)));
}

static void convertIndexCopy(Call &call) {
  SliceWrite w = sliceWriteOf(call, "source");
  if (!call.failed() && !call.run.stopped())
    call.give(call.e.reshape(call.e.create<graph::IndexCopyOp>(w.base, w.index, w.source, w.dim), call.e.dims(w.given)));
}

static void convertIndexFill(Call &call) {
  SliceWrite w = sliceWriteOf(call, "");
  if (call.failed() || !w.base || !w.index)
    return;
  SmallVector<DimAttr> shape = call.e.dims(w.base);
  shape[w.dim] = call.e.rank(w.index) ? call.e.dim(w.index, 0) : call.e.dim(int64_t(1));
  Value source = call.e.expand(promoted(call, promotedOperand(call, "value"), call.e.dtype(w.base)), shape);
  w.index = fromEnd(call, Expr(call, w.index), call.e.dim(w.base, w.dim));
  Value result = call.e.create<graph::IndexCopyOp>(w.base, call.e.reshape(w.index, {shape[w.dim]}), source, w.dim);
  call.give(call.e.reshape(result, call.e.dims(w.given)));
}

/// Two results of an op over [1] given as those of a 0-d tensor where that is what x is.
static void givePair(Call &call, Operation *op, Value given, bool withValues) {
  for (unsigned i = withValues ? 0 : 1; i < 2; ++i) {
    Value result = op ? op->getResult(i) : Value();
    call.give(call.e.rank(given) == 0 ? call.e.reshape(result, {}) : result);
  }
}

static void convertSort(Call &call) {
  Value given = call.value("self"), x = withDim(call, given);
  int64_t d = call.dimIndex("dim", call.e.rank(x), -1);
  bool descending = call.boolean("descending", false);
  if (!call.failed())
    givePair(call, call.e.createOp<graph::SortOp>(x, d, descending), given, call.op() != "aten::argsort");
}

static void convertTopk(Call &call) {
  Value given = call.value("self"), x = withDim(call, given);
  int64_t k = call.integer("k"), d = call.dimIndex("dim", call.e.rank(x), -1);
  if (call.failed())
    return;
  Operation *op = call.e.createOp<graph::TopkOp>(x, k, d, !call.boolean("largest", true));
  if (call.e.rank(given) == 0 && k != 1)
    return call.fail("topk with k = " + Twine(k) + " of a 0-d tensor");
  givePair(call, op, given, true);
}

/// A class is looked up among the classes first, which checks it.
static void convertOneHot(Call &call) {
  Value x = call.value("self");
  int64_t classes = call.integer("num_classes", -1);
  if (classes < 1)
    return call.fail("one_hot without num_classes has a size that depends on data");
  SmallVector<DimAttr> shape = call.e.dims(x);
  shape.push_back(call.e.dim(int64_t(1)));
  Value range = call.e.create<graph::IotaOp>(mlir::Attribute(call.e.dim(int64_t(0))), mlir::Attribute(call.e.dim(int64_t(1))), call.e.dim(classes),
                                             elementType(call.e.context(), ScalarType::I64));
  if (call.failed())
    return;
  Value flat = call.e.reshape(call.e.cast(x, ScalarType::I64), {graph::getNumElements(call.e.type(x))});
  Value checked = call.e.create<graph::IndexSelectOp>(range, flat, 0);
  Value hit = call.e.create<graph::EqOp>(call.e.reshape(checked, shape), range);
  call.give(call.e.cast(hit, ScalarType::I64));
}

void builder::addGather(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"embedding", convertEmbedding},
                                                      {"index", convertIndex},
                                                      {"_unsafe_index", convertIndex},
                                                      {"index_put", convertIndexPut},
                                                      {"_unsafe_index_put", convertIndexPut},
                                                      {"_index_put_impl", convertIndexPut},
                                                      {"index_select", convertIndexSelect},
                                                      {"gather", convertGather},
                                                      {"take_along_dim", convertTakeAlongDim},
                                                      {"scatter", convertScatter},
                                                      {"scatter_add", convertScatterAdd},
                                                      {"scatter_reduce", convertScatterReduce},
                                                      {"index_add", convertIndexAdd},
                                                      {"index_copy", convertIndexCopy},
                                                      {"index_fill", convertIndexFill},
                                                      {"sort", convertSort},
                                                      {"argsort", convertSort},
                                                      {"topk", convertTopk},
                                                      {"one_hot", convertOneHot}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
