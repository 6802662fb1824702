// Operators that move elements into new memory: cat, stack, repeat, pad, flip, roll, tril, clone, to, glu, pixel_shuffle, ….
//
// `aten::stack([a, b])` is concat of reshapes, `aten::repeat` an expand between two reshapes; casts follow promotion.
#include "frontend/builder/Shapes.h"
#include "frontend/builder/FoldNumbers.h"
#include "frontend/builder/Orders.h"

#include <cmath>

#include "frontend/builder/Promotion.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// The parts in their common dtype; a part of shape [0] is dropped, as PyTorch's cat does.
static SmallVector<Value> joinable(Call &call, StringRef name, bool dropEmpty) {
  SmallVector<PromotedOperand> operands;
  SmallVector<Value> parts;
  for (const Tensor &tensor : call.tensors(name)) {
    PromotedOperand operand;
    operand.tensor = tensor;
    operand.dtype = scalarType(tensor->type.getElementType());
    operand.isScalar = tensor->type.getRank() == 0;
    operands.push_back(operand);
  }
  if (operands.empty())
    call.fail("a list of no tensors");
  ScalarType type = operands.empty() ? ScalarType::F32 : resultType(operands);
  for (const PromotedOperand &operand : operands) {
    RankedTensorType shape = operand.tensor->type;
    bool isEmpty = shape.getRank() == 1 && graph::isConstant(graph::getDim(shape, 0), 0);
    bool others = llvm::any_of(operands, [](const PromotedOperand &o) { return o.tensor->type.getRank() != 1; });
    if (!(dropEmpty && isEmpty && others))
      parts.push_back(promoted(call, operand, type));
  }
  return parts;
}

static void joinParts(Call &call, ArrayRef<Value> parts, int64_t d) {
  if (call.failed() || parts.empty())
    return;
  for (Value part : parts.drop_front())
    for (int64_t i = 0; i < call.e.rank(part) && call.e.rank(part) == call.e.rank(parts[0]); ++i)
      if (i != d)
        unifyDims(call, call.e.dim(parts[0], i), call.e.dim(part, i));
  if (!call.run.stopped() && !call.failed())
    call.give(call.e.concat(parts, d));
}

static void convertCat(Call &call) {
  SmallVector<Value> parts = joinable(call, "tensors", true);
  int64_t d = call.dimIndex("dim", parts.empty() ? 1 : call.e.rank(parts[0]), 0);
  joinParts(call, parts, d);
}

static void convertStack(Call &call) {
  SmallVector<Value> parts = joinable(call, "tensors", false);
  int64_t d = call.dimIndex("dim", parts.empty() ? 1 : call.e.rank(parts[0]) + 1, 0);
  for (Value &part : parts) {
    SmallVector<DimAttr> shape = call.e.dims(part);
    shape.insert(shape.begin() + std::min<int64_t>(d, int64_t(shape.size())), call.e.dim(1));
    part = call.e.reshape(part, shape);
  }
  joinParts(call, parts, d);
}

/// hstack (1-d: dim 0, else dim 1), vstack (rows), with 0-d and 1-d operands raised.
static void stackAt(Call &call, int64_t least, int64_t d) {
  SmallVector<Value> parts = joinable(call, "tensors", false);
  for (Value &part : parts) {
    SmallVector<DimAttr> shape = call.e.dims(part);
    while (int64_t(shape.size()) < least)
      shape.insert(shape.begin(), call.e.dim(1));
    part = call.e.reshape(part, shape);
  }
  joinParts(call, parts, !parts.empty() && call.e.rank(parts[0]) == 1 ? 0 : d);
}
static void convertHstack(Call &call) { stackAt(call, 1, 1); }
static void convertVstack(Call &call) { stackAt(call, 2, 0); }

/// x repeated `counts[d]` times along each dim: [1, d0, 1, d1, …] expanded and reshaped.
static Value repeated(Call &call, Value x, ArrayRef<DimAttr> counts) {
  SmallVector<DimAttr> dims = call.e.dims(x), split, wide, result;
  while (dims.size() < counts.size())
    dims.insert(dims.begin(), call.e.dim(1));
  for (size_t d = 0; d < dims.size(); ++d) {
    DimAttr count = counts.size() == dims.size() ? counts[d] : d < dims.size() - counts.size() ? call.e.dim(1) : counts[d - (dims.size() - counts.size())];
    split.append({call.e.dim(1), dims[d]});
    wide.append({count, dims[d]});
    result.push_back(count * dims[d]);
  }
  return call.e.reshape(call.e.expand(call.e.reshape(x, split), wide), result);
}

