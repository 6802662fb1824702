// Windows as columns and back, unpooling, and resizing with antialiasing.
//
// `aten::im2col` is a strided view of the padded image; `aten::col2im` adds every kernel position's pixels at their places; an antialiased resize is a product with a
// matrix of weights for each spatial dim, computed in f64.
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"
#include "frontend/builder/Shapes.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

namespace {
struct Window {
  std::vector<int64_t> kernel, dilation, padding, stride;
  bool isBatched = true;
  DimAttr outputs(int64_t i, DimAttr size) const {
    return graph::floorDiv(size + (2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1), stride[i]) + 1;
  }
};
} // namespace

static Window windowOf(Call &call) {
  return {call.integers("kernel_size", 2), call.integers("dilation", 2), call.integers("padding", 2), call.integers("stride", 2)};
}

static Expr padded(Call &call, const Expr &x, ArrayRef<int64_t> padding) {
  SmallVector<DimAttr> around(x.rank(), call.e.dim(int64_t(0)));
  for (size_t i = 0; i < padding.size(); ++i)
    around[x.rank() - padding.size() + i] = call.e.dim(padding[i]);
  return {call, call.e.create<graph::PadOp>(Value(x), call.e.constant(x.dtype(), 0.0), call.e.dimArray(around), call.e.dimArray(around))};
}

/// [n, c, h, w] to [n, c kh kw, oh ow].
static void convertIm2col(Call &call) {
  Expr x = self(call);
  Window w = windowOf(call);
  if (call.failed() || x.rank() < 3 || x.rank() > 4)
    return call.fail("im2col needs an image [n, c, h, w] or [c, h, w]");
  bool isBatched = x.rank() == 4;
  x = isBatched ? x : x.unsqueeze(0);
  DimAttr oh = w.outputs(0, x.dim(2)), ow = w.outputs(1, x.dim(3));
  Expr p = padded(call, x, w.padding);
  SmallVector<DimAttr> rowMajor;
  contiguousStrides(p.dims(), rowMajor);
  DimAttr sizes[] = {p.dim(0), p.dim(1), call.e.dim(w.kernel[0]), call.e.dim(w.kernel[1]), oh, ow};
  DimAttr strides[] = {rowMajor[0], rowMajor[1], rowMajor[2] * w.dilation[0], rowMajor[3] * w.dilation[1], rowMajor[2] * w.stride[0], rowMajor[3] * w.stride[1]};
  Expr windows(call, call.e.create<graph::AsStridedOp>(Value(p), call.e.dimArray(sizes), call.e.dimArray(strides), call.e.dim(int64_t(0))));
  Expr columns = windows.reshape({x.dim(0), x.dim(1) * (w.kernel[0] * w.kernel[1]), oh * ow});
  call.give(isBatched ? columns : columns.squeeze(0));
}

/// [n, c kh kw, oh ow] to [n, c, h, w]: pixels that several windows have are summed.
static void convertCol2im(Call &call) {
  Expr x = self(call);
  std::vector<DimAttr> size = call.dims("output_size");
  Window w = windowOf(call);
  if (call.failed() || size.size() != 2 || x.rank() < 2 || x.rank() > 3 || w.kernel[0] * w.kernel[1] > 1024)
    return call.fail("col2im needs columns [n, c k, l] or [c k, l], two output sizes, and a kernel of at most 1024 elements");
  bool isBatched = x.rank() == 3;
  x = isBatched ? x : x.unsqueeze(0);
  int64_t area = w.kernel[0] * w.kernel[1];
  DimAttr oh = w.outputs(0, size[0]), ow = w.outputs(1, size[1]), channels = graph::floorDiv(x.dim(1), area), zero = call.e.dim(int64_t(0)), one = call.e.dim(int64_t(1));
  Expr windows = x.reshape({x.dim(0), channels, call.e.dim(area), oh, ow});
  DimAttr shape[] = {x.dim(0), channels, size[0] + 2 * w.padding[0], size[1] + 2 * w.padding[1]};
  Expr image = x.like(0).expand(shape);
  int64_t steps[] = {1, 1, w.stride[0], w.stride[1]};
  for (int64_t k = 0; k < area; ++k) {
    DimAttr starts[] = {zero, zero, call.e.dim(k / w.kernel[1] * w.dilation[0]), call.e.dim(k % w.kernel[1] * w.dilation[1])};
    Expr pixels = windows.slice(2, call.e.dim(k), one).squeeze(2);
    Expr placed(call, call.e.create<graph::SliceScatterOp>(Value(x.like(0).expand(shape)), Value(pixels), call.e.dimArray(starts), ArrayRef<int64_t>(steps)));
    image = k ? image + placed : placed;
  }
  Expr result = image.slice(2, call.e.dim(w.padding[0]), size[0]).slice(3, call.e.dim(w.padding[1]), size[1]);
  call.give(isBatched ? result : result.squeeze(0));
}

