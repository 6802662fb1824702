// Pooling. An image without a batch dim gets one for the op.
#include "frontend/builder/Expression.h"
#include "frontend/builder/Shapes.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// How many spatial dims "max_pool2d", "adaptive_avg_pool1d", … work on.
static size_t spatialDims(Call &call) {
  size_t digit = call.op().find_first_of("123");
  return digit == StringRef::npos ? 2 : size_t(call.op()[digit] - '0');
}

static std::vector<int64_t> listOr(Call &call, StringRef name, size_t count, const std::vector<int64_t> &fallback) {
  const Val *value = call.find(name);
  bool empty = !value || value->is<None>() || (value->is<List>() && value->as<List>()->elements.empty());
  return empty ? fallback : call.integers(name, count);
}

/// The image with a batch dim; `added` says whether that is new.
static Value batched(Call &call, size_t spatial, bool &added) {
  Value x = call.value(call.first());
  added = x && call.e.rank(x) == int64_t(spatial) + 1;
  if (x && !added && call.e.rank(x) != int64_t(spatial) + 2)
    call.fail("a tensor of rank " + Twine(call.e.rank(x)) + "; expected " + Twine(spatial + 1) + " or " + Twine(spatial + 2));
  SmallVector<DimAttr> shape = call.e.dims(x);
  shape.insert(shape.begin(), call.e.dim(int64_t(1)));
  if (hasZero(ArrayRef(shape).drop_front(added ? 1 : 2)))
    call.fail("a pool over no elements (eager refuses it too; only the batch may be empty)");
  return added ? call.e.reshape(x, shape) : x;
}

static void giveUnbatched(Call &call, Value result, bool added) {
  if (result && added)
    result = call.e.reshape(result, ArrayRef<DimAttr>(call.e.dims(result)).drop_front());
  call.give(result);
}

/// Fails where a window's numbers, or the distance between its ends, are beyond 32 bits.
static void checkWindow(Call &call, ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride, ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation) {
  constexpr int64_t most = INT32_MAX;
  for (auto [k, s, p, d] : llvm::zip(kernel, stride, padding, dilation))
    if (std::max({k, s, p, d}) > most || (k > 0 && d > 0 && (k - 1) > most / d))
      call.fail("a window of kernel size " + Twine(k) + ", stride " + Twine(s) + ", padding " + Twine(p) + " and dilation " + Twine(d) + ", which is beyond 32 bits");
}

static void convertMaxPool(Call &call) {
  size_t n = spatialDims(call);
  bool added = false;
  Value x = batched(call, n, added);
  std::vector<int64_t> kernel = call.integers("kernel_size", n), stride = listOr(call, "stride", n, kernel);
  std::vector<int64_t> padding = listOr(call, "padding", n, std::vector<int64_t>(n, 0)), dilation = listOr(call, "dilation", n, std::vector<int64_t>(n, 1));
  bool ceil = call.boolean("ceil_mode", false);
  checkWindow(call, kernel, stride, padding, dilation);
  if (call.failed())
    return;
  for (size_t i = 0; i < n; ++i)
    if (padding[i] * 2 > kernel[i])
      return call.fail("pad should be at most half of the kernel size");
  if (!call.op().ends_with("_with_indices"))
    return giveUnbatched(call, call.e.create<graph::MaxPoolOp>(x, kernel, stride, padding, dilation, ceil), added);
  Operation *op = call.e.createOp<graph::MaxPoolWithIndicesOp>(x, kernel, stride, padding, dilation, ceil);
  giveUnbatched(call, op ? op->getResult(0) : Value(), added);
  giveUnbatched(call, op ? op->getResult(1) : Value(), added);
}

namespace {
struct AverageWindow {
  std::vector<int64_t> kernel, stride, padding;
  bool countPad;
  int64_t divisor; // 0: the number of elements
};
} // namespace

/// How many elements of dim d (and, if they count, of its padding) the windows of the `outputs` positions have, along dim d of `rank`.
static Expr windowSizes(Call &call, const AverageWindow &w, size_t i, DimAttr size, DimAttr outputs, int64_t d, int64_t rank) {
  Expr start = positions(call, outputs, d, rank) * double(w.stride[i]) - double(w.padding[i]), extent(call, call.e.dimTensor(size, ScalarType::I64));
  Expr end = min(start + double(w.kernel[i]), extent + double(w.padding[i]));
  return w.countPad ? end - start : min(end, extent) - max(start, 0.0);
}

