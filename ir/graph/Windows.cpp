// Pooling and resizing: result types, and one element each.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using kernel::Mask;
using kernel::Monoid;

//===-- result types -----------------------------------------------------------===//

/// Fails unless x is [n, c, spatial…] with as many spatial dims (1 to 3) as each list has entries.
static LogicalResult checkSpatial(OptionalLoc loc, RankedTensorType x, ArrayRef<size_t> lengths) {
  int64_t spatial = x.getRank() - 2;
  if (spatial < 1 || spatial > 3)
    return emitOptionalError(loc, "takes [n, c, spatial…] with 1 to 3 spatial dims, found ", x);
  for (size_t length : lengths)
    if (int64_t(length) != spatial)
      return emitOptionalError(loc, "lists have one entry for each of the ", spatial, " spatial dims, found ", length);
  return success();
}

/// PyTorch's pooling_output_shape: with ceil mode, the last window must start inside the operand or its left padding.
static DimAttr pooledDim(DimAttr in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceilMode) {
  DimAttr room = in + (2 * padding - dilation * (kernel - 1) - 1 + (ceilMode ? stride - 1 : 0));
  DimAttr out = floorDiv(room, stride) + 1;
  return ceilMode ? DimAttr::select(DimPredicate::Ge, (out - 1) * stride, in + padding, out - 1, out) : out;
}

static LogicalResult inferPool(OptionalLoc loc, Value x, ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                               ArrayRef<int64_t> dilation, bool ceilMode, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(x);
  if (failed(checkSpatial(loc, type, {kernel.size(), stride.size(), padding.size(), dilation.size()})))
    return failure();
  SmallVector<DimAttr> dims = {graph::getDim(type, 0), graph::getDim(type, 1)};
  for (auto [i, k] : llvm::enumerate(kernel)) {
    if (k < 1 || stride[i] < 1 || dilation[i] < 1 || padding[i] < 0 || 2 * padding[i] > (k - 1) * dilation[i] + 1)
      return emitOptionalError(loc, "kernel ", k, ", stride ", stride[i], ", dilation ", dilation[i], ", padding ", padding[i],
                               ": expected positive numbers and a padding of at most half the kernel");
    dims.push_back(pooledDim(graph::getDim(type, i + 2), k, stride[i], padding[i], dilation[i], ceilMode));
    if (dims.back().isConstant() && dims.back().getValue() < 1)
      return emitOptionalError(loc, "the result's dim ", i + 2, " would have ", dims.back().str(), " elements, it needs at least 1");
  }
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}

static Type withElement(Type type, Type element) { return getTensorType(graph::getDims(cast<RankedTensorType>(type)), element); }

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferPool(loc, a.getX(), a.getKernel(), a.getStride(), a.getPadding(), a.getDilation(), a.getCeilMode(), types);
}
LogicalResult MaxPoolWithIndicesOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  if (failed(inferPool(loc, a.getX(), a.getKernel(), a.getStride(), a.getPadding(), a.getDilation(), a.getCeilMode(), types)))
    return failure();
  types.push_back(withElement(types[0], IntegerType::get(context, 64)));
  return success();
}
LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> dilation(a.getKernel().size(), 1);
  return inferPool(loc, a.getX(), a.getKernel(), a.getStride(), a.getPadding(), dilation, a.getCeilMode(), types);
}

static LogicalResult inferSized(OptionalLoc loc, Value x, ArrayAttr outputSize, size_t scales, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(x);
  size_t spatial = outputSize.size();
  if (failed(checkSpatial(loc, type, {spatial, scales == 0 ? spatial : scales})))
    return failure();
  SmallVector<DimAttr> dims = {graph::getDim(type, 0), graph::getDim(type, 1)};
  llvm::append_range(dims, getDimArray(outputSize));
  for (size_t d = 2; d < dims.size(); ++d)
    if (isConstant(graph::getDim(type, d), 0) && !isConstant(dims[d], 0))
      return emitOptionalError(loc, "dim ", d, " of the operand has no elements");
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}

LogicalResult AdaptiveAvgPoolOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferSized(loc, a.getX(), a.getOutputSize(), 0, types);
}
LogicalResult AdaptiveMaxPoolOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferSized(loc, a.getX(), a.getOutputSize(), 0, types);
}
LogicalResult AdaptiveMaxPoolWithIndicesOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  if (failed(inferSized(loc, a.getX(), a.getOutputSize(), 0, types)))
    return failure();
  types.push_back(withElement(types[0], IntegerType::get(context, 64)));
  return success();
}
LogicalResult UpsampleNearestOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferSized(loc, a.getX(), a.getOutputSize(), a.getScales().size(), types);
}
LogicalResult UpsampleLinearOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferSized(loc, a.getX(), a.getOutputSize(), a.getScales().size(), types);
}
LogicalResult UpsampleBicubicOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  if (a.getOutputSize().size() != 2)
    return emitOptionalError(loc, "bicubic resizing takes 2 spatial dims, found ", a.getOutputSize().size());
  return inferSized(loc, a.getX(), a.getOutputSize(), a.getScales().size(), types);
}
