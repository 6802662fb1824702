// Further operators that read and write at data-dependent places: take, put, masked_scatter, index_reduce, embedding_bag, ….
//
// `aten::take(x, i)` is graph.index of the flattened tensor; `aten::masked_scatter` reads its source at the running count of the mask.
#include "frontend/builder/Orders.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static Expr argument(Call &call, StringRef name) { return {call, call.value(name)}; }

static Expr flat(Call &call, const Expr &x) { return x.reshape({graph::getNumElements(call.e.type(x))}); }

static Expr indices64(Call &call, StringRef name) {
  Expr index = argument(call, name);
  if (Value(index) && isFloat(index.dtype()))
    call.fail("an index tensor of floats (eager refuses it too)");
  return index.cast(ScalarType::I64);
}

static void convertTake(Call &call) {
  Expr x = argument(call, "self"), index = indices64(call, "index");
  if (!call.failed())
    call.give(call.e.create<graph::IndexOp>(Value(flat(call, x)), SmallVector<Value>{Value(index)}, SmallVector<int64_t>{0}));
}

static void convertPut(Call &call) {
  Expr x = argument(call, "self"), index = indices64(call, "index"), source = argument(call, "source");
  if (call.failed())
    return;
  if (source.dtype() != x.dtype())
    return call.fail("put of another dtype (eager refuses it too)");
  Value written = call.e.create<graph::IndexPutOp>(Value(flat(call, x)), Value(source.reshape(index.dims())), SmallVector<Value>{Value(index)},
                                                   SmallVector<int64_t>{0}, call.boolean("accumulate", false));
  call.give(call.e.reshape(written, x.dims()));
}

/// Elements of source, one after the other, where the mask holds.
static void convertMaskedScatter(Call &call) {
  Expr x = argument(call, "self"), mask = argument(call, "mask"), source = argument(call, "source");
  if (!call.failed() && mask.dtype() != ScalarType::Bool)
    return call.fail("masked_scatter by a mask that isn't of bools (eager refuses it too)");
  unifyBroadcast(call, {Value(x), Value(mask)});
  if (call.failed() || call.run.stopped())
    return;
  if (source.dtype() != x.dtype())
    return call.fail("masked_scatter of another dtype (eager refuses it too)");
  SmallVector<DimAttr> shape = where(mask, x, x).dims();
  Expr holds = flat(call, mask.expand(shape));
  Expr count(call, call.e.create<graph::CumsumOp>(Value(holds.cast(ScalarType::I64)), int64_t(0)));
  Expr place = where(holds, count - 1.0, 0.0), from = flat(call, source);
  if (graph::isConstant(from.dim(0), 0)) // nothing may be taken: any element that is asked for is out of range
    from = source.like(0).expand({call.e.dim(int64_t(1))}), place = where(holds, 1.0, place);
  Expr taken(call, call.e.create<graph::IndexSelectOp>(Value(from), Value(place), int64_t(0)));
  call.give(where(holds, taken, flat(call, x.expand(shape))).reshape(shape));
}

static std::optional<graph::ScatterReduce> reductionNamed(StringRef name) {
  return llvm::StringSwitch<std::optional<graph::ScatterReduce>>(name)
      .Case("prod", graph::ScatterReduce::prod)
      .Case("mean", graph::ScatterReduce::mean)
      .Case("amax", graph::ScatterReduce::amax)
      .Case("amin", graph::ScatterReduce::amin)
      .Default(std::nullopt);
}

/// Slices of source folded into the slices of self that the index names.
static void convertIndexReduce(Call &call) {
  Expr x = argument(call, "self"), index = indices64(call, "index"), source = argument(call, "source");
  int64_t d = call.dimIndex("dim", x.rank());
  std::optional<graph::ScatterReduce> reduce = reductionNamed(call.text("reduce"));
  if (!reduce || call.failed())
    return call.fail("index_reduce by '" + call.text("reduce") + "'");
  bool isScalar = x.rank() == 0;
  if (isScalar)
    x = x.unsqueeze(0), source = source.rank() ? source : source.unsqueeze(0);
  unifySliceWrite(call, x, source, index, d);
  if (call.failed() || call.run.stopped())
    return;
  SmallVector<DimAttr> along(x.rank(), call.e.dim(int64_t(1)));
  along[d] = graph::getNumElements(call.e.type(index));
  Expr spread = index.reshape(along).expand(source.dims());
  Value result = call.e.create<graph::ScatterOp>(Value(x), Value(spread), Value(source), d, *reduce, !call.boolean("include_self", true));
  call.give(isScalar ? call.e.reshape(result, {}) : result);
}

//===-- masked indexing -----------------------------------------------------------------------------------===//

namespace {
struct MaskedIndices {
  SmallVector<Value> tensors;
  SmallVector<int64_t> dims;
};
} // namespace

/// The index tensors; where the mask doesn't hold they are clamped into range.
static MaskedIndices maskedIndices(Call &call, const Expr &x, const Expr &mask) {
  MaskedIndices out;
  const Val *found = call.find("indices");
  const List *list = found ? found->get<List>() : nullptr;
  for (size_t d = 0; list && d < (*list)->elements.size(); ++d) {
    const Tensor *tensor = (*list)->elements[d].get<Tensor>();
    if (!tensor)
      continue;
    Expr index = Expr(call, call.run.read(*tensor)).cast(ScalarType::I64);
    out.tensors.push_back(where(mask, index, 0.0));
    out.dims.push_back(int64_t(d));
  }
  if (out.tensors.empty() || int64_t(out.dims.back()) >= x.rank())
    call.fail("masked indexing needs index tensors for the tensor's dims");
  return out;
}

