// Result types of the ops that move elements.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  if (int64_t(a.getDims().size()) != type.getRank())
    return emitOptionalError(loc, "dims has ", a.getDims().size(), " entries, the operand rank ", type.getRank());
  if (failed(checkDims(loc, a.getDims(), type.getRank(), /*sorted=*/false)))
    return failure();
  types.push_back(getTensorType(llvm::map_to_vector(a.getDims(), [&](int64_t d) { return graph::getDim(type, d); }), type.getElementType()));
  return success();
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  RankedTensorType result = getTensorType(getDimArray(a.getShape()), type.getElementType());
  DimAttr found = getNumElements(type), expected = getNumElements(result);
  // Symbolic products that look different may be equal: importing guards what it can't prove.
  if (found.isConstant() && expected.isConstant() && found != expected)
    return emitOptionalError(loc, "the operand has ", found.str(), " elements, the shape ", dimsText(getDimArray(a.getShape())), " has ", expected.str());
  types.push_back(result);
  return success();
}

LogicalResult ExpandOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  SmallVector<DimAttr> shape = getDimArray(a.getShape());
  if (!broadcastsTo(graph::getDims(type), shape))
    return emitOptionalError(loc, "shape ", dimsText(graph::getDims(type)), " does not expand to ", dimsText(shape));
  types.push_back(getTensorType(shape, type.getElementType()));
  return success();
}

/// Fails unless `list` has one entry per dim of `type`.
template <typename List> static LogicalResult checkPerDim(OptionalLoc loc, StringRef name, const List &list, RankedTensorType type) {
  if (int64_t(list.size()) == type.getRank())
    return success();
  return emitOptionalError(loc, name, " has ", list.size(), " entries, the operand rank ", type.getRank());
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  if (failed(checkPerDim(loc, "starts", a.getStarts(), type)) || failed(checkPerDim(loc, "sizes", a.getSizes(), type)) ||
      failed(checkPerDim(loc, "steps", a.getSteps(), type)))
    return failure();
  SmallVector<DimAttr> starts = getDimArray(a.getStarts()), sizes = getDimArray(a.getSizes());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (a.getSteps()[d] < 1)
      return emitOptionalError(loc, "step of dim ", d, " is ", a.getSteps()[d], ", it must be 1 or more");
    DimAttr last = starts[d] + (sizes[d] - 1) * a.getSteps()[d], extent = graph::getDim(type, d);
    bool negative = (starts[d].isConstant() && starts[d].getValue() < 0) || (sizes[d].isConstant() && sizes[d].getValue() < 0);
    bool empty = isConstant(sizes[d], 0);
    if (negative || (!empty && last.isConstant() && extent.isConstant() && last.getValue() >= extent.getValue()))
      return emitOptionalError(loc, "slice of dim ", d, " from ", starts[d].str(), ", size ", sizes[d].str(), ", step ", a.getSteps()[d],
                               " leaves the dim's ", extent.str(), " elements");
  }
  types.push_back(getTensorType(sizes, type.getElementType()));
  return success();
}

LogicalResult FlipOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  types.push_back(getTensorType(graph::getDims(type), type.getElementType()));
  return checkDims(loc, a.getDims(), type.getRank(), /*sorted=*/false);
}

LogicalResult RollOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  if (a.getShifts().size() != a.getDims().size())
    return emitOptionalError(loc, a.getShifts().size(), " shifts for ", a.getDims().size(), " dims");
  for (int64_t d : a.getDims()) // a dim may occur twice: shifts add up
    if (failed(checkDim(loc, d, type.getRank())))
      return failure();
  types.push_back(getTensorType(graph::getDims(type), type.getElementType()));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX()), value = tensorType(a.getValue());
  if (failed(checkPerDim(loc, "low", a.getLow(), type)) || failed(checkPerDim(loc, "high", a.getHigh(), type)))
    return failure();
  if (value.getRank() != 0 || value.getElementType() != type.getElementType())
    return emitOptionalError(loc, "the pad value is ", value, ", expected a 0-d tensor of ", type.getElementType());
  SmallVector<DimAttr> low = getDimArray(a.getLow()), high = getDimArray(a.getHigh()), dims;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    dims.push_back(graph::getDim(type, d) + low[d] + high[d]);
    if (dims[d].isConstant() && dims[d].getValue() < 0)
      return emitOptionalError(loc, "dim ", d, " of ", graph::getDim(type, d).str(), " padded by ", low[d].str(), " and ", high[d].str(), " has no size");
  }
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}

