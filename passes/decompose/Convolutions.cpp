// See Convolutions.h.
//
//   convolution x[1, 3, S], padding [1]     pad x low [0, 0, 1] high [0, 0, 1]; convolution, padding [0]
//   convolution, weight [O, C, K]           the windows as a strided view [g, n, out, c, k] of the padded x; matmul with the weight [g, c k, o]
//   conv_transpose, stride s, weight [c, o, k]
//                                           Result element t = u s + r (counted with the padding) is the sum over m of x[u - m] weight[r + s m]: a convolution of
//                                           stride 1 over x with s o outputs and ceil(k / s) taps, then outputs (r, o) at u moved to o at u s + r
//   conv_transpose, dilated or of symbolic kernel
//                                           x with s - 1 zeros between its elements; a convolution of stride 1 with the weight reversed
#include "passes/decompose/Convolutions.h"
#include "ir/graph/Contractions.h"
#include "passes/Parameters.h"
#include "passes/decompose/DecomposeBuilder.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

using Dims = SmallVector<DimAttr>;

Dims dimsOf(Value x) { return getDims(tensorType(x)); }
bool areConstant(ArrayRef<DimAttr> dims) {
  return llvm::all_of(dims, [](DimAttr dim) { return dim.isConstant(); });
}
int64_t ceilOf(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

/// A convolution with its padding on each side; `low` and `high` may be negative, which crops.
struct Windows {
  SmallVector<int64_t> stride, dilation;
  Dims low, high;
  int64_t groups;
};

/// x [n, c, spatial…] padded as the windows say.
Value padSpatial(DecomposeBuilder &b, Value x, const Windows &windows) {
  Dims low = {b.dim(0), b.dim(0)}, high = low;
  low.append(windows.low);
  high.append(windows.high);
  auto isZero = [](DimAttr pad) { return isConstant(pad, 0); };
  return llvm::all_of(low, isZero) && llvm::all_of(high, isZero) ? x : b.pad(x, low, high);
}

/// Whether the op can pad by itself: the same number on both sides, over constant dims.
bool padsItself(Value x, const Windows &windows) {
  for (auto [i, low, high] : llvm::enumerate(windows.low, windows.high))
    if (low != high || !low.isConstant() || low.getValue() < 0 || (low.getValue() > 0 && !getDim(tensorType(x), 2 + i).isConstant()))
      return false;
  return true;
}

/// [o] as [o, 1, …], to broadcast over [n, o, spatial…].
Value addBias(DecomposeBuilder &b, Value x, Value bias) {
  if (!bias)
    return x;
  Dims shape(tensorType(x).getRank() - 1, b.dim(1));
  shape[0] = dimsOf(bias)[0];
  return b.make<AddOp>(x, b.reshape(bias, shape));
}

DimAttr productOf(DecomposeBuilder &b, ArrayRef<DimAttr> dims) {
  DimAttr product = b.dim(1);
  for (DimAttr dim : dims)
    product = product * dim;
  return product;
}

/// A convolution over the padded x whose weight [o, c / groups, kernel…] has symbolic dims.
Value multiplyWindows(DecomposeBuilder &b, Value x, Value weight, Value bias, const Windows &windows) {
  Dims dims = dimsOf(x), kernel = dimsOf(weight);
  DimAttr groups = b.dim(windows.groups), channels = kernel[1], outputs = DimAttr::binary(DimKind::FloorDiv, kernel[0], groups);
  DimAttr stride = b.dim(1);
  Dims strides(dims.size());
  for (size_t d = dims.size(); d-- > 0; stride = stride * dims[d])
    strides[d] = stride;
  // [groups, n, out…, c / groups, kernel…]
  Dims space, sizes = {groups, dims[0]}, steps = {strides[1] * channels, strides[0]};
  for (size_t i = 0; i + 2 < dims.size(); ++i) {
    DimAttr reach = (kernel[2 + i] - 1) * windows.dilation[i] + 1;
    space.push_back(floorDiv(dims[2 + i] - reach, windows.stride[i]) + 1);
    sizes.push_back(space[i]);
    steps.push_back(strides[2 + i] * windows.stride[i]);
  }
  sizes.append(kernel.begin() + 1, kernel.end());
  steps.push_back(strides[1]);
  for (size_t i = 0; i + 2 < dims.size(); ++i)
    steps.push_back(strides[2 + i] * windows.dilation[i]);
  Value view = b.make<AsStridedOp>(x, makeDimArray(b.context, sizes), makeDimArray(b.context, steps), b.dim(0));
  DimAttr taps = productOf(b, ArrayRef(kernel).drop_front());
  Value rows = b.reshape(view, {groups, dims[0] * productOf(b, space), taps});
  Value product = b.make<MatmulOp>(rows, b.transpose(b.reshape(weight, {groups, outputs, taps})));
  // [groups, n, out…, o / groups] to [n, o, out…]
  Dims split = {groups, dims[0]}, shape = {dims[0], kernel[0]};
  split.append(space);
  split.push_back(outputs);
  shape.append(space);
  SmallVector<int64_t> order = {1, 0, int64_t(split.size()) - 1};
  for (size_t i = 0; i < space.size(); ++i)
    order.push_back(2 + i);
  return addBias(b, b.reshape(b.permute(b.reshape(product, split), order), shape), bias);
}

Value convolve(DecomposeBuilder &b, Value x, Value weight, Value bias, const Windows &windows) {
  SmallVector<int64_t> padding(windows.low.size(), 0);
  bool symbolicWeight = !areConstant(dimsOf(weight));
  if (!symbolicWeight && padsItself(x, windows))
    padding = llvm::map_to_vector(windows.low, [](DimAttr pad) { return pad.getValue(); });
  else
    x = padSpatial(b, x, windows);
  if (symbolicWeight)
    return multiplyWindows(b, x, weight, bias, windows);
  return b.make<ConvolutionOp>(x, weight, bias, windows.stride, padding, windows.dilation, windows.groups);
}

//===-- transposed ------------------------------------------------------------------------===//

/// The weight [c, o / groups, …] of a transposed convolution as that of a convolution, [o, c / groups, …].
Value swapChannels(DecomposeBuilder &b, Value weight, int64_t groups) {
  Dims dims = dimsOf(weight), split = dims, merged = dims;
  split[0] = DimAttr::binary(DimKind::FloorDiv, dims[0], b.dim(groups));
  split.insert(split.begin(), b.dim(groups));
  merged[0] = dims[1] * groups;
  merged[1] = split[1];
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, split.size()));
  std::swap(order[1], order[2]);
  return b.reshape(b.permute(b.reshape(weight, split), order), merged);
}