static void convertMaskedIndex(Call &call) {
  Expr x = argument(call, "self"), mask = argument(call, "mask");
  MaskedIndices indices = maskedIndices(call, x, mask);
  double fill = call.number("fill", 0);
  if (call.failed())
    return;
  Expr found(call, call.e.create<graph::IndexOp>(Value(x), indices.tensors, indices.dims));
  call.give(where(mask, found, fill));
}

static void convertMaskedIndexPut(Call &call) {
  Expr x = argument(call, "self"), mask = argument(call, "mask"), values = argument(call, "values");
  MaskedIndices indices = maskedIndices(call, x, mask);
  if (!call.failed())
    call.give(call.e.create<graph::IndexPutOp>(Value(x), Value(where(mask, values, 0.0)), indices.tensors, indices.dims, true));
}

//===-- bags of embeddings -----------------------------------------------------------------------------------===//

namespace {
struct Bags {
  Expr weight, indices, bag; // [v, d], [n], [n]: the bag of each index
  DimAttr count;             // of bags
  Expr takesPart;            // bool [n]: not the padding index
};
} // namespace

static Expr scattered(Call &call, const Expr &base, const Expr &bag, const Expr &rows, graph::ScatterReduce how, bool excludeSelf) {
  Expr index = rows.rank() == 2 ? bag.unsqueeze(1).expand(rows.dims()) : bag;
  return {call, call.e.create<graph::ScatterOp>(Value(base), Value(index), Value(rows), int64_t(0), how, excludeSelf)};
}

/// Sums, means or maxima of the rows of each bag; padding does not take part, an empty bag gives zeros.
static Expr foldBags(Call &call, const Bags &b, int64_t mode, const Expr &sizes) {
  ScalarType type = wide(b.weight.dtype());
  Expr rows = Expr(call, call.e.create<graph::EmbeddingOp>(Value(b.weight), Value(b.indices))).cast(type);
  Expr scale = b.takesPart.cast(type);
  if (call.given("per_sample_weights"))
    scale = scale * argument(call, "per_sample_weights").cast(type);
  DimAttr shape[] = {b.count, b.weight.dim(1)};
  Expr zeros = rows.like(0).expand(shape);
  if (mode == 2) {
    Expr lowest = rows.like(-HUGE_VAL);
    Expr best = scattered(call, lowest.expand(shape), b.bag, where(b.takesPart.unsqueeze(1), rows, lowest), graph::ScatterReduce::amax, false);
    return where((sizes == 0.0).unsqueeze(1), 0.0, best).cast(b.weight.dtype());
  }
  Expr total = scattered(call, zeros, b.bag, rows * scale.unsqueeze(1), graph::ScatterReduce::sum, false);
  if (mode == 1)
    total = total / max(sizes.cast(type), 1.0).unsqueeze(1);
  return total.cast(b.weight.dtype());
}

/// Which indices take part: not the padding row, which embedding_bag counts from the end where it is negative; -1 is none to the operators beneath it.
static Expr takesPart(Call &call, const Expr &weight, const Expr &indices) {
  int64_t padding = call.integer("padding_idx", -1);
  if (!call.given("padding_idx") || (padding < 0 && call.op() != "aten::embedding_bag"))
    return indices == indices;
  DimAttr row = padding < 0 ? weight.dim(0) + padding : call.e.dim(padding);
  return indices != Expr(call, call.e.dimTensor(row, ScalarType::I64));
}

static void convertEmbeddingBag(Call &call) {
  Expr weight = argument(call, "weight"), indices = indices64(call, "indices"), offsets = indices64(call, "offsets");
  int64_t mode = call.integer("mode", 0);
  if (call.failed() || weight.rank() != 2 || indices.rank() != 1 || offsets.rank() != 1 || mode < 0 || mode > 2)
    return call.fail("embedding_bag needs a weight [v, d], 1-d indices and offsets");
  bool hasEnd = call.boolean("include_last_offset", false);
  DimAttr count = hasEnd ? offsets.dim(0) - 1 : offsets.dim(0);
  Expr bag = searchSorted(call, offsets.slice(0, call.e.dim(int64_t(0)), count), positions(call, indices.dim(0), 0, 1), true) - 1.0;
  Bags bags{weight, indices, bag, count, takesPart(call, weight, indices)};
  Expr none = bag.like(0).expand({count});
  Expr sizes = scattered(call, none, bag, bags.takesPart.cast(ScalarType::I64), graph::ScatterReduce::sum, false);
  call.give(foldBags(call, bags, mode, sizes));
  call.give(bag);
  call.give(sizes);
  call.give(Val(Poison())); // the rows that gave the maxima: only the backward pass reads them
}

void builder::addSelections(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"take", convertTake},
                                                      {"put", convertPut},
                                                      {"masked_scatter", convertMaskedScatter},
                                                      {"index_reduce", convertIndexReduce},
                                                      {"_unsafe_masked_index", convertMaskedIndex},
                                                      {"_unsafe_masked_index_put_accumulate", convertMaskedIndexPut},
                                                      {"embedding_bag", convertEmbeddingBag},
                                                      {"_embedding_bag", convertEmbeddingBag},
                                                      {"_embedding_bag_forward_only", convertEmbeddingBag}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
