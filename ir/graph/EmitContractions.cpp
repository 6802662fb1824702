// Contractions as sums of products: their description for kernel.contract, and one element for where no contraction kernel serves.
#include "ir/graph/Contractions.h"
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ContractionSpec;
using kernel::ElementEmitter;
using kernel::Mask;
using kernel::Monoid;

/// The product of the two operands' elements at (grid…, m…, k…) and (grid…, n…, k…), summed over k, then the op's tail at `index`.
static Value emitSumOfProducts(ElementEmitter &e, Operation *op, const ContractionSpec &spec, ArrayRef<AffineExpr> grid, ArrayRef<AffineExpr> m,
                               ArrayRef<AffineExpr> n, ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> symbols; // maps are symbol-free: sizes are in the specification's own expressions
  auto at = [&](AffineExpr expression, ArrayRef<AffineExpr> dims) { return expression.replaceDimsAndSymbols(dims, symbols); };
  Value acc = e.reduce(spec.k, {Monoid::sum}, index, op, [&](ArrayRef<AffineExpr> k) {
    SmallVector<AffineExpr> lhsDims(grid), rhsDims(grid), lhs, rhs;
    lhsDims.append(m.begin(), m.end());
    rhsDims.append(n.begin(), n.end());
    lhsDims.append(k.begin(), k.end());
    rhsDims.append(k.begin(), k.end());
    for (AffineExpr expression : spec.lhsMap.getResults())
      lhs.push_back(at(expression, lhsDims));
    for (AffineExpr expression : spec.rhsMap.getResults())
      rhs.push_back(at(expression, rhsDims));
    Mask mask = spec.lhsMask;
    for (AffineExpr &expression : mask.expressions)
      expression = at(expression, lhsDims);
    Value zero = e.scalar().constant(0, scalar::computeType(tensorType(spec.lhs).getElementType()));
    Value left = mask.empty() ? e.element(spec.lhs, lhs) : e.maskedElement(spec.lhs, lhs, mask, zero);
    return SmallVector<Value>{e.scalar().mul(left, e.element(spec.rhs, rhs))};
  })[0];
  return cast<ContractionOpInterface>(op).emitTail(e, acc, index);
}

//===-- linear, matmul ---------------------------------------------------------------===//

ContractionSpec LinearOp::getContraction() {
  SmallVector<DimAttr> dims = graph::getDims(tensorType(getX()));
  ContractionSpec spec;
  spec.lhs = getX();
  spec.rhs = getWeight();
  spec.m.assign(dims.begin(), dims.end() - 1);
  spec.n = {graph::getDim(tensorType(getWeight()), 0)};
  spec.k = {dims.back()};
  spec.lhsMap = AffineMap::getMultiDimIdentityMap(dims.size(), getContext());
  spec.rhsMap = AffineMap::getMultiDimIdentityMap(2, getContext());
  spec.resultMap = AffineMap::getMultiDimIdentityMap(dims.size(), getContext());
  return spec;
}

Value LinearOp::emitTail(ElementEmitter &e, Value acc, ArrayRef<AffineExpr> index) {
  return getBias() ? e.scalar().add(acc, e.element(getBias(), index.take_back(1))) : acc;
}

Value LinearOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitSumOfProducts(e, *this, getContraction(), {}, index.drop_back(1), index.take_back(1), index);
}

ContractionSpec MatmulOp::getContraction() {
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs()), result = getType();
  unsigned batch = result.getRank() - 2;
  MLIRContext *context = getContext();
  ContractionSpec spec;
  spec.lhs = getLhs();
  spec.rhs = getRhs();
  SmallVector<DimAttr> dims = graph::getDims(result);
  spec.grid.assign(dims.begin(), dims.end() - 2);
  spec.m = {dims[batch]};
  spec.n = {dims[batch + 1]};
  spec.k = {graph::getDim(lhs, lhs.getRank() - 1)};
  // Batch dims of an operand: the last ones of the grid, 0 where the operand's size is 1.
  auto map = [&](RankedTensorType type, unsigned row, unsigned column) {
    SmallVector<AffineExpr> grid;
    for (unsigned d = 0; d < batch; ++d)
      grid.push_back(getAffineDimExpr(d, context));
    SmallVector<DimAttr> operand = graph::getDims(type);
    SmallVector<AffineExpr> index(grid.end() - (operand.size() - 2), grid.end());
    for (auto [dim, expression] : llvm::zip(operand, index))
      if (isConstant(dim, 1))
        expression = getAffineConstantExpr(0, context);
    index.append({getAffineDimExpr(row, context), getAffineDimExpr(column, context)});
    return AffineMap::get(batch + 2, 0, index, context);
  };
  spec.lhsMap = map(lhs, batch, batch + 1);
  spec.rhsMap = map(rhs, batch + 1, batch);
  spec.resultMap = AffineMap::getMultiDimIdentityMap(batch + 2, context);
  return spec;
}

Value MatmulOp::emitTail(ElementEmitter &, Value acc, ArrayRef<AffineExpr>) { return acc; }