Value reverseKernel(DecomposeBuilder &b, Value weight) {
  return b.make<FlipOp>(weight, llvm::to_vector(llvm::seq<int64_t>(2, tensorType(weight).getRank())));
}

/// x [n, c, spatial…] with stride - 1 zeros after each element.
Value spread(DecomposeBuilder &b, Value x, ArrayRef<int64_t> stride) {
  Dims dims = dimsOf(x), split = {dims[0], dims[1]}, wide = split, zero(2, b.dim(0)), high = zero;
  for (auto [dim, s] : llvm::zip(ArrayRef(dims).drop_front(2), stride)) {
    split.append({dim, b.dim(1)});
    zero.append(2, b.dim(0));
    high.append({b.dim(0), b.dim(s - 1)});
    wide.push_back(dim * s);
  }
  return llvm::all_of(stride, [](int64_t s) { return s == 1; }) ? x : b.reshape(b.pad(b.reshape(x, split), zero, high), wide);
}

Value convolveSpread(DecomposeBuilder &b, ConvTransposeOp op) {
  Dims kernel = dimsOf(op.getWeight());
  Windows windows{SmallVector<int64_t>(op.getStride().size(), 1), SmallVector<int64_t>(op.getDilation()), {}, {}, int64_t(op.getGroups())};
  for (size_t i = 0; i < op.getStride().size(); ++i) {
    windows.low.push_back((kernel[2 + i] - 1) * op.getDilation()[i] - op.getPadding()[i]);
    windows.high.push_back(windows.low[i] + (op.getOutputPadding()[i] - op.getStride()[i] + 1));
  }
  Value weight = reverseKernel(b, swapChannels(b, op.getWeight(), windows.groups));
  return convolve(b, spread(b, op.getX(), op.getStride()), weight, op.getBias(), windows);
}

