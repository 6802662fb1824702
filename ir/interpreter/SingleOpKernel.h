// One graph op as a kernel.func of its own, without any fusion: how the interpreter runs ops that can say an element of their result, and the
// plainest use of ElementEmitter there is.
#ifndef GRAPHC_IR_INTERPRETER_SINGLEOPKERNEL_H
#define GRAPHC_IR_INTERPRETER_SINGLEOPKERNEL_H

#include "ir/kernel/Kernel.h"

namespace graphc::interpreter {

/// True where buildSingleOpKernel can build `op`: it has the element or the contraction interface.
bool hasKernel(mlir::Operation *op);

/// A kernel.func (inserted at `builder`) that computes result `result` of `op` from all its operands, in order.
kernel::FuncOp buildSingleOpKernel(mlir::OpBuilder &builder, mlir::Operation *op, unsigned result);

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_SINGLEOPKERNEL_H