static void convertRepeat(Call &call) {
  Value x = call.value("self");
  std::vector<DimAttr> counts = call.dims(call.find("repeats") ? "repeats" : "dims");
  if (call.op() == "aten::repeat" && int64_t(counts.size()) < call.e.rank(x))
    return call.fail("repeat needs a count for each dim");
  if (!call.failed())
    call.give(repeated(call, x, counts));
}

/// Element i as often as counts[i] says. The counts must be known, or the result's size given; then its elements are found in the running sums of the counts.
static void repeatByCounts(Call &call, Value x) {
  bool repeatsIndices = !call.find("self"); // repeat_interleave(counts): the positions themselves
  Expr counts(call, call.e.cast(call.value("repeats"), ScalarType::I64));
  if (!repeatsIndices && !call.given("dim"))
    x = call.e.reshape(x, {graph::getNumElements(call.e.type(x))});
  int64_t d = repeatsIndices ? 0 : call.dimIndex("dim", call.e.rank(x), 0);
  auto known = call.e.constantElements(counts);
  if (call.failed() || (!known && !call.given("output_size")))
    return call.fail("repeat_interleave by counts that depend on data has a size that depends on data; give it output_size");
  DimAttr total = call.e.dim(int64_t(0));
  for (const Val &count : known ? *known : std::vector<Val>())
    total = total + int64_t(toDouble(count));
  total = known ? total : call.dim("output_size");
  DimAttr size = repeatsIndices ? counts.dim(0) : call.e.dim(x, d);
  Expr each = counts.rank() == 0 || graph::isConstant(counts.dim(0), 1) ? counts.reshape({call.e.dim(1)}).expand({size}) : counts;
  if (known && each.dims() != counts.dims())
    total = total * size;
  Expr ends(call, call.e.create<graph::CumsumOp>(Value(each), int64_t(0)));
  Expr index = searchSorted(call, ends, positions(call, total, 0, 1), true);
  call.give(repeatsIndices ? Value(index) : call.e.create<graph::IndexSelectOp>(x, Value(index), d));
}

static void convertRepeatInterleave(Call &call) {
  const Val *repeats = call.find("repeats");
  Value x = call.find("self") ? call.value("self") : Value();
  if (!repeats || !(repeats->is<int64_t>() || repeats->is<DimAttr>()))
    return repeatByCounts(call, x);
  if (!call.given("dim"))
    x = call.e.reshape(x, {graph::getNumElements(call.e.type(x))});
  int64_t d = call.dimIndex("dim", call.e.rank(x), 0);
  if (call.failed() || call.e.rank(x) == 0)
    return;
  SmallVector<DimAttr> shape = call.e.dims(x), wide;
  DimAttr count = call.dim("repeats");
  shape.insert(shape.begin() + d + 1, call.e.dim(1));
  wide = shape;
  wide[d + 1] = count;
  SmallVector<DimAttr> result = call.e.dims(x);
  result[d] = result[d] * count;
  call.give(call.e.reshape(call.e.expand(call.e.reshape(x, shape), wide), result));
}

enum class PadMode { Constant, Reflect, Replicate, Circular };

/// Elements cut off where an amount is negative.
static Value cropped(Call &call, Value x, ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
  for (size_t d = 0; d < before.size(); ++d) {
    int64_t low = std::max<int64_t>(-before[d], 0), high = std::max<int64_t>(-after[d], 0);
    if (low || high)
      x = call.e.slice(x, int64_t(d), call.e.dim(low), call.e.dim(x, int64_t(d)) - (low + high));
  }
  return x;
}

