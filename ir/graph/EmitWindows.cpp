// One element of each pooling and resizing op: a fold over its window, or a weighted sum of neighbours.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using kernel::Mask;
using kernel::Monoid;
using scalar::Predicate;
using scalar::ScalarBuilder;

namespace {
/// The window of a result element: per spatial dim its extent, where it starts and steps in x, and which of its elements exist.
struct Window {
  SmallVector<DimAttr> extents;
  SmallVector<AffineExpr> start, end; // x positions: [start, end) where the extent is an upper bound; end null: all of it
  SmallVector<int64_t> step;
  SmallVector<bool> mayLeave; // whether positions may lie outside x
};
} // namespace

/// x's index of window element k, and the mask under which it exists.
static std::pair<SmallVector<AffineExpr>, Mask> locate(ElementEmitter &e, Value x, const Window &window, ArrayRef<AffineExpr> index,
                                                       ArrayRef<AffineExpr> k) {
  SmallVector<AffineExpr> point(index.take_front(2));
  Mask mask;
  auto require = [&](AffineExpr expression) {
    mask.expressions.push_back(expression);
    mask.isEquality.push_back(false);
  };
  for (size_t i = 0; i < k.size(); ++i) {
    point.push_back(window.start[i] + k[i] * window.step[i]);
    if (window.mayLeave[i]) {
      require(point.back());
      require(e.dim(graph::getDim(tensorType(x), i + 2)) - 1 - point.back());
    }
    if (window.end[i])
      require(window.end[i] - 1 - point.back());
  }
  return {point, mask};
}

static Value readWindow(ElementEmitter &e, Value x, const Window &window, ArrayRef<AffineExpr> index, ArrayRef<AffineExpr> k, double outside) {
  auto [point, mask] = locate(e, x, window, index, k);
  Type compute = scalar::computeType(tensorType(x).getElementType());
  return mask.empty() ? e.element(x, point) : e.maskedElement(x, point, mask, e.scalar().constant(outside, compute));
}

/// The value that no element is below, as a double that converts exactly.
static double lowest(Type element) {
  if (isa<FloatType>(element))
    return -std::numeric_limits<double>::infinity();
  unsigned width = element.getIntOrFloatBitWidth();
  return element.isUnsignedInteger() || width == 1 ? 0 : -std::ldexp(1.0, width - 1);
}

//===-- fixed windows ------------------------------------------------------------------===//

static Window fixedWindow(Value x, RankedTensorType result, ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                          ArrayRef<int64_t> dilation, ArrayRef<AffineExpr> index) {
  Window window;
  for (size_t i = 0; i < kernel.size(); ++i) {
    int64_t dilate = dilation.empty() ? 1 : dilation[i];
    window.extents.push_back(DimAttr::constant(x.getContext(), kernel[i]));
    window.start.push_back(index[i + 2] * stride[i] - padding[i]);
    window.end.push_back(AffineExpr());
    window.step.push_back(dilate);
    // The last window's last element, where both are known.
    DimAttr reach = (graph::getDim(result, i + 2) - 1) * stride[i] + (dilate * (kernel[i] - 1) - padding[i]), in = graph::getDim(tensorType(x), i + 2);
    bool inside = padding[i] == 0 && reach.isConstant() && in.isConstant() && reach.getValue() < in.getValue();
    window.mayLeave.push_back(!inside);
  }
  return window;
}

static Value emitMax(ElementEmitter &e, Operation *op, Value x, const Window &window, ArrayRef<AffineExpr> index) {
  double outside = lowest(tensorType(x).getElementType());
  return e.reduce(window.extents, {Monoid::max}, index, op,
                  [&](ArrayRef<AffineExpr> k) { return SmallVector<Value>{readWindow(e, x, window, index, k, outside)}; })[0];
}

/// Row-major position in x of the window's first element that exists, as i64.
static Value firstPosition(ElementEmitter &e, Value x, const Window &window) {
  ScalarBuilder &b = e.scalar();
  Value linear;
  for (size_t i = 0; i < window.start.size(); ++i) {
    Value start = e.indexValue(window.start[i]);
    if (window.mayLeave[i])
      start = b.select(b.compare(Predicate::lt, start, b.constantLike(0, start)), e.indexValue(window.start[i] % window.step[i]), start);
    linear = linear ? b.add(b.mul(linear, e.indexValue(e.dim(getDim(tensorType(x), i + 2)))), start) : start;
  }
  return linear;
}

/// Value (result 0) or row-major spatial position (1) of the first largest element. An element that doesn't exist is the lowest value at the position of the first that
/// does: it can only tie with that one, which then wins as it should.
static Value emitMaxWithPosition(ElementEmitter &e, Operation *op, Value x, const Window &window, ArrayRef<AffineExpr> index, unsigned result) {
  double outside = lowest(tensorType(x).getElementType());
  return e.reduce(window.extents, {Monoid::argmax}, index, op, [&](ArrayRef<AffineExpr> k) {
    auto [point, mask] = locate(e, x, window, index, k);
    AffineExpr linear = getAffineConstantExpr(0, e.getContext());
    for (size_t d = 2; d < point.size(); ++d)
      linear = linear * e.dim(getDim(tensorType(x), d)) + point[d];
    Value position = e.indexValue(linear);
    if (!mask.empty())
      position = e.scalar().select(e.holds(mask), position, firstPosition(e, x, window));
    return SmallVector<Value>{readWindow(e, x, window, index, k, outside), position};
  })[result];
}

