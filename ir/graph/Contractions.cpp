// Contractions: their result types and their description as kernel.contract.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions, SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = cast<RankedTensorType>(adaptor.getX().getType()), weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  if (x.getRank() < 1 || weight.getRank() != 2)
    return emitOptionalError(loc, "linear takes x of rank 1 or more and a weight of rank 2, found ", x, " and ", weight);
  if (getDim(x, x.getRank() - 1) != getDim(weight, 1))
    return emitOptionalError(loc, "linear: x has ", getDim(x, x.getRank() - 1).str(), " features, the weight takes ", getDim(weight, 1).str());
  SmallVector<DimAttr> dims = getDims(x);
  dims.back() = getDim(weight, 0);
  types.push_back(getTensorType(dims, x.getElementType()));
  return success();
}

kernel::ContractionSpec LinearOp::getContraction() {
  auto x = cast<RankedTensorType>(getX().getType());
  auto weight = cast<RankedTensorType>(getWeight().getType());
  MLIRContext *context = getContext();
  unsigned rank = x.getRank(), m = rank - 1;
  kernel::ContractionSpec spec;
  spec.lhs = getX();
  spec.rhs = getWeight();
  SmallVector<DimAttr> dims = graph::getDims(x);
  spec.m.assign(dims.begin(), dims.end() - 1);
  spec.n = {graph::getDim(weight, 0)};
  spec.k = {dims.back()};
  spec.lhsMap = AffineMap::getMultiDimIdentityMap(rank, context);
  spec.rhsMap = AffineMap::getMultiDimIdentityMap(2, context);
  spec.resultMap = AffineMap::getMultiDimIdentityMap(m + 1, context);
  return spec;
}

Value LinearOp::emitTail(kernel::ElementEmitter &e, Value acc, ArrayRef<AffineExpr> index) {
  return getBias() ? e.scalar().add(acc, e.element(getBias(), index.take_back(1))) : acc;
}