/// Padding out of x itself. Negative amounts crop: after mirroring or replicating, but before wrapping around, as eager does.
static void padByEdge(Call &call, Value x, ArrayRef<DimAttr> low, ArrayRef<DimAttr> high, PadMode mode) {
  SmallVector<int64_t> before, after, low0, high0;
  for (auto [l, h] : llvm::zip(low, high)) {
    if (!l.isConstant() || !h.isConstant())
      return call.fail("padding other than by a constant with symbolic amounts");
    before.push_back(l.getValue());
    after.push_back(h.getValue());
    low0.push_back(std::max<int64_t>(l.getValue(), 0));
    high0.push_back(std::max<int64_t>(h.getValue(), 0));
  }
  if (mode == PadMode::Circular)
    return call.give(call.e.create<graph::PadCircularOp>(cropped(call, x, before, after), low0, high0));
  Value padded = mode == PadMode::Reflect ? call.e.create<graph::PadReflectOp>(x, low0, high0) : call.e.create<graph::PadReplicateOp>(x, low0, high0);
  call.give(cropped(call, padded, before, after));
}

/// pad lists pairs (low, high) from the last dim back.
static void padBy(Call &call, ArrayRef<DimAttr> pad, PadMode mode, StringRef valueName) {
  Value x = call.value("self");
  int64_t rank = call.e.rank(x);
  if (call.failed() || pad.size() % 2 || int64_t(pad.size()) > 2 * rank)
    return call.fail("padding needs a pair of numbers for each of the last dims");
  SmallVector<DimAttr> low(rank, call.e.dim(0)), high(rank, call.e.dim(0));
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    low[rank - 1 - i] = pad[2 * i];
    high[rank - 1 - i] = pad[2 * i + 1];
  }
  if (mode == PadMode::Constant) {
    ScalarType type = call.e.dtype(x);
    Value fill = call.given(valueName) ? promoted(call, promotedOperand(call, valueName), type) : call.e.constant(type, 0.0);
    return call.give(call.e.create<graph::PadOp>(x, fill, call.e.dimArray(low), call.e.dimArray(high)));
  }
  padByEdge(call, x, low, high, mode);
}

static void convertPad(Call &call) {
  std::string mode = call.text("mode", "constant");
  std::optional<PadMode> kind = llvm::StringSwitch<std::optional<PadMode>>(mode)
                                    .Case("constant", PadMode::Constant)
                                    .Case("reflect", PadMode::Reflect)
                                    .Case("replicate", PadMode::Replicate)
                                    .Case("circular", PadMode::Circular)
                                    .Default(std::nullopt);
  if (!kind)
    return call.fail("padding mode '" + mode + "'");
  padBy(call, call.dims("pad"), *kind, "value");
}
static void convertConstantPad(Call &call) { padBy(call, call.dims("pad"), PadMode::Constant, "value"); }
static void convertReflectionPad(Call &call) { padBy(call, call.dims("padding"), PadMode::Reflect, ""); }
static void convertReplicationPad(Call &call) { padBy(call, call.dims("padding"), PadMode::Replicate, ""); }
static void convertCircularPad(Call &call) { padBy(call, call.dims("pad"), PadMode::Circular, ""); }

static void convertFlip(Call &call) {
  Value x = call.value("self");
  std::vector<int64_t> dims = call.integers("dims");
  for (int64_t &d : dims)
    d = call.normalizeDim(d, call.e.rank(x));
  llvm::sort(dims);
  if (!call.failed())
    call.give(call.e.create<graph::FlipOp>(x, dims));
}

static void convertRoll(Call &call) {
  Value x = call.value("self");
  std::vector<int64_t> shifts = call.integers("shifts"), dims = call.given("dims") ? call.integers("dims") : std::vector<int64_t>();
  SmallVector<DimAttr> shape = call.e.dims(x);
  if (dims.empty()) { // of the flattened tensor
    Value flat = call.e.reshape(x, {graph::getNumElements(call.e.type(x))});
    return call.give(call.e.reshape(call.e.create<graph::RollOp>(flat, shifts, SmallVector<int64_t>{0}), shape));
  }
  for (int64_t &d : dims)
    d = call.normalizeDim(d, call.e.rank(x));
  if (dims.size() != shifts.size())
    return call.fail("roll needs one shift for each dim");
  call.give(call.e.create<graph::RollOp>(x, shifts, dims));
}

template <class Op> static void convertTriangle(Call &call) { call.give(call.e.create<Op>(call.value("self"), call.integer("diagonal", 0))); }

// torch.memory_format's numbers.
static constexpr int64_t contiguousFormat = 0, preserveFormat = 1, channelsLast = 2, channelsLast3d = 3;

