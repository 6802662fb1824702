// One element of each resizing op. Source coordinates are computed in floating point as eager computes them (ATen/native/UpSample.h), in f64 for f64 tensors and in f32
// for others, so that a coordinate that eager rounds over an integer is rounded over it here.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using scalar::Predicate;
using scalar::ScalarBuilder;

namespace {
/// One spatial dim of a resize.
struct Axis {
  ElementEmitter &e;
  DimAttr in, out;
  double givenScale; // 0: none given
  Type type;         // of coordinates

  Value number(double value) { return e.scalar().constant(value, type); }
  Value size(DimAttr dim, int64_t less) {
    if (dim.isConstant())
      return number(double(dim.getValue() - less));
    return e.scalar().cast(e.indexValue(e.dim(dim) - less), type);
  }
  /// Source elements per result element.
  Value scale(bool alignCorners) {
    ScalarBuilder &b = e.scalar();
    if (alignCorners)
      return isConstant(out, 1) ? number(0) : b.div(size(in, 1), size(out, 1));
    return givenScale > 0 ? number(1.0 / givenScale) : b.div(size(in, 0), size(out, 0));
  }
  /// The source coordinate of result position `position`.
  Value coordinate(AffineExpr position, bool alignCorners) {
    ScalarBuilder &b = e.scalar();
    Value i = b.cast(e.indexValue(position), type);
    if (alignCorners)
      return b.mul(scale(true), i);
    Value half = number(0.5);
    return b.sub(b.mul(scale(false), b.add(i, half)), half);
  }
  /// min(max(value, 0), in - 1) as an index; `value` is i64.
  AffineExpr clampedIndex(Value value) {
    ScalarBuilder &b = e.scalar();
    Value last = e.indexValue(e.dim(in) - 1);
    return e.checkIndex(b.min(b.max(value, b.constantLike(0, value)), last), in, /*wrapNegative=*/false);
  }
};
} // namespace

static Axis axisOf(ElementEmitter &e, Value x, ArrayAttr outputSize, ArrayRef<double> scales, unsigned i) {
  RankedTensorType type = tensorType(x);
  Type coordinates = type.getElementType().isF64() ? type.getElementType() : Type(Float32Type::get(x.getContext()));
  return {e, getDim(type, i + 2), cast<DimAttr>(outputSize[i]), scales.empty() ? 0 : scales[i], coordinates};
}

//===-- nearest ------------------------------------------------------------------------===//

/// out / in where it is an integer that the program's own scale agrees with: then the source is position floordiv it, without floating point.
static std::optional<int64_t> integralFactor(const Axis &axis) {
  if (!axis.in.isConstant() || !axis.out.isConstant() || axis.in.getValue() == 0 || axis.out.getValue() % axis.in.getValue() != 0)
    return std::nullopt;
  int64_t factor = axis.out.getValue() / axis.in.getValue();
  if (axis.givenScale > 0 && axis.givenScale != double(factor))
    return std::nullopt;
  return factor;
}

static bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

Value UpsampleNearestOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> source(index.take_front(2));
  for (unsigned i = 0; i < getOutputSize().size(); ++i) {
    Axis axis = axisOf(e, getX(), getOutputSize(), getScales(), i);
    std::optional<int64_t> factor = integralFactor(axis);
    if (factor && (isPowerOfTwo(*factor) || getExact())) {
      source.push_back(index[i + 2].floorDiv(*factor));
      continue;
    }
    ScalarBuilder &b = e.scalar();
    Value position = b.cast(e.indexValue(index[i + 2]), axis.type);
    if (getExact())
      position = b.add(position, axis.number(0.5));
    Value at = b.floor(b.mul(position, axis.scale(/*alignCorners=*/false)));
    source.push_back(axis.clampedIndex(b.cast(at, IntegerType::get(getContext(), 64))));
  }
  return e.element(getX(), source);
}

//===-- linear, bicubic -------------------------------------------------------------------===//

namespace {
/// Source elements along one dim with their weights.
struct Tap {
  AffineExpr index;
  Value weight;
};
} // namespace