/// Integers: the quotient of sum and count without its fraction. `shape` is the result's.
static Value averageIntegers(Call &call, const Expr &x, const AverageWindow &w, ArrayRef<DimAttr> shape) {
  int64_t rank = x.rank(), spatial = rank - 2;
  DimAttr zero = call.e.dim(int64_t(0));
  SmallVector<DimAttr> low(2, zero), high(2, zero), sizes(shape), strides, steps;
  for (int64_t i = 0; i < spatial; ++i) { // the last window ends inside
    low.push_back(call.e.dim(w.padding[i]));
    high.push_back((shape[2 + i] - 1) * w.stride[i] + (w.kernel[i] - w.padding[i]) - x.dim(2 + i));
  }
  Expr padded(call, call.e.create<graph::PadOp>(Value(x), Value(x.like(0)), call.e.dimArray(low), call.e.dimArray(high)));
  contiguousStrides(padded.dims(), strides);
  steps.assign(strides.begin(), strides.end());
  Expr divisor(call, call.e.constant(ScalarType::I64, double(w.divisor ? w.divisor : 1)));
  for (int64_t i = 0; i < spatial; ++i) {
    steps[2 + i] = strides[2 + i] * w.stride[i];
    sizes.push_back(call.e.dim(w.kernel[i]));
    steps.push_back(strides[2 + i]);
    if (!w.divisor)
      divisor = divisor * windowSizes(call, w, i, x.dim(2 + i), shape[2 + i], 2 + i, rank);
  }
  Expr windows(call, call.e.create<graph::AsStridedOp>(Value(padded), call.e.dimArray(sizes), call.e.dimArray(steps), zero));
  SmallVector<int64_t> inner = llvm::to_vector(llvm::seq(rank, rank + spatial));
  return divTrunc(sum(windows, inner), divisor);
}

static void convertAvgPool(Call &call) {
  size_t n = spatialDims(call);
  bool added = false;
  Value x = batched(call, n, added);
  std::vector<int64_t> kernel = call.integers("kernel_size", n), stride = listOr(call, "stride", n, kernel);
  std::vector<int64_t> padding = listOr(call, "padding", n, std::vector<int64_t>(n, 0));
  bool ceil = call.boolean("ceil_mode", false), countPad = call.boolean("count_include_pad", true);
  int64_t divisor = call.integer("divisor_override", 0);
  checkWindow(call, kernel, stride, padding, std::vector<int64_t>(n, 1));
  if (call.given("divisor_override") && divisor == 0)
    call.fail("divisor_override is 0 (eager refuses it too)");
  if (call.failed())
    return;
  bool isInteger = call.e.dtype(x) == ScalarType::I64; // of the integers, eager has i64 alone
  Value result = call.e.create<graph::AvgPoolOp>(isInteger ? call.e.cast(x, ScalarType::F32) : x, kernel, stride, padding, ceil, countPad, divisor);
  if (isInteger && result)
    result = averageIntegers(call, Expr(call, x), {kernel, stride, padding, countPad, divisor}, call.e.dims(result));
  giveUnbatched(call, result, added);
}

SmallVector<DimAttr> builder::outputSize(Call &call, Value x, size_t n) {
  SmallVector<DimAttr> result;
  const Val *value = call.find("output_size");
  std::vector<Val> sizes = value && value->is<List>() ? value->as<List>()->elements : value ? std::vector<Val>(n, *value) : std::vector<Val>();
  if (sizes.size() == 1)
    sizes.resize(n, sizes[0]);
  if (sizes.size() != n)
    call.fail("output_size needs " + Twine(n) + " numbers");
  sizes.resize(n, None());
  for (size_t i = 0; i < n; ++i) {
    DimAttr size = sizes[i].is<None>() ? call.e.dim(x, int64_t(i) + 2) : toDim(sizes[i], call.e.context());
    if (!size)
      call.fail("output_size has a " + kindOf(sizes[i]) + " in it");
    else if (size.isConstant() && size.getValue() < 1)
      call.fail("output_size has " + size.str() + " in it; expected at least 1");
    result.push_back(size ? size : call.e.dim(int64_t(1)));
  }
  return result;
}

static void convertAdaptiveAvgPool(Call &call) {
  size_t n = spatialDims(call);
  bool added = false;
  Value x = batched(call, n, added);
  SmallVector<DimAttr> size = outputSize(call, x, n);
  if (!call.failed())
    giveUnbatched(call, call.e.create<graph::AdaptiveAvgPoolOp>(x, call.e.dimArray(size)), added);
}

static void convertAdaptiveMaxPool(Call &call) {
  size_t n = spatialDims(call);
  bool added = false;
  Value x = batched(call, n, added);
  SmallVector<DimAttr> size = outputSize(call, x, n);
  if (call.failed())
    return;
  Operation *op = call.e.createOp<graph::AdaptiveMaxPoolWithIndicesOp>(x, call.e.dimArray(size));
  giveUnbatched(call, op ? op->getResult(0) : Value(), added);
  giveUnbatched(call, op ? op->getResult(1) : Value(), added);
}

void builder::addWindows(ConversionTable &table) {
  for (std::string n : {"1d", "2d", "3d"}) {
    table.add("aten::max_pool" + n, convertMaxPool);
    table.add("aten::max_pool" + n + "_with_indices", convertMaxPool);
    table.add("aten::avg_pool" + n, convertAvgPool);
    table.add("aten::adaptive_avg_pool" + n, convertAdaptiveAvgPool);
    table.add("aten::_adaptive_avg_pool" + n, convertAdaptiveAvgPool);
    table.add("aten::adaptive_max_pool" + n, convertAdaptiveMaxPool);
  }
}
