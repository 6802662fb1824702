// What the generated op definitions call: included by the .cpp files of the dialect only.
#ifndef GRAPHC_IR_GRAPH_GRAPHSUPPORT_H
#define GRAPHC_IR_GRAPH_GRAPHSUPPORT_H

#include "ir/graph/Graph.h"
#include "ir/graph/Infer.h"
#include "ir/scalar/ScalarMath.h"
#include "ir/support/Check.h"

namespace graphc::graph {

/// The element of a pointwise op: its operands' elements at the broadcast index through its scalar body.
mlir::Value emitPointwiseElement(PointwiseOpInterface op, kernel::ElementEmitter &emitter, llvm::ArrayRef<mlir::AffineExpr> index);
/// `index` of a broadcast result as an index of an operand of `type`: trailing dims align, size-1 dims read element 0.
llvm::SmallVector<mlir::AffineExpr> broadcastIndex(mlir::RankedTensorType type, llvm::ArrayRef<mlir::AffineExpr> index);

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_GRAPHSUPPORT_H