Value MatmulOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  ArrayRef<AffineExpr> last = index.take_back(2);
  return emitSumOfProducts(e, *this, getContraction(), index.drop_back(2), last.take_front(1), last.take_back(1), index);
}

//===-- convolution --------------------------------------------------------------------===//

namespace {
/// The index space of a convolution's description: grid [groups], m [n, out spatial…], n [outputs per group], k [kernel spatial…, channels per group].
struct ConvolutionDims {
  MLIRContext *context;
  unsigned spatial;

  AffineExpr d(unsigned i) const { return getAffineDimExpr(i, context); }
  AffineExpr group() const { return d(0); }
  AffineExpr sample() const { return d(1); }
  AffineExpr out(unsigned i) const { return d(2 + i); }
  AffineExpr lhsKernel(unsigned i) const { return d(2 + spatial + i); }
  AffineExpr lhsChannel() const { return d(2 + 2 * spatial); }
  AffineExpr rhsOutput() const { return d(1); }
  AffineExpr rhsKernel(unsigned i) const { return d(2 + i); }
  AffineExpr rhsChannel() const { return d(2 + spatial); }
};
} // namespace

/// The extent of a dim that maps take as a number: descriptions hold it in an affine expression, so it must be constant.
static int64_t constantOf(DimAttr dim, const char *what) {
  GRAPHC_CHECK(dim.isConstant(), what);
  return dim.getValue();
}

static Value addChannelBias(ElementEmitter &e, Value bias, Value acc, ArrayRef<AffineExpr> index) {
  return bias ? e.scalar().add(acc, e.element(bias, index.slice(1, 1))) : acc;
}

/// The extents and the result's map, which a convolution and its transpose share; `channels` is the sum's channel extent.
static ContractionSpec describe(Value x, Value weight, RankedTensorType result, int64_t groups, int64_t outputs, DimAttr channels) {
  ConvolutionDims at{x.getContext(), unsigned(result.getRank() - 2)};
  SmallVector<DimAttr> dims = graph::getDims(result);
  ContractionSpec spec;
  spec.lhs = x;
  spec.rhs = weight;
  spec.grid = {DimAttr::constant(at.context, groups)};
  spec.m = {dims[0]};
  spec.m.append(dims.begin() + 2, dims.end());
  spec.n = {DimAttr::constant(at.context, outputs)};
  for (unsigned i = 0; i < at.spatial; ++i)
    spec.k.push_back(graph::getDim(tensorType(weight), 2 + i));
  spec.k.push_back(channels);
  SmallVector<AffineExpr> resultIndex = {at.sample(), at.group() * outputs + at.d(2 + at.spatial)};
  for (unsigned i = 0; i < at.spatial; ++i)
    resultIndex.push_back(at.out(i));
  spec.resultMap = AffineMap::get(3 + at.spatial, 0, resultIndex, at.context);
  return spec;
}

ContractionSpec ConvolutionOp::getContraction() {
  RankedTensorType x = tensorType(getX()), weight = tensorType(getWeight());
  ConvolutionDims at{getContext(), unsigned(x.getRank() - 2)};
  int64_t groups = getGroups(), outputs = constantOf(graph::getDim(weight, 0), "a convolution's output channels are constant") / groups;
  int64_t channels = constantOf(graph::getDim(weight, 1), "a convolution's weight channels are constant");
  ContractionSpec spec = describe(getX(), getWeight(), getType(), groups, outputs, graph::getDim(weight, 1));
  SmallVector<AffineExpr> lhs = {at.sample(), at.group() * channels + at.lhsChannel()}, rhs = {at.group() * outputs + at.rhsOutput(), at.rhsChannel()};
  for (unsigned i = 0; i < at.spatial; ++i) {
    int64_t padding = getPadding()[i];
    lhs.push_back(at.out(i) * getStride()[i] + at.lhsKernel(i) * getDilation()[i] - padding);
    rhs.push_back(at.rhsKernel(i));
    if (padding > 0) {
      int64_t extent = constantOf(graph::getDim(x, 2 + i), "a padded convolution's spatial dims are constant");
      spec.lhsMask.expressions.append({lhs.back(), getAffineConstantExpr(extent - 1, getContext()) - lhs.back()});
      spec.lhsMask.isEquality.append({false, false});
    }
  }
  spec.lhsMap = AffineMap::get(3 + 2 * at.spatial, 0, lhs, getContext());
  spec.rhsMap = AffineMap::get(3 + at.spatial, 0, rhs, getContext());
  return spec;
}

Value ConvolutionOp::emitTail(ElementEmitter &e, Value acc, ArrayRef<AffineExpr> index) { return addChannelBias(e, getBias(), acc, index); }

/// One element of a convolution or its transpose, given its description.
static Value emitConvolutionElement(ElementEmitter &e, Operation *op, const ContractionSpec &spec, ArrayRef<AffineExpr> index) {
  int64_t outputs = spec.n[0].getValue();
  SmallVector<AffineExpr> m = {index[0]};
  m.append(index.begin() + 2, index.end());
  return emitSumOfProducts(e, op, spec, {index[1].floorDiv(outputs)}, m, {index[1] % outputs}, index);
}
Value ConvolutionOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitConvolutionElement(e, *this, getContraction(), index);
}

