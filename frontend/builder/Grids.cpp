// Sampling images at coordinates that are data: grid_sampler in 2 and 3 dims, and the grids of affine maps.
//
// The value at a coordinate is the sum over the elements around it of a weight times a gathered element; elements outside count as zeros, or the coordinate is moved
// inside first (padding modes border and reflection).
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

namespace {
enum class Interpolation { Linear, Nearest, Cubic };
enum class Padding { Zeros, Border, Reflection };

/// One spatial dim: its size as a number of the coordinates' dtype, and how coordinates outside are treated.
struct Axis {
  DimAttr size;
  Padding padding;
  bool corners;
};
/// An element along one axis: its position (i64, in bounds), its weight, and whether it exists.
struct Tap {
  Expr position, weight, exists;
};
} // namespace

static Expr sizeOf(const Axis &axis, const Expr &like) { return {like.owner(), like.owner().e.dimTensor(axis.size, like.dtype())}; }

/// From [-1, 1] to elements.
static Expr toElements(const Axis &axis, const Expr &x) {
  Expr size = sizeOf(axis, x);
  return axis.corners ? (x + 1.0) * 0.5 * (size - 1.0) : ((x + 1.0) * size - 1.0) * 0.5;
}

static Expr clipped(const Axis &axis, const Expr &x) { return min(max(x, 0.0), sizeOf(axis, x) - 1.0); }

/// Mirrored at the edges: between elements' centres with corners, else at the outer borders.
static Expr reflected(const Axis &axis, const Expr &x) {
  Expr size = sizeOf(axis, x), span = axis.corners ? size - 1.0 : size;
  double low = axis.corners ? 0 : -0.5;
  Expr distance = abs(x - low), safe = max(span, axis.corners ? 1.0 : 0.0);
  Expr rest(x.owner(), x.owner().e.create<graph::FmodOp>(Value(distance), Value(safe.expand(distance.dims()))));
  Expr isEven = remainder(floor(distance / safe), 2.0) == 0.0;
  Expr inside = where(isEven, rest + low, span - rest + low);
  return axis.corners ? where((span == 0.0).expand(x.dims()), 0.0, inside) : inside;
}

/// The coordinate moved inside, as the padding mode says.
static Expr moved(const Axis &axis, const Expr &x) {
  if (axis.padding == Padding::Zeros)
    return x;
  return clipped(axis, axis.padding == Padding::Reflection ? reflected(axis, x) : x);
}

/// The element at an integral coordinate.
static Tap tapAt(const Axis &axis, const Expr &at, const Expr &weight) {
  Expr exists = at >= 0.0 && at <= sizeOf(axis, at) - 1.0, position = where(exists, at, 0.0);
  return {position.cast(ScalarType::I64), weight, exists};
}

