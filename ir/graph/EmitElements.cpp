// emitElement of the graph ops: one element of a result as kernel-dialect code, and the shapes of results they share a rule with.
#include "ir/graph/GraphSupport.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;
using kernel::ElementEmitter;

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
