// Softmax and the norms: result types, and one element from row statistics.
#include "ir/graph/Moments.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using kernel::Monoid;

//===-- result types -----------------------------------------------------------===//

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  types.push_back(a.getX().getType());
  return checkDim(loc, a.getDim(), tensorType(a.getX()).getRank());
}
LogicalResult LogSoftmaxOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  types.push_back(a.getX().getType());
  return checkDim(loc, a.getDim(), tensorType(a.getX()).getRank());
}

/// Fails unless `parameter` (may be null) has the given shape and x's element type.
static LogicalResult checkParameter(OptionalLoc loc, StringRef name, Value parameter, ArrayRef<DimAttr> shape, RankedTensorType x) {
  if (!parameter)
    return success();
  RankedTensorType type = tensorType(parameter);
  if (graph::getDims(type) == SmallVector<DimAttr>(shape) && type.getElementType() == x.getElementType())
    return success();
  return emitOptionalError(loc, name, " is ", type, ", expected shape ", dimsText(shape), " of ", x.getElementType());
}

static LogicalResult inferOverLast(OptionalLoc loc, Value x, Value weight, Value bias, int64_t normalized, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(x);
  if (normalized < 1 || normalized > type.getRank())
    return emitOptionalError(loc, "normalises ", normalized, " dims of an operand of rank ", type.getRank());
  SmallVector<DimAttr> dims = graph::getDims(type);
  ArrayRef<DimAttr> shape = ArrayRef(dims).take_back(normalized);
  types.push_back(type);
  return success(succeeded(checkParameter(loc, "weight", weight, shape, type)) && succeeded(checkParameter(loc, "bias", bias, shape, type)));
}
LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferOverLast(loc, a.getX(), a.getWeight(), a.getBias(), a.getNormalized(), types);
}
LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferOverLast(loc, a.getX(), a.getWeight(), Value(), a.getNormalized(), types);
}

LogicalResult GroupNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  if (type.getRank() < 2)
    return emitOptionalError(loc, "group_norm takes [n, c, …], found ", type);
  DimAttr channels = graph::getDim(type, 1);
  if (int64_t(a.getGroups()) < 1 || (channels.isConstant() && channels.getValue() % int64_t(a.getGroups()) != 0))
    return emitOptionalError(loc, channels.str(), " channels are not divisible into ", a.getGroups(), " groups");
  types.push_back(type);
  return success(succeeded(checkParameter(loc, "weight", a.getWeight(), {channels}, type)) &&
                 succeeded(checkParameter(loc, "bias", a.getBias(), {channels}, type)));
}

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  if (type.getRank() < 2)
    return emitOptionalError(loc, "batch_norm takes [n, c, …], found ", type);
  types.push_back(type);
  // Statistics and parameters share an element type, which may be wider than x's (f32 beside f16).
  RankedTensorType mean = tensorType(a.getMean());
  for (auto [name, value] : {std::pair("mean", a.getMean()), {"var", a.getVar()}, {"weight", a.getWeight()}, {"bias", a.getBias()}})
    if (failed(checkParameter(loc, name, value, {graph::getDim(type, 1)}, mean)))
      return failure();
  return success();
}

//===-- one element ----------------------------------------------------------------===//

namespace {
/// x along dim `dim` of a row: `free` is the index without it.
struct SoftmaxRow {
  ElementEmitter &e;
  Operation *op;
  Value x;
  int64_t dim;
  SmallVector<AffineExpr> index, free;
  Value max, sum;

  SoftmaxRow(ElementEmitter &e, Operation *op, Value x, int64_t dim, ArrayRef<AffineExpr> at) : e(e), op(op), x(x), dim(dim), index(at), free(at) {
    free.erase(free.begin() + dim);
    max = fold(Monoid::max, 0, [&](AffineExpr k) { return element(k); });
    sum = fold(Monoid::sum, 1, [&](AffineExpr k) { return e.scalar().exp(e.scalar().sub(element(k), max)); });
  }
  Value element(AffineExpr k) {
    SmallVector<AffineExpr> point(index);
    point[dim] = k;
    return e.element(x, point);
  }
  Value fold(Monoid monoid, unsigned number, llvm::function_ref<Value(AffineExpr)> term) {
    return e.reduce({graph::getDim(tensorType(x), dim)}, {monoid}, free, foldKey(op, number),
                    [&](ArrayRef<AffineExpr> k) { return SmallVector<Value>{term(k[0])}; })[0];
  }
};
} // namespace

SmallVector<int64_t> SoftmaxOp::getRowDims() { return {int64_t(getDim())}; }
SmallVector<int64_t> LogSoftmaxOp::getRowDims() { return {int64_t(getDim())}; }