static SmallVector<Tap> taps(const Axis &axis, const Expr &coordinate, Interpolation interpolation) {
  Expr at = toElements(axis, coordinate);
  if (interpolation == Interpolation::Nearest)
    return {tapAt(axis, round(moved(axis, at)), at.like(1))};
  if (interpolation == Interpolation::Linear) {
    Expr x = moved(axis, at), low = floor(x), upper = x - low;
    return {tapAt(axis, low, 1.0 - upper), tapAt(axis, low + 1.0, upper)};
  }
  // Keys' cubic, a = -0.75; each of the four elements is moved inside on its own.
  const double a = -0.75;
  Expr low = floor(at), t = at - low, rest = 1.0 - t;
  auto near = [&](const Expr &x) { return ((a + 2) * x - (a + 3)) * x * x + 1.0; };
  auto far = [&](const Expr &x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  Expr weights[] = {far(t + 1.0), near(t), near(rest), far(rest + 1.0)};
  SmallVector<Tap> result;
  for (int i = 0; i < 4; ++i)
    result.push_back(tapAt(axis, moved(axis, low + double(i - 1)), weights[i]));
  return result;
}

namespace {
struct Sampler {
  Expr planes; // [n, c, elements]
  SmallVector<Axis> axes;
  SmallVector<SmallVector<Tap>> taps; // for each axis
  ScalarType type;

  /// The sum over all combinations of taps of the axes from `axis` on.
  Expr sum(size_t axis, const Expr &position, const Expr &weight, const Expr &exists) const {
    if (axis == axes.size()) {
      Call &call = planes.owner();
      Expr index = position.unsqueeze(1); // [n, 1, points]
      SmallVector<DimAttr> shape = index.dims();
      shape[1] = planes.dim(1);
      Expr element = gather(planes, index.expand(shape), 2);
      return where(exists.unsqueeze(1), element, 0.0) * Expr(call, weight).unsqueeze(1);
    }
    std::optional<Expr> total;
    for (const Tap &tap : taps[axis]) {
      Expr size(position.owner(), position.owner().e.dimTensor(axes[axis].size, ScalarType::I64));
      Expr term = sum(axis + 1, position * size + tap.position, weight * tap.weight, exists && tap.exists);
      total = total ? *total + term : term;
    }
    return *total;
  }
};
} // namespace

/// input [n, c, spatial…], grid [n, out…, dims], whose last dim lists coordinates from the innermost dim out.
static void convertGridSampler(Call &call) {
  Expr x(call, call.value("input")), grid(call, call.value("grid"));
  int64_t spatial = x.rank() - 2, mode = call.integer("interpolation_mode"), padding = call.integer("padding_mode");
  if (call.failed() || (spatial != 2 && spatial != 3) || grid.rank() != x.rank() || mode < 0 || mode > 2 || padding < 0 || padding > 2)
    return call.fail("grid_sampler needs an input [n, c, (d,) h, w] and a grid of the same rank");
  if (mode == 2 && spatial == 3)
    return call.fail("bicubic sampling of volumes (eager refuses it too)");
  ScalarType type = wide(x.dtype());
  DimAttr points = call.e.dim(int64_t(1)), elements = points, one = points;
  SmallVector<DimAttr> shape{x.dim(0), x.dim(1)};
  for (int64_t d = 0; d < spatial; ++d) {
    points = points * grid.dim(1 + d);
    elements = elements * x.dim(2 + d);
    shape.push_back(grid.dim(1 + d));
  }
  Sampler sampler{x.cast(type).reshape({x.dim(0), x.dim(1), elements}), {}, {}, type};
  Expr coordinates = grid.cast(type).reshape({grid.dim(0), points, call.e.dim(spatial)});
  for (int64_t d = 0; d < spatial; ++d) {
    sampler.axes.push_back({x.dim(2 + d), Padding(padding), call.boolean("align_corners", false)});
    Expr along = coordinates.slice(2, call.e.dim(spatial - 1 - d), one).squeeze(2);
    sampler.taps.push_back(taps(sampler.axes.back(), along, Interpolation(mode)));
  }
  Expr start(call, call.e.constant(ScalarType::I64, 0.0)), always(call, call.e.constant(ScalarType::Bool, 1.0)), weight(call, call.e.constant(type, 1.0));
  call.give(sampler.sum(0, start, weight, always).reshape(shape).cast(x.dtype()));
}

/// theta [n, d, d + 1] times the coordinates of every element: [n, spatial…, d].
static void convertAffineGrid(Call &call) {
  Expr theta(call, call.value("theta"));
  std::vector<DimAttr> size = call.dims("size");
  bool corners = call.boolean("align_corners", false);
  int64_t spatial = int64_t(size.size()) - 2;
  if (call.failed() || theta.rank() != 3 || (spatial != 2 && spatial != 3))
    return call.fail("affine_grid_generator needs [n, d, d + 1] matrices and a size [n, c, (d,) h, w]");
  SmallVector<DimAttr> shape(size.begin() + 2, size.end());
  shape.push_back(call.e.dim(int64_t(1)));
  SmallVector<Value> parts;
  DimAttr points = call.e.dim(int64_t(1));
  for (int64_t d = spatial - 1; d >= 0; --d) { // the innermost dim's coordinate first
    Expr i = positions(call, size[2 + d], d, spatial + 1).cast(theta.dtype()), count(call, call.e.dimTensor(size[2 + d], theta.dtype()));
    Expr last = max(count - 1.0, 1.0), x = corners ? i * 2.0 / last - 1.0 : (i * 2.0 + 1.0) / count - 1.0;
    x = corners ? where((count == 1.0).expand(x.dims()), 0.0, x) : x;
    parts.push_back(x.expand(shape));
    points = points * size[2 + d];
  }
  parts.push_back(theta.like(1).expand(shape));
  Expr base = Expr(call, call.e.concat(parts, spatial)).reshape({points, call.e.dim(spatial + 1)});
  Expr grid(call, matmul(call, base, theta.permute({0, 2, 1})));
  SmallVector<DimAttr> result{size[0]};
  result.append(size.begin() + 2, size.end());
  result.push_back(call.e.dim(spatial));
  call.give(grid.reshape(result));
}

void builder::addGrids(ConversionTable &table) {
  table.add("aten::grid_sampler", convertGridSampler);
  table.add("aten::grid_sampler_2d", convertGridSampler);
  table.add("aten::grid_sampler_3d", convertGridSampler);
  table.add("aten::affine_grid_generator", convertAffineGrid);
}