/// Whether the value is a parameter whose elements lie there as bytes.
bool isPlainParameter(Value value) {
  auto get = value.getDefiningOp<GetOp>();
  return get && !getFlatBytes(SymbolTable::lookupNearestSymbolFrom<ParameterOp>(get, get.getParameterAttr()).getValue()).empty();
}

/// A parameter of the given shape whose elements are the original's at source(index), or 0 where that is negative.
Value gatherParameter(DecomposeBuilder &b, GetOp get, ArrayRef<int64_t> shape, function_ref<int64_t(ArrayRef<int64_t>)> source) {
  auto module = get->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  auto original = symbols.lookup<ParameterOp>(get.getParameter());
  auto type = RankedTensorType::get(shape, tensorType(get).getElementType());
  ArrayRef<char> from = getFlatBytes(original.getValue());
  size_t bytes = type.getElementTypeBitWidth() / 8, step = original.getValue().isSplat() ? 0 : bytes;
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(type.getNumElements() * bytes, 64);
  char *out = blob.getMutableData().data();
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < type.getNumElements(); ++i, out += bytes) {
    if (int64_t at = source(index); at >= 0)
      std::memcpy(out, from.data() + at * step, bytes);
    else
      std::memset(out, 0, bytes);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  ParameterOp derived = deriveParameter(symbols, original, "$phases", type, std::move(blob));
  return b.make<GetOp>(type, derived.getSymName());
}

/// The weight [c, o, k…] of groups by phase: [groups phases… o, c / groups, taps of a phase…], the taps reversed.
Value gatherPhases(DecomposeBuilder &b, GetOp weight, ArrayRef<int64_t> stride, int64_t groups) {
  ArrayRef<int64_t> kernel = tensorType(weight).getShape();
  int64_t outputs = kernel[1], phases = llvm::product_of(stride), channels = kernel[0] / groups;
  SmallVector<int64_t> shape = {groups * phases * outputs, channels};
  for (auto [size, s] : llvm::zip(kernel.drop_front(2), stride))
    shape.push_back(ceilOf(size, s));
  return gatherParameter(b, weight, shape, [&](ArrayRef<int64_t> index) {
    int64_t output = index[0] % outputs, phase = index[0] / outputs % phases, group = index[0] / (outputs * phases);
    int64_t position = 0, size = 1; // within the kernel, from the last dim on
    for (size_t i = stride.size(); i-- > 0; phase /= stride[i]) {
      int64_t tap = phase % stride[i] + stride[i] * (shape[2 + i] - 1 - index[2 + i]);
      if (tap >= kernel[2 + i])
        return int64_t(-1);
      position += tap * size;
      size *= kernel[2 + i];
    }
    return ((group * channels + index[1]) * outputs + output) * size + position;
  });
}

/// The bias [o] of groups once for each phase.
Value repeatBias(DecomposeBuilder &b, Value bias, int64_t groups, int64_t phases) {
  int64_t outputs = tensorType(bias).getDimSize(0) / groups;
  if (isPlainParameter(bias))
    return gatherParameter(b, bias.getDefiningOp<GetOp>(), {groups * phases * outputs}, [&](ArrayRef<int64_t> index) { return index[0] / (outputs * phases) * outputs + index[0] % outputs; });
  Dims shape = {b.dim(groups), b.dim(1), b.dim(outputs)}, wide = {b.dim(groups), b.dim(phases), b.dim(outputs)};
  return b.reshape(b.expand(b.reshape(bias, shape), wide), {b.dim(groups * phases * outputs)});
}