bool graph::hasDisjointWindows(ConvTransposeOp op) {
  RankedTensorType weight = tensorType(op.getWeight());
  for (unsigned i = 0; i + 2 < weight.getRank(); ++i)
    if (weight.isDynamicDim(2 + i) || weight.getDimSize(2 + i) != op.getStride()[i] || op.getPadding()[i] != 0 || op.getOutputPadding()[i] != 0 ||
        op.getDilation()[i] != 1)
      return false;
  return true;
}

/// A transposed convolution over disjoint windows: m [n, spatial of x…], n [kernel spatial…, outputs per group], k [channels per group].
static ContractionSpec describeDisjointWindows(ConvTransposeOp op) {
  RankedTensorType x = tensorType(op.getX()), weight = tensorType(op.getWeight());
  MLIRContext *context = op.getContext();
  unsigned spatial = x.getRank() - 2;
  int64_t groups = op.getGroups(), outputs = constantOf(graph::getDim(weight, 1), "a transposed convolution's output channels are constant");
  int64_t channels = constantOf(graph::getDim(weight, 0), "a transposed convolution's weight channels are constant") / groups;
  auto d = [&](unsigned i) { return getAffineDimExpr(i, context); };
  ContractionSpec spec;
  spec.lhs = op.getX();
  spec.rhs = op.getWeight();
  spec.grid = {DimAttr::constant(context, groups)};
  spec.m = {graph::getDim(x, 0)};
  spec.k = {DimAttr::constant(context, channels)};
  SmallVector<AffineExpr> lhs = {d(1), d(0) * channels + d(2 + spatial)}, rhs = {d(0) * channels + d(2 + spatial), d(1 + spatial)};
  SmallVector<AffineExpr> result = {d(1), d(0) * outputs + d(2 + 2 * spatial)};
  for (unsigned i = 0; i < spatial; ++i) {
    spec.m.push_back(graph::getDim(x, 2 + i));
    spec.n.push_back(graph::getDim(weight, 2 + i));
    lhs.push_back(d(2 + i));
    rhs.push_back(d(1 + i));
    result.push_back(d(2 + i) * op.getStride()[i] + d(2 + spatial + i));
  }
  spec.n.push_back(DimAttr::constant(context, outputs));
  spec.lhsMap = AffineMap::get(3 + spatial, 0, lhs, context);
  spec.rhsMap = AffineMap::get(3 + spatial, 0, rhs, context);
  spec.resultMap = AffineMap::get(3 + 2 * spatial, 0, result, context);
  return spec;
}

/// Any transposed convolution, element by element of the result: taps that fall between elements of x are masked.
static ContractionSpec describeTransposed(ConvTransposeOp op) {
  RankedTensorType x = tensorType(op.getX()), weight = tensorType(op.getWeight());
  ConvolutionDims at{op.getContext(), unsigned(x.getRank() - 2)};
  int64_t groups = op.getGroups(), outputs = constantOf(graph::getDim(weight, 1), "a transposed convolution's output channels are constant");
  int64_t channels = constantOf(graph::getDim(weight, 0), "a transposed convolution's weight channels are constant") / groups;
  ContractionSpec spec = describe(op.getX(), op.getWeight(), op.getType(), groups, outputs, DimAttr::constant(op.getContext(), channels));
  SmallVector<AffineExpr> lhs = {at.sample(), at.group() * channels + at.lhsChannel()}, rhs = {at.group() * channels + at.rhsChannel(), at.rhsOutput()};
  for (unsigned i = 0; i < at.spatial; ++i) {
    // Result position p comes from x at q where q * stride + kernel * dilation - padding = p.
    int64_t stride = op.getStride()[i], extent = constantOf(graph::getDim(x, 2 + i), "a transposed convolution's spatial dims are constant");
    AffineExpr scaled = at.out(i) + op.getPadding()[i] - at.lhsKernel(i) * op.getDilation()[i];
    lhs.push_back(scaled.floorDiv(stride));
    rhs.push_back(at.rhsKernel(i));
    spec.lhsMask.expressions.append({scaled, getAffineConstantExpr((extent - 1) * stride, op.getContext()) - scaled});
    spec.lhsMask.isEquality.append({false, false});
    if (stride > 1) {
      spec.lhsMask.expressions.push_back(scaled % stride);
      spec.lhsMask.isEquality.push_back(true);
    }
  }
  spec.lhsMap = AffineMap::get(3 + 2 * at.spatial, 0, lhs, op.getContext());
  spec.rhsMap = AffineMap::get(3 + at.spatial, 0, rhs, op.getContext());
  return spec;
}

ContractionSpec ConvTransposeOp::getContraction() { return hasDisjointWindows(*this) ? describeDisjointWindows(*this) : describeTransposed(*this); }

Value ConvTransposeOp::emitTail(ElementEmitter &e, Value acc, ArrayRef<AffineExpr> index) { return addChannelBias(e, getBias(), acc, index); }
Value ConvTransposeOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  return emitConvolutionElement(e, *this, describeTransposed(*this), index);
}