Value SoftmaxOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SoftmaxRow row(e, *this, getX(), getDim(), index);
  scalar::ScalarBuilder &b = e.scalar();
  return b.div(b.exp(b.sub(e.element(getX(), index), row.max)), row.sum);
}
Value LogSoftmaxOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SoftmaxRow row(e, *this, getX(), getDim(), index);
  scalar::ScalarBuilder &b = e.scalar();
  return b.sub(b.sub(e.element(getX(), index), row.max), b.log(row.sum));
}

/// Dims rank - count … rank - 1.
static SmallVector<int64_t> lastDims(RankedTensorType type, int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(type.getRank() - count, type.getRank()));
}
SmallVector<int64_t> LayerNormOp::getRowDims() { return lastDims(getType(), getNormalized()); }
SmallVector<int64_t> RmsNormOp::getRowDims() { return lastDims(getType(), getNormalized()); }
SmallVector<int64_t> GroupNormOp::getRowDims() { return lastDims(getType(), getType().getRank() - 2); }

/// (x - mean) / sqrt(var + eps) with the biased variance over `extents`; `at` gives x at an inner index, `center` is x at the element's own.
static Value emitStandardized(ElementEmitter &e, Operation *op, Value center, ArrayRef<DimAttr> extents, ArrayRef<AffineExpr> free, double eps,
                              llvm::function_ref<Value(ArrayRef<AffineExpr>)> at) {
  Moments moments = emitMoments(e, op, extents, free, at);
  scalar::ScalarBuilder &b = e.scalar();
  Value variance = b.div(moments.squares, emitCount(e, extents, moments.squares.getType()));
  return b.mul(moments.distance(b, center), b.rsqrt(b.add(variance, b.constantLike(eps, variance))));
}

/// value * weight[index] + bias[index], either absent.
static Value emitAffine(ElementEmitter &e, Value value, Value weight, Value bias, ArrayRef<AffineExpr> index) {
  if (weight)
    value = e.scalar().mul(value, e.element(weight, index));
  return bias ? e.scalar().add(value, e.element(bias, index)) : value;
}

Value LayerNormOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  int64_t normalized = getNormalized();
  SmallVector<DimAttr> dims = graph::getDims(getType());
  ArrayRef<AffineExpr> free = index.drop_back(normalized);
  Value value = emitStandardized(e, *this, e.element(getX(), index), ArrayRef(dims).take_back(normalized), free, getEps().convertToDouble(),
                                 [&](ArrayRef<AffineExpr> k) {
                                   SmallVector<AffineExpr> point(free);
                                   point.append(k.begin(), k.end());
                                   return e.element(getX(), point);
                                 });
  return emitAffine(e, value, getWeight(), getBias(), index.take_back(normalized));
}

Value RmsNormOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  int64_t normalized = getNormalized();
  SmallVector<DimAttr> dims = graph::getDims(getType());
  ArrayRef<DimAttr> extents = ArrayRef(dims).take_back(normalized);
  ArrayRef<AffineExpr> free = index.drop_back(normalized);
  Value sum = e.reduce(extents, {Monoid::sum}, free, foldKey(*this, 0), [&](ArrayRef<AffineExpr> k) {
    SmallVector<AffineExpr> point(free);
    point.append(k.begin(), k.end());
    Value x = e.element(getX(), point);
    return SmallVector<Value>{e.scalar().mul(x, x)};
  })[0];
  scalar::ScalarBuilder &b = e.scalar();
  Value mean = b.div(sum, emitCount(e, extents, sum.getType()));
  Value value = b.mul(e.element(getX(), index), b.rsqrt(b.add(mean, b.constantLike(getEps().convertToDouble(), mean))));
  return emitAffine(e, value, getWeight(), Value(), index.take_back(normalized));
}

Value GroupNormOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SmallVector<DimAttr> dims = graph::getDims(getType());
  DimAttr channels = floorDiv(dims[1], getGroups());
  AffineExpr group = index[1].floorDiv(e.dim(channels));
  SmallVector<DimAttr> extents = {channels};
  extents.append(dims.begin() + 2, dims.end());
  Value value = emitStandardized(e, *this, e.element(getX(), index), extents, {index[0], group}, getEps().convertToDouble(),
                                 [&](ArrayRef<AffineExpr> k) {
                                   SmallVector<AffineExpr> point = {index[0], group * e.dim(channels) + k[0]};
                                   llvm::append_range(point, k.drop_front());
                                   return e.element(getX(), point);
                                 });
  return emitAffine(e, value, getWeight(), getBias(), index.slice(1, 1));
}

Value BatchNormOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  Value x = e.element(getX(), index), mean = e.element(getMean(), index.slice(1, 1)), var = e.element(getVar(), index.slice(1, 1));
  scalar::ScalarBuilder &b = e.scalar();
  Value inverse = b.rsqrt(b.add(var, b.constantLike(getEps().convertToDouble(), var)));
  Value centered = b.mul(b.sub(b.cast(x, var.getType()), mean), inverse);
  Value value = emitAffine(e, centered, getWeight(), getBias(), index.slice(1, 1));
  return b.cast(value, x.getType());
}