/// [n, groups phases… o, u…] to [n, groups o, (u, phase)…].
Value interleave(DecomposeBuilder &b, Value x, ArrayRef<int64_t> stride, int64_t groups, int64_t outputs) {
  size_t spatial = stride.size();
  Dims dims = dimsOf(x), split = {dims[0], b.dim(groups)}, merged = {dims[0], b.dim(groups * outputs)};
  for (int64_t s : stride)
    split.push_back(b.dim(s));
  split.push_back(b.dim(outputs));
  split.append(dims.begin() + 2, dims.end());
  SmallVector<int64_t> order = {0, 1, int64_t(2 + spatial)};
  for (size_t i = 0; i < spatial; ++i) {
    order.append({int64_t(3 + spatial + i), int64_t(2 + i)});
    merged.push_back(dims[2 + i] * stride[i]);
  }
  return b.reshape(b.permute(b.reshape(x, split), order), merged);
}

Value convolvePhases(DecomposeBuilder &b, ConvTransposeOp op) {
  ArrayRef<int64_t> stride = op.getStride();
  int64_t groups = op.getGroups();
  Dims kernel = dimsOf(op.getWeight());
  Windows windows{SmallVector<int64_t>(stride.size(), 1), SmallVector<int64_t>(stride.size(), 1), {}, {}, groups};
  SmallVector<int64_t> skipped; // leading positions u that lie in the padding
  for (size_t i = 0; i < stride.size(); ++i) {
    int64_t size = kernel[2 + i].getValue(), padding = op.getPadding()[i], taps = ceilOf(size, stride[i]);
    skipped.push_back(padding / stride[i]);
    windows.low.push_back(b.dim(taps - 1 - skipped[i]));
    windows.high.push_back(b.dim(ceilOf(size + op.getOutputPadding()[i] - padding, stride[i]) - 1));
  }
  int64_t outputs = kernel[1].getValue();
  Value bias = op.getBias() ? repeatBias(b, op.getBias(), groups, llvm::product_of(stride)) : Value();
  Value weight = gatherPhases(b, op.getWeight().getDefiningOp<GetOp>(), stride, groups);
  Value result = interleave(b, convolve(b, op.getX(), weight, bias, windows), stride, groups, outputs);
  Dims starts = {b.dim(0), b.dim(0)}, wanted = getDims(op.getType());
  for (size_t i = 0; i < stride.size(); ++i)
    starts.push_back(b.dim(op.getPadding()[i] - skipped[i] * stride[i]));
  return b.make<SliceOp>(result, makeDimArray(b.context, starts), makeDimArray(b.context, wanted), SmallVector<int64_t>(starts.size(), 1));
}

Value decomposeTransposed(ConvTransposeOp op) {
  DecomposeBuilder b(op);
  auto isOne = [](int64_t n) { return n == 1; };
  bool dilated = !llvm::all_of(op.getDilation(), isOne), constantKernel = areConstant(dimsOf(op.getWeight()));
  if (constantKernel && hasDisjointWindows(op))
    return Value();
  if (constantKernel && !dilated && isPlainParameter(op.getWeight()))
    return convolvePhases(b, op);
  bool symbolicSpace = !areConstant(ArrayRef(dimsOf(op.getX())).drop_front(2));
  return symbolicSpace || !constantKernel ? convolveSpread(b, op) : Value();
}

} // namespace

Value graphc::decomposeConvolution(Operation *op) {
  if (auto transposed = dyn_cast<ConvTransposeOp>(op))
    return decomposeTransposed(transposed);
  auto convolution = dyn_cast<ConvolutionOp>(op);
  if (!convolution)
    return Value();
  DecomposeBuilder b(op);
  auto pads = llvm::map_to_vector(convolution.getPadding(), [&](int64_t pad) { return b.dim(pad); });
  Windows windows{SmallVector<int64_t>(convolution.getStride()), SmallVector<int64_t>(convolution.getDilation()), Dims(pads), Dims(pads), int64_t(convolution.getGroups())};
  if (areConstant(dimsOf(convolution.getWeight())) && padsItself(convolution.getX(), windows))
    return Value();
  return convolve(b, convolution.getX(), convolution.getWeight(), convolution.getBias(), windows);
}