/// The strides of a memory format; fails where it isn't one for tensors of that rank.
static SmallVector<DimAttr> formatStrides(Call &call, ArrayRef<DimAttr> dims, int64_t format) {
  SmallVector<DimAttr> strides;
  if (format == contiguousFormat) {
    contiguousStrides(dims, strides);
    return strides;
  }
  if ((format != channelsLast || dims.size() != 4) && (format != channelsLast3d || dims.size() != 5)) {
    call.fail("memory format " + Twine(format) + " of a tensor of rank " + Twine(dims.size()) + "; channels_last is for rank 4, channels_last_3d for rank 5");
    return SmallVector<DimAttr>(dims.size(), call.e.dim(int64_t(1)));
  }
  SmallVector<DimAttr> inMemory(dims), result;
  inMemory.push_back(inMemory[1]);
  inMemory.erase(inMemory.begin() + 1);
  contiguousStrides(inMemory, strides);
  result.push_back(strides.front());
  result.push_back(strides.back());
  result.append(strides.begin() + 1, strides.end() - 1);
  return result;
}

/// x's elements with the strides of a memory format.
static Tensor copyInFormat(Call &call, Value value, int64_t format) {
  if (format != contiguousFormat)
    return inFormat(call.run, value, formatStrides(call, call.e.dims(value), format));
  Tensor copy = call.run.fresh(value);
  copy->storage->isEagerOrder = true;
  return copy;
}

/// A copy of the same value: aliases end here.
static void convertClone(Call &call) {
  Tensor x = call.tensor(call.first());
  int64_t format = call.given("memory_format") ? call.integer("memory_format") : preserveFormat;
  Value value = call.run.read(x);
  if (format == preserveFormat)
    return givePointwise(call, value);
  call.give(Val(copyInFormat(call, value, format)));
}

static bool isInFormat(Call &call, const Tensor &x, int64_t format) { return hasStrides(*x, formatStrides(call, graph::getDims(x->type), format)); }

/// The tensor itself, or a copy in a memory format.
static void giveInFormat(Call &call, const Tensor &x, int64_t format, bool isItself) {
  Tensor result = isItself ? call.run.alias(x) : copyInFormat(call, call.run.read(x), format);
  call.run.noteSharing(x, result);
  call.give(Val(result));
}

static void convertContiguous(Call &call) {
  Tensor x = call.tensor("self");
  int64_t format = call.integer("memory_format", contiguousFormat);
  bool isItself = isInFormat(call, x, format);
  if (!call.failed())
    giveInFormat(call, x, format, isItself);
}

/// x in a memory format of to(): row-major is what isn't channels_last.
static void giveAs(Call &call, const Tensor &x, int64_t format) {
  int64_t rank = x->type.getRank();
  bool isItself = isInFormat(call, x, format);
  if (format == contiguousFormat && !isItself)
    isItself = (rank != 4 || !isInFormat(call, x, channelsLast)) && (rank != 5 || !isInFormat(call, x, channelsLast3d));
  if (!call.failed())
    giveInFormat(call, x, format, isItself);
}

/// A cast, or the tensor itself where it has the dtype and memory format already and no copy is asked for.
static void castTo(Call &call, const Tensor &x, std::optional<ScalarType> wanted, bool copy) {
  ScalarType from = scalarType(x->type.getElementType()), to = wanted.value_or(from);
  int64_t format = call.given("memory_format") ? call.integer("memory_format") : preserveFormat;
  if (call.failed())
    return;
  if (from == to && !copy)
    return format == preserveFormat ? call.give(Val(call.run.alias(x))) : giveAs(call, x, format);
  if (const Val *known = x->knownNumber())
    if (std::optional<Val> number = convertNumber(call.run, *known, to))
      return call.give(Val(call.run.knownScalar(to, *number)));
  Value value = call.e.cast(call.run.read(x), to);
  if (format == preserveFormat)
    return givePointwise(call, value);
  call.give(Val(copyInFormat(call, value, format)));
}

static void convertTo(Call &call) {
  Tensor x = call.tensor("self");
  std::optional<ScalarType> type;
  if (call.given("other"))
    type = scalarType(call.tensor("other")->type.getElementType());
  else
    type = call.dtype("dtype");
  if (call.given("device"))
    if (const auto *device = call.find("device")->get<DeviceValue>(); device && !StringRef(device->text).starts_with("cpu"))
      call.run.program.notes.push_back("a move to device '" + device->text + "' is left out: " + call.run.program.describe(call.node.location));
  castTo(call, x, type, call.boolean("copy", call.op() == "aten::_to_copy"));
}
static void convertTypeAs(Call &call) { castTo(call, call.tensor("self"), scalarType(call.tensor("other")->type.getElementType()), false); }

