// Evaluates the scalar dialect over many lanes at once: the reference for every code generator (edge values: ScalarOps.td).
#ifndef GRAPHC_IR_INTERPRETER_SCALAREVAL_H
#define GRAPHC_IR_INTERPRETER_SCALAREVAL_H

#include "ir/interpreter/Tensor.h"
#include "mlir/IR/Operation.h"

namespace graphc::interpreter {

/// What a data-dependent check found first; `op` is null where nothing failed.
struct Failure {
  mlir::Operation *op = nullptr;
  std::string message;
  void record(mlir::Operation *where, std::string text) {
    if (!op)
      op = where, message = std::move(text);
  }
};

/// One scalar op over its operands' lanes (all of `count` lanes). Integer division by zero gives 0 and is recorded.
Lanes evaluateScalar(mlir::Operation *op, llvm::ArrayRef<const Lanes *> operands, size_t count, Precision precision, Failure &failure);

/// scalar.cast's conversion.
Lanes castLanes(const Lanes &x, mlir::Type type, Precision precision);

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_SCALAREVAL_H
