// Resizing images: by nearest elements, linearly, by cubics, with antialiasing.
//
// Output sizes of a resize by factors are floor(size * factor). Antialiased resizes and those of u8 images are products with a matrix of weights for each spatial dim,
// computed in f64. For u8 images the weights are rounded to 16-bit fixed point and the result of each of the two products to u8, as eager and Pillow do.
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"
#include "frontend/builder/Shapes.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

//===-- sizes ------------------------------------------------------------------------------------------===//

/// The factors given for the spatial dims, as a list or one by one; empty where there are none.
static std::vector<double> scaleFactors(Call &call, size_t n) {
  for (StringRef name : {"scale_factors", "scales"})
    if (call.given(name)) {
      std::vector<double> factors = call.numbers(name);
      if (factors.size() == 1)
        factors.resize(n, factors[0]);
      return factors;
    }
  static constexpr const char *names[] = {"scales_d", "scales_h", "scales_w"};
  std::vector<double> factors;
  for (size_t i = 3 - n; i < 3; ++i)
    if (call.given(names[i]))
      factors.push_back(call.number(names[i]));
  return factors.size() == n ? factors : std::vector<double>();
}

/// The sizes of the last n dims of x [n, c, spatial…]: the argument output_size, or by factors. Empty where the call has failed.
static SmallVector<DimAttr> resizedShape(Call &call, Value x, size_t n, ArrayRef<double> factors) {
  if (call.given("output_size"))
    return outputSize(call, x, n);
  SmallVector<DimAttr> result;
  for (size_t i = 0; i < n; ++i) {
    DimAttr size = call.e.dim(x, int64_t(i) + 2);
    double factor = i < factors.size() ? factors[i] : 0;
    if (!(factor > 0)) {
      call.fail("a resize needs an output size or positive factors");
      return {};
    }
    DimAttr scaled = size.isConstant() ? call.e.dim(int64_t(double(size.getValue()) * factor)) : scaledSize(call.run, "floor", size, factor, false);
    if (!scaled) {
      call.fail("a resize of a symbolic size by " + toText(Val(factor)));
      return {};
    }
    result.push_back(scaled);
  }
  return result;
}

//===-- matrices of weights ----------------------------------------------------------------------------===//

namespace {
/// One dim's resize, by a factor or (0) by the ratio of the sizes.
struct Resize {
  DimAttr in, out;
  double factor = 0;
  bool corners = false, isCubic = false, isAntialiased = false;
};
} // namespace

static Expr triangle(const Expr &x) { return max(1.0 - abs(x), 0.0); }
/// Keys' cubic.
static Expr cubic(const Expr &signedX, double a) {
  Expr x = abs(signedX);
  Expr near = polynomial(x, {1, 0, -(a + 3), a + 2}), far = polynomial(x, {-4 * a, 8 * a, -5 * a, a});
  return where(x <= 1.0, near, where(x < 2.0, far, 0.0));
}
static Expr filter(const Resize &r, const Expr &x) { return r.isCubic ? cubic(x, r.isAntialiased ? -0.5 : -0.75) : triangle(x); }

/// Input elements an output element apart, as a 0-d f64 tensor.
static Expr resizeScale(Call &call, const Resize &r) {
  auto asTensor = [&](DimAttr dim) { return Expr(call, call.e.dimTensor(dim, ScalarType::F64)); };
  if (r.corners) { // one output element: 0
    DimAttr one = call.e.dim(int64_t(1)), steps = DimAttr::select(graph::DimPredicate::Gt, r.out, one, r.out - 1, one);
    return asTensor(DimAttr::select(graph::DimPredicate::Gt, r.out, one, r.in - 1, call.e.dim(int64_t(0)))) / asTensor(steps);
  }
  return r.factor > 0 ? Expr(call, call.e.constant(ScalarType::F64, 1 / r.factor)) : asTensor(r.in) / asTensor(r.out);
}