/// .cpu(), .cuda(): the tensor itself.
static void convertMove(Call &call) { castTo(call, call.tensor("self"), std::nullopt, false); }

static void convertGlu(Call &call) {
  Value x = call.value("self");
  int64_t d = call.dimIndex("dim", call.e.rank(x), -1);
  DimAttr size = call.e.dim(x, d), half = graph::floorDiv(size, 2);
  if (size.isConstant() && size.getValue() % 2)
    return call.fail("glu needs an even size");
  if (half * 2 != size)
    call.run.guard(half * 2, "==", size, "glu needs an even size of dim " + std::to_string(d));
  Value gate = call.e.create<graph::SigmoidOp>(call.e.slice(x, d, half, half));
  call.give(call.e.create<graph::MulOp>(call.e.slice(x, d, call.e.dim(0), half), gate));
}

/// [n, c r r, h, w] to [n, c, h r, w r], or back.
static void pixelShuffle(Call &call, int64_t r, bool inverse) {
  Value x = call.value("self");
  int64_t rank = call.e.rank(x);
  if (rank < 3 || r < 1)
    return call.fail("pixel_shuffle needs [..., c, h, w] and a factor of at least 1");
  SmallVector<DimAttr> dims = call.e.dims(x), lead(dims.begin(), dims.end() - 3), split = lead, result = lead;
  DimAttr c = dims[rank - 3], h = dims[rank - 2], w = dims[rank - 1], factor = call.e.dim(r);
  SmallVector<int64_t> order;
  int64_t b = rank - 3;
  for (int64_t d = 0; d < b; ++d)
    order.push_back(d);
  if (!inverse) {
    DimAttr channels = graph::floorDiv(c, r * r);
    split.append({channels, factor, factor, h, w});
    order.append({b, b + 3, b + 1, b + 4, b + 2});
    result.append({channels, h * r, w * r});
  } else {
    DimAttr height = graph::floorDiv(h, r), width = graph::floorDiv(w, r);
    split.append({c, height, factor, width, factor});
    order.append({b, b + 2, b + 4, b + 1, b + 3});
    result.append({c * (r * r), height, width});
  }
  call.give(call.e.reshape(call.e.permute(call.e.reshape(x, split), order), result));
}
static void convertPixelShuffle(Call &call) { pixelShuffle(call, call.integer("upscale_factor"), false); }
static void convertPixelUnshuffle(Call &call) { pixelShuffle(call, call.integer("downscale_factor"), true); }

static void convertChannelShuffle(Call &call) {
  Value x = call.value("self");
  int64_t groups = call.integer("groups");
  if (call.e.rank(x) < 2 || groups < 1)
    return call.fail("channel_shuffle needs [n, c, ...] and at least one group");
  SmallVector<DimAttr> dims = call.e.dims(x), split = dims;
  split[1] = call.e.dim(groups);
  split.insert(split.begin() + 2, graph::floorDiv(dims[1], groups));
  SmallVector<int64_t> order{0, 2, 1};
  for (int64_t d = 3; d < int64_t(split.size()); ++d)
    order.push_back(d);
  call.give(call.e.reshape(call.e.permute(call.e.reshape(x, split), order), dims));
}

/// Functional forms of slice writes.
static void convertSliceScatter(Call &call) {
  Value base = call.value("self"), source = call.value("src");
  int64_t d = call.dimIndex("dim", call.e.rank(base), 0), step = call.integer("step", 1);
  int64_t start = call.integer("start", 0);
  DimAttr size = call.e.dim(base, d), from = call.e.dim(start);
  if (start < 0)
    from = call.run.larger(size + start, call.e.dim(0));
  if (source)
    source = call.e.cast(source, call.e.dtype(base));
  givePointwise(call, call.e.sliceScatter(base, source, d, call.run.smaller(from, size), step)); // with the base's strides
}
static void convertSelectScatter(Call &call) {
  Value base = call.value("self"), source = call.value("src");
  int64_t d = call.dimIndex("dim", call.e.rank(base));
  DimAttr index = call.dim("index");
  if (index.isConstant() && index.getValue() < 0)
    index = call.e.dim(base, d) + index;
  SmallVector<DimAttr> shape = call.e.dims(base);
  if (!call.failed() && d < int64_t(shape.size()))
    shape[d] = call.e.dim(1);
  givePointwise(call, call.e.sliceScatter(base, call.e.reshape(call.e.cast(source, call.e.dtype(base)), shape), d, index));
}

