// The routines of the runtime (kernel.routine) as the reference interpreter understands them.
#ifndef GRAPHC_IR_INTERPRETER_ROUTINES_H
#define GRAPHC_IR_INTERPRETER_ROUTINES_H

#include "ir/interpreter/Tensor.h"
#include "ir/kernel/Kernel.h"

namespace graphc::interpreter {

/// The results; `sizes` are theirs. An error where an index lies outside its dim.
llvm::Expected<std::vector<Tensor>> evaluateRoutine(kernel::RoutineOp op, llvm::ArrayRef<const Tensor *> inputs,
                                                    llvm::ArrayRef<llvm::SmallVector<int64_t>> sizes, Precision precision);

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_ROUTINES_H