/// Weights over all input elements in the filter's reach, which grows with the scale.
static Expr antialiasedMatrix(Call &call, const Resize &r) {
  Expr scale = resizeScale(call, r), stretch = max(scale, 1.0), support = stretch * (r.isCubic ? 2.0 : 1.0);
  Expr i = positions(call, r.out, 0, 2).cast(ScalarType::F64), j = positions(call, r.in, 1, 2).cast(ScalarType::F64);
  Expr center = (i + 0.5) * scale;
  Expr isInside = floor(center - support + 0.5) <= j && j < floor(center + support + 0.5);
  Expr weights = where(isInside, filter(r, (j - center + 0.5) / stretch), 0.0), total = sum(weights, {1}, true);
  return where(total == 0.0, weights, weights / total);
}

/// Weights of the two or four nearest input elements; those beyond an edge count for the element there.
static Expr nearestMatrix(Call &call, const Resize &r) {
  Expr i = positions(call, r.out, 0, 2).cast(ScalarType::F64), j = positions(call, r.in, 1, 2).cast(ScalarType::F64);
  Expr last(call, call.e.dimTensor(r.in - 1, ScalarType::F64)), scale = resizeScale(call, r);
  Expr at = r.corners ? i * scale : (i + 0.5) * scale - 0.5;
  at = r.isCubic ? at : max(at, 0.0);
  Expr low = min(floor(at), last), fraction = min(max(at - low, 0.0), 1.0), matrix = (i + j).like(0);
  int taps = r.isCubic ? 4 : 2;
  for (int k = 1 - taps / 2; k <= taps / 2; ++k)
    matrix = matrix + where(max(min(low + double(k), last), 0.0) == j, filter(r, double(k) - fraction), 0.0);
  return matrix;
}

/// [out, in] in f64.
static Expr resizeMatrix(Call &call, const Resize &r) { return r.isAntialiased ? antialiasedMatrix(call, r) : nearestMatrix(call, r); }

/// The largest power of two, up to 2^22, with which the weights stay below 2^15 after rounding; 0-d.
static Expr fixedPointScale(Call &call, const Expr &weights) {
  constexpr int64_t most = 22;
  SmallVector<Val> values;
  for (int64_t bits = 1; bits <= most; ++bits)
    values.push_back(double(int64_t(1) << bits));
  Expr powers(call, call.e.constant({most}, ScalarType::F64, values));
  Expr fits = floor(amax(weights, {0, 1}) * powers + 0.5) < 32768.0;
  return amax(where(fits, powers, 1.0), {0});
}

/// x (whole numbers in f64) times the transposed weights, or the weights times x, in fixed point and as u8 again.
static Expr multiplyFixedPoint(Call &call, const Expr &x, const Expr &weights, bool isLeft) {
  Expr scale = fixedPointScale(call, weights), rounded = sign(weights) * floor(abs(weights) * scale + 0.5);
  Expr product(call, isLeft ? matmul(call, rounded, x) : matmul(call, x, rounded.permute({1, 0})));
  return min(max(floor((product + scale * 0.5) / scale), 0.0), 255.0);
}

/// The last two dims of an image [n, c, h, w].
static void resizeByMatrices(Call &call, const Expr &x, ArrayRef<DimAttr> size, std::vector<double> factors, bool isCubic, bool isAntialiased) {
  factors.resize(2, 0);
  bool corners = call.boolean("align_corners", false);
  Expr rows = resizeMatrix(call, {x.dim(2), size[0], factors[0], corners, isCubic, isAntialiased});
  Expr columns = resizeMatrix(call, {x.dim(3), size[1], factors[1], corners, isCubic, isAntialiased});
  if (x.dtype() == ScalarType::U8) {
    Expr across = multiplyFixedPoint(call, x.cast(ScalarType::F64), columns, false);
    return call.give(multiplyFixedPoint(call, across, rows, true).cast(ScalarType::U8));
  }
  ScalarType type = wide(x.dtype());
  Expr across(call, matmul(call, x.cast(type), columns.cast(type).permute({1, 0})));
  call.give(Expr(call, matmul(call, rows.cast(type), across)).cast(x.dtype()));
}