/// The sum over all combinations of taps of x times the product of weights, innermost dim first.
static Value interpolate(ElementEmitter &e, Value x, ArrayRef<SmallVector<Tap>> taps, SmallVector<AffineExpr> &point) {
  size_t axis = point.size() - 2;
  if (axis == taps.size())
    return e.element(x, point);
  Value sum;
  for (const Tap &tap : taps[axis]) {
    point.push_back(tap.index);
    Value element = interpolate(e, x, taps, point);
    point.pop_back();
    Value term = e.scalar().mul(e.scalar().cast(element, tap.weight.getType()), tap.weight);
    sum = sum ? e.scalar().add(sum, term) : term;
  }
  return sum;
}

/// A resized element in x's compute type; integers round to nearest and saturate (uint8 images).
static Value finish(ElementEmitter &e, Value x, Value sum) {
  Type compute = scalar::computeType(tensorType(x).getElementType());
  if (isa<FloatType>(compute))
    return e.scalar().cast(sum, compute);
  ScalarBuilder &b = e.scalar();
  Value rounded = b.roundEven(sum);
  rounded = b.min(b.max(rounded, b.constantLike(0, rounded)), b.constantLike(255, rounded));
  return b.cast(rounded, compute);
}

static SmallVector<Tap> linearTaps(Axis axis, AffineExpr position, bool alignCorners) {
  ElementEmitter &e = axis.e;
  if (axis.in == axis.out && axis.givenScale == 0)
    return {{position, axis.number(1)}};
  ScalarBuilder &b = e.scalar();
  Type i64 = IntegerType::get(e.getContext(), 64);
  Value at = axis.coordinate(position, alignCorners);
  at = b.max(at, axis.number(0));
  Value floor = b.floor(at), low = b.cast(floor, i64);
  // Eager: the lower index is at most in - 1, and the weight of the upper one at most 1.
  Value last = e.indexValue(e.dim(axis.in) - 1);
  low = b.min(low, last);
  Value fraction = b.min(b.sub(at, b.cast(low, axis.type)), axis.number(1));
  Value high = b.add(low, b.constantLike(1, low));
  return {{axis.clampedIndex(low), b.sub(axis.number(1), fraction)}, {axis.clampedIndex(high), fraction}};
}

Value UpsampleLinearOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SmallVector<SmallVector<Tap>> taps;
  for (unsigned i = 0; i < getOutputSize().size(); ++i)
    taps.push_back(linearTaps(axisOf(e, getX(), getOutputSize(), getScales(), i), index[i + 2], getAlignCorners()));
  SmallVector<AffineExpr> point(index.take_front(2));
  return finish(e, getX(), interpolate(e, getX(), taps, point));
}

/// Weights of the elements at -1, 0, 1 and 2 from floor(coordinate), at distance t above it (Keys, a = -0.75).
static SmallVector<Value> cubicWeights(Axis axis, Value t) {
  ScalarBuilder &b = axis.e.scalar();
  const double a = -0.75;
  auto near = [&](Value x) { // ((a + 2) x - (a + 3)) x x + 1
    return b.add(b.mul(b.mul(b.sub(b.mul(axis.number(a + 2), x), axis.number(a + 3)), x), x), axis.number(1));
  };
  auto far = [&](Value x) { // ((a x - 5 a) x + 8 a) x - 4 a
    Value inner = b.add(b.mul(b.sub(b.mul(axis.number(a), x), axis.number(5 * a)), x), axis.number(8 * a));
    return b.sub(b.mul(inner, x), axis.number(4 * a));
  };
  Value one = axis.number(1), rest = b.sub(one, t);
  return {far(b.add(t, one)), near(t), near(rest), far(b.add(rest, one))};
}

static SmallVector<Tap> cubicTaps(Axis axis, AffineExpr position, bool alignCorners) {
  ScalarBuilder &b = axis.e.scalar();
  Value at = axis.coordinate(position, alignCorners), floor = b.floor(at);
  Value first = b.cast(floor, IntegerType::get(axis.e.getContext(), 64));
  SmallVector<Tap> taps;
  for (auto [i, weight] : llvm::enumerate(cubicWeights(axis, b.sub(at, floor))))
    taps.push_back({axis.clampedIndex(b.add(first, b.constantLike(double(i) - 1, first))), weight});
  return taps;
}

Value UpsampleBicubicOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SmallVector<SmallVector<Tap>> taps;
  for (unsigned i = 0; i < 2; ++i)
    taps.push_back(cubicTaps(axisOf(e, getX(), getOutputSize(), getScales(), i), index[i + 2], getAlignCorners()));
  SmallVector<AffineExpr> point(index.take_front(2));
  return finish(e, getX(), interpolate(e, getX(), taps, point));
}