/// Values put at their row-major positions in planes of zeros; the last of equal positions wins.
static void convertMaxUnpool(Call &call) {
  Expr x = self(call), indices(call, call.value("indices"));
  std::vector<DimAttr> size = call.dims("output_size");
  int64_t spatial = int64_t(size.size()), lead = x.rank() - spatial;
  if (call.failed() || lead < 1 || indices.rank() != x.rank())
    return call.fail("max_unpool needs indices of the values' shape and one output size for each spatial dim");
  SmallVector<DimAttr> flat, planes, shape;
  DimAttr count = call.e.dim(int64_t(1)), total = count;
  for (int64_t d = 0; d < lead; ++d)
    flat.push_back(x.dim(d));
  planes = shape = flat;
  for (int64_t d = 0; d < spatial; ++d) {
    count = count * x.dim(lead + d);
    total = total * size[d];
    shape.push_back(size[d]);
  }
  flat.push_back(count);
  planes.push_back(total);
  Value written = call.e.create<graph::ScatterOp>(Value(x.like(0).expand(planes)), Value(indices.reshape(flat)), Value(x.reshape(flat)), lead,
                                                  graph::ScatterReduce::none, false);
  call.give(call.e.reshape(written, shape));
}

//===-- resizing with antialiasing ------------------------------------------------------------------------===//

static Expr triangle(const Expr &x) { return max(1.0 - abs(x), 0.0); }
/// Keys' cubic with a = -0.5.
static Expr cubic(const Expr &signedX) {
  Expr x = abs(signedX);
  Expr near = polynomial(x, {1, 0, -2.5, 1.5}), far = polynomial(x, {2, -4, 2.5, -0.5});
  return where(x <= 1.0, near, where(x < 2.0, far, 0.0));
}

namespace {
struct Resize {
  DimAttr in, out;
  double factor = 0; // 0: the ratio of the sizes
  bool corners = false, isCubic = false;
};
} // namespace

/// Input elements an output element apart, as a 0-d f64 tensor.
static Expr resizeScale(Call &call, const Resize &r) {
  auto asTensor = [&](DimAttr dim) { return Expr(call, call.e.dimTensor(dim, ScalarType::F64)); };
  if (r.corners) { // one output element: 0
    DimAttr one = call.e.dim(int64_t(1)), steps = DimAttr::select(graph::DimPredicate::Gt, r.out, one, r.out - 1, one);
    return asTensor(DimAttr::select(graph::DimPredicate::Gt, r.out, one, r.in - 1, call.e.dim(int64_t(0)))) / asTensor(steps);
  }
  return r.factor > 0 ? Expr(call, call.e.constant(ScalarType::F64, 1 / r.factor)) : asTensor(r.in) / asTensor(r.out);
}

/// [out, in] in f64: weights of the input elements for each output element, as Pillow and eager choose them.
static Expr resizeMatrix(Call &call, const Resize &r) {
  Expr scale = resizeScale(call, r), stretch = max(scale, 1.0), support = stretch * (r.isCubic ? 2.0 : 1.0);
  Expr i = positions(call, r.out, 0, 2).cast(ScalarType::F64), j = positions(call, r.in, 1, 2).cast(ScalarType::F64);
  Expr center = (i + 0.5) * scale;
  Expr isInside = floor(center - support + 0.5) <= j && j < floor(center + support + 0.5);
  Expr distance = (j - center + 0.5) / stretch;
  Expr weights = where(isInside, r.isCubic ? cubic(distance) : triangle(distance), 0.0), total = sum(weights, {1}, true);
  return where(total == 0.0, weights, weights / total);
}

static void convertAntialiased(Call &call) {
  Expr x = self(call);
  if (call.failed() || x.rank() != 4 || !isFloat(x.dtype()))
    return call.fail("antialiased resizing needs a float image [n, c, h, w]");
  std::vector<double> factors = call.given("scale_factors") ? call.numbers("scale_factors") : std::vector<double>();
  if (call.given("scales_h") && call.given("scales_w"))
    factors = {call.number("scales_h"), call.number("scales_w")};
  SmallVector<DimAttr> size = resizedShape(call, x, 2, factors);
  if (call.failed())
    return;
  factors.resize(2, 0);
  bool corners = call.boolean("align_corners", false), isCubic = call.op().contains("bicubic");
  ScalarType type = wide(x.dtype());
  Expr rows = resizeMatrix(call, {x.dim(2), size[0], factors[0], corners, isCubic}).cast(type);
  Expr columns = resizeMatrix(call, {x.dim(3), size[1], factors[1], corners, isCubic}).cast(type).permute({1, 0});
  Expr across(call, matmul(call, x.cast(type), columns));
  Expr result(call, matmul(call, rows, across));
  call.give(result.cast(x.dtype()));
}

void builder::addPatches(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"im2col", convertIm2col},
                                                      {"col2im", convertCol2im},
                                                      {"max_unpool2d", convertMaxUnpool},
                                                      {"max_unpool3d", convertMaxUnpool},
                                                      {"_upsample_bilinear2d_aa", convertAntialiased},
                                                      {"_upsample_bicubic2d_aa", convertAntialiased}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