/// `largest` is the biggest allowed pad of a dim, counted from its extent (nullopt: any for a dim that isn't empty).
static LogicalResult inferEdgePad(OptionalLoc loc, RankedTensorType type, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                                  std::optional<int64_t> largest, SmallVectorImpl<Type> &types) {
  if (failed(checkPerDim(loc, "low", low, type)) || failed(checkPerDim(loc, "high", high, type)))
    return failure();
  SmallVector<DimAttr> dims = graph::getDims(type);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t pad = std::max(low[d], high[d]);
    if (std::min(low[d], high[d]) < 0)
      return emitOptionalError(loc, "pads of dim ", d, " are ", low[d], " and ", high[d], "; negative ones are slices");
    if (pad > 0 && dims[d].isConstant() && (largest ? pad > dims[d].getValue() + *largest : dims[d].getValue() == 0))
      return emitOptionalError(loc, "a pad of ", pad, " is too large for dim ", d, " of ", dims[d].str());
    dims[d] = dims[d] + (low[d] + high[d]);
  }
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}
LogicalResult PadReflectOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferEdgePad(loc, tensorType(a.getX()), a.getLow(), a.getHigh(), -1, types);
}
LogicalResult PadReplicateOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferEdgePad(loc, tensorType(a.getX()), a.getLow(), a.getHigh(), std::nullopt, types);
}
LogicalResult PadCircularOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferEdgePad(loc, tensorType(a.getX()), a.getLow(), a.getHigh(), 0, types);
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  if (a.getParts().empty())
    return emitOptionalError(loc, "concat of no tensors");
  RankedTensorType first = tensorType(a.getParts()[0]);
  int64_t dim = a.getDim();
  if (failed(checkDim(loc, dim, first.getRank())))
    return failure();
  SmallVector<DimAttr> dims = graph::getDims(first);
  for (Value part : a.getParts().drop_front()) {
    RankedTensorType type = tensorType(part);
    if (type.getRank() != first.getRank() || type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "concat of ", first, " and ", type, ": ranks and element types must agree");
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim && graph::getDim(type, d) != dims[d])
        return emitOptionalError(loc, "concat along dim ", dim, ": dim ", d, " is ", dims[d].str(), " and ", graph::getDim(type, d).str());
    dims[dim] = dims[dim] + graph::getDim(type, dim);
  }
  types.push_back(getTensorType(dims, first.getElementType()));
  return success();
}

LogicalResult DiagonalOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  int64_t dim1 = a.getDim1(), dim2 = a.getDim2(), offset = a.getOffset();
  if (failed(checkDims(loc, {dim1, dim2}, type.getRank(), /*sorted=*/false)))
    return failure();
  SmallVector<DimAttr> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dim1 && d != dim2)
      dims.push_back(graph::getDim(type, d));
  DimAttr rows = graph::getDim(type, dim1) - std::max<int64_t>(-offset, 0), columns = graph::getDim(type, dim2) - std::max<int64_t>(offset, 0);
  DimAttr size = DimAttr::binary(DimKind::Min, rows, columns);
  dims.push_back(offset == 0 ? size : DimAttr::binary(DimKind::Max, size, DimAttr::constant(type.getContext(), 0)));
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}

LogicalResult AsStridedOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(a.getX());
  SmallVector<DimAttr> sizes = getDimArray(a.getSizes()), strides = getDimArray(a.getStrides());
  if (sizes.size() != strides.size())
    return emitOptionalError(loc, sizes.size(), " sizes, ", strides.size(), " strides");
  DimAttr last = a.getOffset(), count = getNumElements(type);
  bool empty = llvm::any_of(sizes, [](DimAttr d) { return isConstant(d, 0); });
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    if (stride.isConstant() && stride.getValue() < 0)
      return emitOptionalError(loc, "stride ", stride.str(), " is negative");
    last = last + (size - 1) * stride;
  }
  if (!empty && last.isConstant() && count.isConstant() && (last.getValue() >= count.getValue() || a.getOffset().getValue() < 0))
    return emitOptionalError(loc, "as_strided reaches element ", last.str(), " of a tensor of ", count.str());
  types.push_back(getTensorType(sizes, type.getElementType()));
  return success();
}

static LogicalResult inferTriangle(OptionalLoc loc, RankedTensorType type, SmallVectorImpl<Type> &types) {
  if (type.getRank() < 2)
    return emitOptionalError(loc, "needs rank 2 or more, found ", type);
  types.push_back(type);
  return success();
}
LogicalResult TrilOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferTriangle(loc, tensorType(a.getX()), types);
}
LogicalResult TriuOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  return inferTriangle(loc, tensorType(a.getX()), types);
}

LogicalResult SliceScatterOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType base = tensorType(a.getBase()), value = tensorType(a.getValue());
  if (value.getRank() != base.getRank() || value.getElementType() != base.getElementType())
    return emitOptionalError(loc, "value ", value, " goes into ", base, ": ranks and element types must agree");
  if (failed(checkPerDim(loc, "starts", a.getStarts(), base)) || failed(checkPerDim(loc, "steps", a.getSteps(), base)))
    return failure();
  SmallVector<DimAttr> starts = getDimArray(a.getStarts());
  for (int64_t d = 0; d < base.getRank(); ++d) {
    DimAttr last = starts[d] + (graph::getDim(value, d) - 1) * a.getSteps()[d], extent = graph::getDim(base, d);
    if (a.getSteps()[d] < 1 || (starts[d].isConstant() && starts[d].getValue() < 0))
      return emitOptionalError(loc, "start ", starts[d].str(), " and step ", a.getSteps()[d], " of dim ", d, " must be at least 0 and 1");
    if (!isConstant(graph::getDim(value, d), 0) && last.isConstant() && extent.isConstant() && last.getValue() >= extent.getValue())
      return emitOptionalError(loc, "the value's dim ", d, " reaches element ", last.str(), " of ", extent.str());
  }
  types.push_back(base);
  return success();
}

LogicalResult IotaOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  if (!isa<FloatType>(a.getDtype()) && (isa<FloatAttr>(a.getStart()) || isa<FloatAttr>(a.getStep())))
    return emitOptionalError(loc, "a range of ", a.getDtype(), " has integral start and step");
  types.push_back(getTensorType({a.getSize()}, a.getDtype()));
  return success();
}
