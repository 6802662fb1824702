// emitElement of the graph ops: one element of a result as kernel-dialect code, and the shapes of results they share a rule with.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;
using kernel::Monoid;

SmallVector<AffineExpr> graphc::graph::broadcastIndex(RankedTensorType type, ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> result(index.take_back(type.getRank()));
  for (auto [i, expression] : llvm::enumerate(result))
    if (!type.isDynamicDim(i) && type.getDimSize(i) == 1)
      expression = getAffineConstantExpr(0, type.getContext());
  return result;
}

Value graphc::graph::emitPointwiseElement(PointwiseOpInterface op, ElementEmitter &e, ArrayRef<AffineExpr> index) {
  SmallVector<Value> elements;
  for (Value operand : op->getOperands())
    elements.push_back(e.element(operand, broadcastIndex(cast<RankedTensorType>(operand.getType()), index)));
  return op.buildBody(e.scalar(), elements);
}

//===-- views ------------------------------------------------------------------===//

Value PermuteOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> source(index.size());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    source[dim] = index[i];
  return e.element(getX(), source);
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr attributes,
                                          OpaqueProperties properties, RegionRange regions, SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  SmallVector<bool> seen(type.getRank());
  SmallVector<DimAttr> dims;
  for (int64_t d : adaptor.getDims()) {
    if (d < 0 || d >= type.getRank() || std::exchange(seen[d], true))
      return emitOptionalError(loc, "dims is not a permutation of the operand's ", type.getRank(), " dims");
    dims.push_back(getDim(type, d));
  }
  if (int64_t(dims.size()) != type.getRank())
    return emitOptionalError(loc, "dims has ", dims.size(), " entries, the operand rank ", type.getRank());
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}

//===-- normalisations -------------------------------------------------------------===//

SmallVector<int64_t> SoftmaxOp::getRowDims() { return {getDim()}; }

Value SoftmaxOp::emitElement(ElementEmitter &e, unsigned, ArrayRef<AffineExpr> index) {
  auto type = cast<RankedTensorType>(getX().getType());
  SmallVector<AffineExpr> row(index);
  row.erase(row.begin() + getDim());
  auto at = [&](AffineExpr k) {
    SmallVector<AffineExpr> point(index);
    point[getDim()] = k;
    return e.element(getX(), point);
  };
  DimAttr extent = graph::getDim(type, getDim());
  Value max = e.reduce({extent}, {Monoid::max}, row, getOperation(), [&](ArrayRef<AffineExpr> k) { return SmallVector<Value>{at(k[0])}; })[0];
  Value sum = e.reduce({extent}, {Monoid::sum}, row, getResult().getAsOpaquePointer(), [&](ArrayRef<AffineExpr> k) {
    return SmallVector<Value>{e.scalar().exp(e.scalar().sub(at(k[0]), max))};
  })[0];
  scalar::ScalarBuilder &b = e.scalar();
  return b.div(b.exp(b.sub(at(index[getDim()]), max)), sum);
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr attributes,
                                          OpaqueProperties properties, RegionRange regions, SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOptionalError(loc, "dim ", dim, " is outside the operand's rank ", type.getRank());
  types.push_back(type);
  return success();
}
