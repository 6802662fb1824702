// Windows as columns and back, and unpooling.
//
// `aten::im2col` is a strided view of the padded image; `aten::col2im` adds every kernel position's pixels at their places.
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
  if (call.failed() || lead < 1 || indices.rank() != x.rank() || indices.dtype() != ScalarType::I64)
    return call.fail("max_unpool needs i64 indices of the values' shape and one output size for each spatial dim");
  if (call.given("stride") && llvm::any_of(call.integers("stride", spatial), [](int64_t stride) { return stride < 1; }))
    return call.fail("max_unpool with a stride below 1");
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

void builder::addPatches(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"im2col", convertIm2col},
                                                      {"col2im", convertCol2im},
                                                      {"max_unpool2d", convertMaxUnpool},
                                                      {"max_unpool3d", convertMaxUnpool}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
