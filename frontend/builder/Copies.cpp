// Operators around views: copies of views, writes into views of a copy, and lists of views.
//
// `aten::permute_copy` is aten::permute with its result in new memory; `aten::diagonal_scatter(x, y)` writes y through the diagonal of a copy of x;
// `aten::tensor_split` gives several slices.
#include "frontend/builder/Expression.h"
#include "frontend/builder/Shapes.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static DimAttr one(Call &call) { return call.e.dim(int64_t(1)); }
static StringRef baseName(Call &call) { return call.op().substr(call.op().rfind(':') + 1); }

/// Runs the conversion of another operator on this call's arguments.
static bool convertAs(Call &call, StringRef op) {
  Conversion conversion = call.run.program.table.find(op, call.node.overload);
  if (!conversion)
    conversion = call.run.program.table.find(op, "");
  if (!conversion) {
    call.fail("no conversion of " + op);
    return false;
  }
  conversion(call);
  return !call.failed();
}

/// x with memory of its own.
static Val copied(Call &call, const Val &value) {
  if (const auto *tensor = value.get<Tensor>())
    return call.run.fresh(call.run.read(*tensor));
  const auto *list = value.get<List>();
  if (!list)
    return value;
  auto result = std::make_shared<ListValue>(**list);
  for (Val &element : result->elements)
    element = copied(call, element);
  return result;
}

static void convertCopyOfView(Call &call) {
  if (convertAs(call, call.op().drop_back(StringRef("_copy").size())))
    for (Val &result : call.results)
      result = copied(call, result);
}

/// diagonal_scatter, as_strided_scatter: the view of a copy, written.
static void convertScatterIntoView(Call &call) {
  Tensor whole = call.run.fresh(call.value("self"));
  Value source = call.value("src");
  Conversion conversion = call.run.program.table.find(call.op().drop_back(StringRef("_scatter").size()), "");
  if (call.failed() || !conversion)
    return;
  std::vector<Val> arguments{Val(whole)};
  for (size_t i = 1; i < call.size(); ++i)
    arguments.push_back(call.argument(i));
  Call view(call.run, call.node, arguments);
  conversion(view);
  if (call.failed() || view.results.size() != 1 || !view.results[0].is<Tensor>())
    return;
  Tensor part = view.results[0].as<Tensor>();
  SmallVector<DimAttr> shape = call.e.dims(source), wanted = graph::getDims(part->type);
  auto differs = [](DimAttr a, DimAttr b) { return a.isConstant() && b.isConstant() && a != b; };
  if (shape.size() != wanted.size() || llvm::any_of(llvm::zip(shape, wanted), [&](auto pair) { return differs(std::get<0>(pair), std::get<1>(pair)); }))
    return call.fail("the source's shape is not the view's (eager refuses it too)");
  for (auto [own, other] : llvm::zip(shape, wanted))
    if (own != other)
      call.run.guard(own, "==", other, "the source has " + own.str() + " elements in a dim where the view has " + other.str());
  call.run.write(part, call.e.cast(call.e.reshape(source, wanted), scalarType(part->type.getElementType())));
  call.give(call.run.read(whole));
}

/// resolve_conj, real, …: the tensor itself, for there are no complex numbers.
static void giveSelf(Call &call) { call.give(Val(call.run.alias(call.tensor(call.first())))); }

//===-- several tensors -----------------------------------------------------------------------------===//

static void giveTensors(Call &call, ArrayRef<Tensor> tensors) {
  auto list = std::make_shared<ListValue>();
  for (const Tensor &tensor : tensors)
    list->elements.push_back(tensor);
  call.give(Val(list));
}

static void convertBroadcastTensors(Call &call) {
  std::vector<Tensor> tensors = call.tensors("tensors");
  std::vector<Value> values = call.values("tensors");
  unifyBroadcast(call, values);
  SmallVector<DimAttr> shape;
  for (Value value : values) {
    SmallVector<DimAttr> dims = call.e.dims(value);
    while (shape.size() < dims.size())
      shape.insert(shape.begin(), one(call));
    for (size_t i = 0; i < dims.size(); ++i)
      if (DimAttr &size = shape[shape.size() - dims.size() + i]; graph::isConstant(size, 1))
        size = dims[i];
  }
  SmallVector<Tensor> results;
  for (Value value : values)
    results.push_back(call.run.fresh(call.e.expand(value, shape)));
  if (!call.failed() && !call.run.stopped())
    giveTensors(call, results);
}

