// Creating a graph op whose operands come from the user's program: a wrong shape is a diagnostic at `loc` and failure, where the generated builders end the process.
//
//   FailureOr<LinearOp> op = tryCreate<LinearOp>(builder, loc, x, weight, bias);
//   if (failed(op)) return failure();
#ifndef GRAPHC_IR_GRAPH_CREATE_H
#define GRAPHC_IR_GRAPH_CREATE_H

#include "ir/graph/Graph.h"
#include "mlir/IR/Verifier.h"

namespace graphc::graph {

/// `arguments` are those of Op::create without result types: operands, then attributes, in the record's order.
template <typename Op, typename... Arguments>
mlir::FailureOr<Op> tryCreate(mlir::OpBuilder &builder, mlir::Location loc, Arguments &&...arguments) {
  mlir::OperationState state(loc, Op::getOperationName());
  mlir::Type none;
  if constexpr (requires { Op::build(builder, state, none, arguments...); })
    Op::build(builder, state, none, arguments...);
  else if constexpr (requires { Op::build(builder, state, none, none, arguments...); })
    Op::build(builder, state, none, none, arguments...);
  else
    Op::build(builder, state, none, none, none, arguments...);
  state.types.clear();
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(Op::inferReturnTypes(builder.getContext(), loc, state.operands, state.attributes.getDictionary(builder.getContext()),
                                        state.getRawProperties(), state.regions, types)))
    return mlir::failure();
  state.addTypes(types);
  auto op = llvm::cast<Op>(builder.create(state));
  if (mlir::failed(mlir::verify(op))) {
    op->erase();
    return mlir::failure();
  }
  return op;
}

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_CREATE_H