static void convertAntialiased(Call &call) {
  Expr x = self(call);
  if (call.failed() || x.rank() != 4 || !(isFloat(x.dtype()) || x.dtype() == ScalarType::U8))
    return call.fail("antialiased resizing needs an image [n, c, h, w] of floats or u8");
  std::vector<double> factors = scaleFactors(call, 2);
  SmallVector<DimAttr> size = resizedShape(call, x, 2, factors);
  if (!call.failed())
    resizeByMatrices(call, x, size, factors, call.op().contains("bicubic"), true);
}

//===-- without antialiasing ---------------------------------------------------------------------------===//

static void resize(Call &call, size_t n, llvm::function_ref<Value(Value x, ArrayAttr size, ArrayRef<double> factors)> make) {
  Value x = call.value(call.first());
  if (!x || call.e.rank(x) != int64_t(n) + 2)
    return call.fail("a resize of " + Twine(n) + " dims needs an image of rank " + Twine(n + 2) + ", with batch and channels");
  std::vector<double> factors = scaleFactors(call, n);
  SmallVector<DimAttr> shape = resizedShape(call, x, n, factors);
  if (!call.failed())
    call.give(make(x, call.e.dimArray(shape), factors));
}

template <size_t n, bool isExact> static void convertNearest(Call &call) {
  resize(call, n, [&](Value x, ArrayAttr size, ArrayRef<double> factors) { return call.e.create<graph::UpsampleNearestOp>(x, size, factors, isExact); });
}

/// Whether x is an image of integers, of which eager resizes u8 with two spatial dims.
static bool isIntegerImage(Call &call, size_t n) {
  Value x = call.value(call.first());
  if (!x || isFloat(call.e.dtype(x)))
    return false;
  if (call.e.dtype(x) != ScalarType::U8 || n != 2 || call.e.rank(x) != 4)
    call.fail("a resize of integers needs a u8 image [n, c, h, w]");
  return true;
}

template <typename Op, size_t n> static void convertInterpolated(Call &call) {
  bool corners = call.boolean("align_corners", false);
  if (!isIntegerImage(call, n))
    return resize(call, n, [&](Value x, ArrayAttr size, ArrayRef<double> factors) { return call.e.create<Op>(x, size, factors, corners); });
  std::vector<double> factors = scaleFactors(call, n);
  Expr x = self(call);
  SmallVector<DimAttr> size = call.failed() ? SmallVector<DimAttr>() : resizedShape(call, x, n, factors);
  if (!call.failed())
    resizeByMatrices(call, x, size, factors, std::is_same_v<Op, graph::UpsampleBicubicOp>, false);
}

void builder::addResizes(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"upsample_nearest1d", convertNearest<1, false>},
                                                      {"upsample_nearest2d", convertNearest<2, false>},
                                                      {"upsample_nearest3d", convertNearest<3, false>},
                                                      {"_upsample_nearest_exact1d", convertNearest<1, true>},
                                                      {"_upsample_nearest_exact2d", convertNearest<2, true>},
                                                      {"_upsample_nearest_exact3d", convertNearest<3, true>},
                                                      {"upsample_linear1d", convertInterpolated<graph::UpsampleLinearOp, 1>},
                                                      {"upsample_bilinear2d", convertInterpolated<graph::UpsampleLinearOp, 2>},
                                                      {"upsample_trilinear3d", convertInterpolated<graph::UpsampleLinearOp, 3>},
                                                      {"upsample_bicubic2d", convertInterpolated<graph::UpsampleBicubicOp, 2>},
                                                      {"_upsample_bilinear2d_aa", convertAntialiased},
                                                      {"_upsample_bicubic2d_aa", convertAntialiased}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