/// A tensor of at least `least` dims: [n] becomes [1, n] or, with three, [1, n, 1]; [n, m] becomes [n, m, 1].
static Tensor atLeast(Call &call, const Tensor &x, int64_t least) {
  Expr value(call, call.run.read(x));
  int64_t rank = value.rank();
  if (rank >= least)
    return x;
  if (rank == 0 && least > 0)
    value = value.unsqueeze(0);
  if (least >= 2 && value.rank() == 1)
    value = value.unsqueeze(0);
  if (least == 3 && value.rank() == 2)
    value = value.unsqueeze(2);
  return call.run.fresh(value);
}

static void convertAtLeast(Call &call) {
  int64_t least = baseName(call)[StringRef("atleast_").size()] - '0';
  const Val &given = call.argument(0);
  if (!given.is<List>())
    return call.give(Val(atLeast(call, call.tensor(call.first()), least)));
  SmallVector<Tensor> results;
  for (const Tensor &x : call.tensors(call.first()))
    results.push_back(atLeast(call, x, least));
  giveTensors(call, results);
}

/// Slices of dim d that end at the given places, which lie in [0, size].
static void splitAt(Call &call, const Tensor &x, int64_t d, ArrayRef<DimAttr> ends) {
  DimAttr size = graph::getDim(x->type, d), start = call.e.dim(0);
  SmallVector<Tensor> parts;
  for (size_t i = 0; i <= ends.size(); ++i) {
    DimAttr end = i < ends.size() ? ends[i] : size;
    parts.push_back(sliceView(call, x, d, start, call.run.larger(end - start, call.e.dim(0)), 1));
    start = end;
  }
  giveTensors(call, parts);
}

/// The same for places as the user gives them: negative ones from the end, and beyond the ends.
static void splitAt(Call &call, const Tensor &x, int64_t d, ArrayRef<int64_t> ends) {
  DimAttr size = graph::getDim(x->type, d);
  SmallVector<DimAttr> places;
  for (int64_t end : ends)
    places.push_back(call.run.smaller(call.run.larger(end < 0 ? size + end : call.e.dim(end), call.e.dim(0)), size));
  splitAt(call, x, d, places);
}

/// Equal parts, the first ones longer by one where the size doesn't divide.
static void splitEvenly(Call &call, const Tensor &x, int64_t d, int64_t parts) {
  if (parts < 1)
    return call.fail("a split into " + Twine(parts) + " parts");
  DimAttr size = graph::getDim(x->type, d), each = graph::floorDiv(size, parts), longer = size - each * parts;
  SmallVector<DimAttr> ends;
  for (int64_t i = 1; i < parts; ++i)
    ends.push_back(each * i + call.run.smaller(longer, call.e.dim(i)));
  splitAt(call, x, d, ends);
}

/// tensor_split, and hsplit, vsplit, dsplit, which fix the dim.
static void convertTensorSplit(Call &call) {
  Tensor x = call.tensor("self");
  StringRef name = baseName(call);
  int64_t rank = x->type.getRank(), d = 0;
  if (name == "tensor_split")
    d = call.dimIndex("dim", rank, 0);
  else
    d = name == "dsplit" ? 2 : name == "hsplit" && rank > 1 ? 1 : 0;
  if (call.failed() || d >= rank)
    return call.fail("a split along dim " + Twine(d) + " of a tensor of rank " + Twine(rank));
  if (call.find("tensor_indices_or_sections")) {
    auto elements = call.e.constantElements(call.value("tensor_indices_or_sections"));
    if (!elements)
      return call.fail("a split at places that depend on data");
    SmallVector<int64_t> ends;
    for (const Val &element : *elements)
      ends.push_back(int64_t(toDouble(element)));
    bool isCount = call.e.rank(call.value("tensor_indices_or_sections")) == 0;
    return isCount ? splitEvenly(call, x, d, ends[0]) : splitAt(call, x, d, ArrayRef<int64_t>(ends));
  }
  if (call.find("indices"))
    return splitAt(call, x, d, ArrayRef<int64_t>(call.integers("indices")));
  splitEvenly(call, x, d, call.integer("sections"));
}

