// The parts of a tensor along one dim, as views: split, chunk, unbind.
//
// `a, b = x.chunk(2)` gives a list of two slices. A symbolic size may be cut where the number of pieces is known: `n.chunk(2)` are
// ceil(n/2) and the rest, for sizes of which there are two pieces; `a, b = x.split(4)` is built for sizes of 5 to 8.
#include "frontend/builder/Shapes.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static SmallVector<DimAttr> dimsOf(const Tensor &x) { return graph::getDims(x->type); }

/// Views of the parts of dim d of the given sizes, as one list.
static void givePieces(Call &call, const Tensor &x, int64_t d, ArrayRef<DimAttr> sizes) {
  auto list = std::make_shared<ListValue>();
  DimAttr start = call.e.dim(int64_t(0));
  for (DimAttr size : sizes) {
    list->elements.push_back(sliceView(call, x, d, start, size, 1));
    start = start + size;
  }
  if (call.run.proved(graph::DimPredicate::Eq, start, dimsOf(x)[d]) == false)
    return call.fail("the parts' sizes sum to " + start.str() + ", the dim has " + dimsOf(x)[d].str());
  if (start != dimsOf(x)[d])
    call.run.guard(start, "==", dimsOf(x)[d], "the parts of a split must sum to the size of dim " + std::to_string(d));
  call.give(Val(list));
}

/// How many values the program unpacks the list into; nullopt where it does something else with it.
static std::optional<int64_t> unpackedInto(const frontend::Block &block, ValueId list) {
  for (const Node &node : block.nodes) {
    const auto *unpacked = node.op == "prim::ListUnpack" ? std::get_if<ValueId>(&node.operands[0].value) : nullptr;
    if (unpacked && *unpacked == list)
      return int64_t(node.results.size());
    for (const frontend::Block &inner : node.blocks)
      if (std::optional<int64_t> count = unpackedInto(inner, list))
        return count;
  }
  return std::nullopt;
}
static std::optional<int64_t> unpackedResults(Call &call) { return unpackedInto(call.run.program.source.body, call.node.results[0]); }

/// `count` pieces of a symbolic size, all but the last of `size` elements: the program is built for that many, and sizes that give other numbers of pieces are
/// refused by a guard.
static void cutSymbolic(Call &call, const Tensor &x, int64_t d, DimAttr size, int64_t count, StringRef how) {
  DimAttr total = dimsOf(x)[d], before = size * (count - 1);
  std::string message = ("the model was compiled for sizes of which " + how + " gives " + Twine(count) + " pieces").str();
  if (count > 1 && !call.run.proved(graph::DimPredicate::Lt, before, total))
    call.run.guard(before, "<", total, message);
  if (!call.run.proved(graph::DimPredicate::Le, total, before + size))
    call.run.guard(total, "<=", before + size, message);
  SmallVector<DimAttr> sizes(count - 1, size);
  sizes.push_back(total - before);
  givePieces(call, x, d, sizes);
}

/// Pieces of `size` elements, the last one smaller.
static void splitBy(Call &call, const Tensor &x, int64_t d, DimAttr size) {
  DimAttr total = dimsOf(x)[d];
  if (size == total)
    return givePieces(call, x, d, {total});
  if (!total.isConstant() || !size.isConstant()) {
    std::optional<int64_t> count = unpackedResults(call);
    if (!count || *count < 1)
      return call.fail("a split of a symbolic size " + total.str() + " into a number of pieces that isn't fixed; give that dim a number");
    return cutSymbolic(call, x, d, size, *count, "split");
  }
  int64_t step = size.getValue(), n = total.getValue();
  if (step <= 0)
    return call.fail("a split into pieces of " + llvm::Twine(step));
  SmallVector<DimAttr> sizes;
  for (int64_t at = 0; at < n || sizes.empty(); at += step)
    sizes.push_back(call.e.dim(std::min(step, n - at)));
  givePieces(call, x, d, sizes);
}

static void convertSplit(Call &call) {
  Tensor x = call.tensor("self");
  int64_t d = call.dimIndex("dim", x->type.getRank(), 0);
  if (call.failed() || x->type.getRank() == 0)
    return call.fail("split of a 0-d tensor");
  if (call.find("split_sizes") || (call.find("split_size") && call.find("split_size")->is<List>()))
    return givePieces(call, x, d, call.dims(call.find("split_sizes") ? "split_sizes" : "split_size"));
  splitBy(call, x, d, call.dim("split_size"));
}

static void convertChunk(Call &call) {
  Tensor x = call.tensor("self");
  int64_t d = call.dimIndex("dim", x->type.getRank(), 0), chunks = call.integer("chunks");
  if (call.failed() || x->type.getRank() == 0 || chunks < 1)
    return call.fail("chunk needs a dim and at least one piece");
  DimAttr total = dimsOf(x)[d];
  if (!total.isConstant())
    return cutSymbolic(call, x, d, graph::floorDiv(total + (chunks - 1), chunks), chunks, "chunk");
  splitBy(call, x, d, call.e.dim(std::max<int64_t>((total.getValue() + chunks - 1) / chunks, 1)));
}

static void convertUnbind(Call &call) {
  Tensor x = call.tensor("self");
  int64_t d = call.dimIndex("dim", x->type.getRank(), 0);
  if (call.failed() || x->type.getRank() == 0)
    return call.fail("unbind of a 0-d tensor");
  if (std::optional<int64_t> count = dimsOf(x)[d].isConstant() ? std::nullopt : unpackedResults(call))
    return unifyDims(call, dimsOf(x)[d], call.e.dim(*count)); // then the import starts again
  if (!dimsOf(x)[d].isConstant())
    return call.fail("unbind of the symbolic size " + dimsOf(x)[d].str() + "; give that dim a number");
  auto list = std::make_shared<ListValue>();
  for (int64_t i = 0; i < dimsOf(x)[d].getValue(); ++i)
    list->elements.push_back(selectView(call, x, d, call.e.dim(i)));
  call.give(Val(list));
}

void builder::addPieces(ConversionTable &table) {
  const std::pair<const char *, Conversion> entries[] = {{"split", convertSplit},
                                                         {"split_with_sizes", convertSplit},
                                                         {"unsafe_split", convertSplit},
                                                         {"unsafe_split_with_sizes", convertSplit},
                                                         {"chunk", convertChunk},
                                                         {"unsafe_chunk", convertChunk},
                                                         {"unbind", convertUnbind}};
  for (const auto &[name, conversion] : entries)
    table.add(std::string("aten::") + name, conversion);
}