Value MaxPoolOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitMax(e, *this, getX(), fixedWindow(getX(), getType(), getKernel(), getStride(), getPadding(), getDilation(), index), index);
}
Value MaxPoolWithIndicesOp::emitElement(ElementEmitter &e, unsigned result, ArrayRef<AffineExpr> index) {
  auto type = cast<RankedTensorType>(getResult().getType());
  return emitMaxWithPosition(e, *this, getX(), fixedWindow(getX(), type, getKernel(), getStride(), getPadding(), getDilation(), index), index, result);
}

/// How many elements of a pooling window count: as eager, all that lie in x and (with countPadding) its padding.
static Value countWindow(ElementEmitter &e, AvgPoolOp op, const Window &window) {
  ScalarBuilder &b = e.scalar();
  Value count;
  for (size_t i = 0; i < window.extents.size(); ++i) {
    AffineExpr extent = e.dim(graph::getDim(tensorType(op.getX()), i + 2));
    int64_t margin = op.getCountIncludePad() ? op.getPadding()[i] : 0;
    Value first = e.indexValue(window.start[i]), last = e.indexValue(window.start[i] + op.getKernel()[i]);
    first = b.max(first, b.constantLike(-margin, first));
    last = b.min(last, e.indexValue(extent + margin));
    Value here = b.sub(last, first);
    count = count ? b.mul(count, here) : here;
  }
  return count;
}

Value AvgPoolOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Window window = fixedWindow(getX(), getType(), getKernel(), getStride(), getPadding(), {}, index);
  Value sum = e.reduce(window.extents, {Monoid::sum}, index, getOperation(), [&](ArrayRef<AffineExpr> k) {
    return SmallVector<Value>{readWindow(e, getX(), window, index, k, 0)};
  })[0];
  bool whole = getCountIncludePad() ? !getCeilMode() : llvm::none_of(window.mayLeave, [](bool b) { return b; });
  int64_t product = 1;
  for (int64_t k : getKernel())
    product *= k;
  if (int64_t divisor = getDivisor() ? int64_t(getDivisor()) : whole ? product : 0)
    return e.scalar().div(sum, e.scalar().constantLike(double(divisor), sum));
  return e.scalar().div(sum, e.scalar().cast(countWindow(e, *this, window), sum.getType()));
}

//===-- adaptive windows ---------------------------------------------------------------===//

/// Window i of n over `in` elements: [floor(i in / n), ceil((i + 1) in / n)).
static Window adaptiveWindow(ElementEmitter &e, Value x, ArrayAttr outputSize, ArrayRef<AffineExpr> index) {
  Window window;
  for (auto [i, out] : llvm::enumerate(getDimArray(outputSize))) {
    DimAttr in = graph::getDim(tensorType(x), i + 2);
    AffineExpr n = e.dim(out), size = e.dim(in), position = index[i + 2];
    bool even = in.isConstant() && out.isConstant() && out.getValue() > 0 && in.getValue() % out.getValue() == 0;
    DimAttr longest = even ? DimAttr::constant(in.getContext(), in.getValue() / out.getValue())
                           : DimAttr::binary(DimKind::Min, in, DimAttr::binary(DimKind::CeilDiv, in, out) + 1);
    window.extents.push_back(longest);
    window.start.push_back(even ? position * longest.getValue() : (position * size).floorDiv(n));
    window.end.push_back(even ? AffineExpr() : ((position + 1) * size + n - 1).floorDiv(n));
    window.step.push_back(1);
    window.mayLeave.push_back(false);
  }
  return window;
}

Value AdaptiveAvgPoolOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Window window = adaptiveWindow(e, getX(), getOutputSize(), index);
  Value sum = e.reduce(window.extents, {Monoid::sum}, index, getOperation(), [&](ArrayRef<AffineExpr> k) {
    return SmallVector<Value>{readWindow(e, getX(), window, index, k, 0)};
  })[0];
  AffineExpr count = getAffineConstantExpr(1, getContext());
  Value uneven;
  for (size_t i = 0; i < window.extents.size(); ++i) {
    if (!window.end[i]) {
      count = count * e.dim(window.extents[i]);
      continue;
    }
    Value here = e.indexValue(window.end[i] - window.start[i]);
    uneven = uneven ? e.scalar().mul(uneven, here) : here;
  }
  Value even = e.scalar().constantLike(double(cast<AffineConstantExpr>(count).getValue()), sum);
  Value divisor = uneven ? e.scalar().mul(e.scalar().cast(uneven, sum.getType()), even) : even;
  return e.scalar().div(sum, divisor);
}
Value AdaptiveMaxPoolOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitMax(e, *this, getX(), adaptiveWindow(e, getX(), getOutputSize(), index), index);
}
Value AdaptiveMaxPoolWithIndicesOp::emitElement(ElementEmitter &e, unsigned result, ArrayRef<AffineExpr> index) {
  return emitMaxWithPosition(e, *this, getX(), adaptiveWindow(e, getX(), getOutputSize(), index), index, result);
}
