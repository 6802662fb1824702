// Linear systems: their result types.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

/// [.., 1, count] for matrices [.., n, m].
static RankedTensorType factsOf(RankedTensorType matrices, int64_t count) {
  SmallVector<DimAttr> dims = graph::getDims(matrices);
  dims[dims.size() - 2] = DimAttr::constant(matrices.getContext(), 1);
  dims.back() = DimAttr::constant(matrices.getContext(), count);
  return getTensorType(dims, matrices.getElementType());
}

LogicalResult EliminateOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX());
  if (x.getRank() < 2)
    return emitOptionalError(loc, "elimination takes matrices [.., n, n + m], found ", x);
  SmallVector<DimAttr> dims = graph::getDims(x);
  DimAttr rows = dims[dims.size() - 2];
  dims.back() = dims.back() - rows;
  if (dims.back().isConstant() && dims.back().getValue() < 0)
    return emitOptionalError(loc, "elimination of ", rows.str(), " columns of ", x);
  types.append({getTensorType(dims, x.getElementType()), factsOf(x, 4)});
  return success();
}

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(a.getX());
  if (x.getRank() < 2 || graph::getDim(x, x.getRank() - 1) != graph::getDim(x, x.getRank() - 2))
    return emitOptionalError(loc, "cholesky takes square matrices [.., n, n], found ", x);
  types.append({getTensorType(graph::getDims(x), x.getElementType()), factsOf(x, 1)});
  return success();
}