/// Each tensor's dim padded with zeros and cut into `num_chunks` equal parts, [.., n, r..] to [.., chunks, part * r..]; these joined.
static void convertChunkCat(Call &call) {
  std::vector<Value> tensors = call.values("tensors");
  int64_t d = call.dimIndex("dim", tensors.empty() ? 1 : call.e.rank(tensors[0])), chunks = call.integer("num_chunks");
  if (call.failed() || tensors.empty() || chunks < 1)
    return call.fail("_chunk_cat needs tensors and at least one chunk");
  SmallVector<Value> parts;
  for (Value x : tensors) {
    SmallVector<DimAttr> shape = call.e.dims(x), none(shape.size(), call.e.dim(0)), added = none;
    if (hasZero(shape))
      return call.fail("_chunk_cat of a tensor without elements (eager refuses it too)");
    if (d >= int64_t(shape.size()))
      return call.fail("dim " + Twine(d) + " of a tensor of rank " + Twine(shape.size()));
    DimAttr part = graph::floorDiv(shape[d] + (chunks - 1), chunks), width = part;
    added[d] = part * chunks - shape[d];
    for (DimAttr size : ArrayRef(shape).drop_front(d + 1))
      width = width * size;
    Value padded = call.e.create<graph::PadOp>(x, call.e.constant(call.e.dtype(x), 0.0), call.e.dimArray(none), call.e.dimArray(added));
    shape.resize(d);
    shape.append({call.e.dim(chunks), width});
    parts.push_back(call.e.reshape(padded, shape));
  }
  call.give(call.e.concat(parts, d + 1));
}

//===-- others -----------------------------------------------------------------------------------------===//

static void convertRavel(Call &call) {
  Tensor x = call.tensor("self");
  call.give(call.e.reshape(call.run.read(x), {graph::getNumElements(x->type)}));
}

/// Sums over the dims that broadcasting from `size` would repeat.
static void convertSumToSize(Call &call) {
  Expr x(call, call.value("self"));
  std::vector<DimAttr> size = call.dims("size");
  if (call.failed() || int64_t(size.size()) > x.rank())
    return call.fail("sum_to_size to more dims than the tensor has");
  int64_t added = x.rank() - int64_t(size.size());
  SmallVector<int64_t> dims = allDims(added);
  for (int64_t i = added; i < x.rank(); ++i) {
    if (graph::isConstant(size[i - added], 1) && !graph::isConstant(x.dim(i), 1))
      dims.push_back(i);
    else if (size[i - added].isConstant() && x.dim(i).isConstant() && size[i - added] != x.dim(i))
      return call.fail("size " + size[i - added].str() + " for dim " + Twine(i) + " of size " + x.dim(i).str());
    else
      unifyDims(call, x.dim(i), size[i - added]);
  }
  if (call.failed() || call.run.stopped())
    return;
  if (dims.empty() && !size.empty()) // a sum to no dims is one also of one element
    return call.give(Val(call.run.alias(call.tensor("self"))));
  x = x.cast(sumDtype(x.dtype()));
  call.give(dims.empty() ? Value(x) : Value(sum(x, dims).reshape(size)));
}

void builder::addCopies(ConversionTable &table) {
  for (StringRef name : {"alias", "as_strided", "detach", "diagonal", "expand", "narrow", "permute", "select", "slice", "split", "split_with_sizes", "squeeze", "t",
                         "transpose", "unbind", "unfold", "unsqueeze", "view", "_reshape_alias"})
    table.add(("aten::" + name + "_copy").str(), convertCopyOfView);
  const std::pair<StringRef, Conversion> entries[] = {{"diagonal_scatter", convertScatterIntoView},
                                                      {"as_strided_scatter", convertScatterIntoView},
                                                      {"resolve_conj", giveSelf},
                                                      {"resolve_neg", giveSelf},
                                                      {"conj", giveSelf},
                                                      {"_conj", giveSelf},
                                                      {"real", giveSelf},
                                                      {"broadcast_tensors", convertBroadcastTensors},
                                                      {"atleast_1d", convertAtLeast},
                                                      {"atleast_2d", convertAtLeast},
                                                      {"atleast_3d", convertAtLeast},
                                                      {"tensor_split", convertTensorSplit},
                                                      {"hsplit", convertTensorSplit},
                                                      {"vsplit", convertTensorSplit},
                                                      {"dsplit", convertTensorSplit},
                                                      {"_chunk_cat", convertChunkCat},
                                                      {"ravel", convertRavel},
                                                      {"sum_to_size", convertSumToSize}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