/// Differences of neighbours along a dim, n times; of bools where they differ.
static void convertDiff(Call &call) {
  Value x = call.value("self");
  int64_t d = call.dimIndex("dim", call.e.rank(x), -1), n = call.integer("n", 1);
  if (call.failed() || call.e.rank(x) == 0)
    return call.fail("diff of a 0-d tensor");
  if (n < 0)
    return call.fail("diff of order " + Twine(n) + "; expected 0 or more");
  if (n == 0)
    return call.give(x);
  SmallVector<Value> parts;
  if (call.given("prepend"))
    parts.push_back(call.value("prepend"));
  parts.push_back(x);
  if (call.given("append"))
    parts.push_back(call.value("append"));
  x = call.e.concat(parts, d);
  for (int64_t i = 0; i < n && x; ++i) {
    DimAttr size = call.run.larger(call.e.dim(x, d) - 1, call.e.dim(0));
    Value later = call.e.slice(x, d, call.e.dim(1), size), earlier = call.e.slice(x, d, call.e.dim(0), size);
    x = call.e.dtype(x) == ScalarType::Bool ? call.e.create<graph::LogicalXorOp>(later, earlier) : call.e.create<graph::SubOp>(later, earlier);
  }
  call.give(x);
}

static void convertMeshgrid(Call &call) {
  std::vector<Value> axes = call.values("tensors");
  bool swap = call.text("indexing", "ij") == "xy" && axes.size() >= 2;
  if (swap)
    std::swap(axes[0], axes[1]);
  SmallVector<DimAttr> shape;
  for (Value axis : axes)
    shape.push_back(call.e.rank(axis) ? call.e.dim(axis, 0) : call.e.dim(1));
  auto list = std::make_shared<ListValue>();
  for (size_t i = 0; i < axes.size(); ++i) {
    SmallVector<DimAttr> own(axes.size(), call.e.dim(1));
    own[i] = shape[i];
    list->elements.push_back(call.run.fresh(call.e.expand(call.e.reshape(axes[i], own), shape)));
  }
  if (swap)
    std::swap(list->elements[0], list->elements[1]);
  call.give(Val(list));
}

void builder::addShapes(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"cat", convertCat},
      {"concat", convertCat},
      {"concatenate", convertCat},
      {"stack", convertStack},
      {"hstack", convertHstack},
      {"vstack", convertVstack},
      {"repeat", convertRepeat},
      {"tile", convertRepeat},
      {"repeat_interleave", convertRepeatInterleave},
      {"pad", convertPad},
      {"constant_pad_nd", convertConstantPad},
      {"reflection_pad1d", convertReflectionPad},
      {"reflection_pad2d", convertReflectionPad},
      {"reflection_pad3d", convertReflectionPad},
      {"replication_pad1d", convertReplicationPad},
      {"replication_pad2d", convertReplicationPad},
      {"replication_pad3d", convertReplicationPad},
      {"_pad_circular", convertCircularPad},
      {"flip", convertFlip},
      {"roll", convertRoll},
      {"tril", convertTriangle<graph::TrilOp>},
      {"triu", convertTriangle<graph::TriuOp>},
      {"clone", convertClone},
      {"lift_fresh_copy", convertClone},
      {"contiguous", convertContiguous},
      {"to", convertTo},
      {"_to_copy", convertTo},
      {"type_as", convertTypeAs},
      {"cpu", convertMove},
      {"cuda", convertMove},
      {"lift", convertMove},
      {"lift_fresh", convertMove},
      {"glu", convertGlu},
      {"pixel_shuffle", convertPixelShuffle},
      {"pixel_unshuffle", convertPixelUnshuffle},
      {"channel_shuffle", convertChannelShuffle},
      {"slice_scatter", convertSliceScatter},
      {"select_scatter", convertSelectScatter},
      {"diff", convertDiff},
      {"meshgrid", convertMeshgrid}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
