// Runs one kernel.func on interpreter tensors: slow, obvious, and what every code generator is compared with.
//
//   Expected<std::vector<Tensor>> outputs = interpretKernel(func, {&x, &w}, symbols, Precision::Default);
//
// Physical orders don't matter here: tensors are logical. Sums are accumulated in double and rounded at the end.
#ifndef GRAPHC_IR_INTERPRETER_KERNELINTERPRETER_H
#define GRAPHC_IR_INTERPRETER_KERNELINTERPRETER_H

#include "ir/interpreter/Tensor.h"
#include "ir/kernel/Kernel.h"
#include "llvm/ADT/StringMap.h"

namespace graphc::interpreter {

/// Outputs of `func` on `inputs`; `symbols` gives the value of every symbolic dim. Errors: a data-dependent index outside its extent, an integer
/// division by zero, a symbol without value; the text names the op's location.
llvm::Expected<std::vector<Tensor>> interpretKernel(kernel::FuncOp func, llvm::ArrayRef<const Tensor *> inputs,
                                                    const llvm::StringMap<int64_t> &symbols, Precision precision);

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_KERNELINTERPRETER_H
