// Arguments for verify's runs: from files, or made up from seeds.
//
//   std::vector<InputSet> sets = …;  sets[0].calls[1][0]: the first tensor argument of the second call in a row
#ifndef GRAPHC_TOOLS_VERIFY_INPUTS_H
#define GRAPHC_TOOLS_VERIFY_INPUTS_H

#include "frontend/torchscript/Eager.h"
#include "ir/interpreter/Tensor.h"
#include "tools/driver/Compiler.h"
#include "tools/npz/Array.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace graphc::verify {

using interpreter::Tensor;

struct InputSet {
  std::string name;                       // "seed 1", "in.npz"
  std::vector<std::vector<Tensor>> calls; // each: one for each argument of the function
};

/// The same arrays for each of `calls` calls, taken by the argument's name or by position (in0, in1, …); arrays named out0, … are
/// ignored. Errors (Model): an argument without array, another rank or constant dim, a conversion that npz::convert refuses.
llvm::Expected<InputSet> takeInputs(mlir::func::FuncOp function, const std::string &name, const std::vector<npz::NamedArray> &arrays, unsigned calls);

/// Pseudo-random arrays, new ones for each call: floats normal, integers 0 to 7, symbolic dims larger with the seed as far as their
/// ranges and the function's guards let them.
InputSet makeInputs(mlir::ModuleOp module, mlir::func::FuncOp function, unsigned seed, unsigned calls);

/// What the sizes of the arguments say of the symbols.
llvm::StringMap<int64_t> getSymbols(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs);

/// The arguments in the form that LibTorch's run takes.
std::vector<frontend::torchscript::EagerArgument> toEagerArguments(const frontend::SourceGraph &source, mlir::func::FuncOp function,
                                                                  llvm::ArrayRef<Tensor> inputs, const std::vector<driver::BindSpec> &binds);

/// A tensor that LibTorch computed.
Tensor fromEager(mlir::MLIRContext *context, const frontend::torchscript::EagerTensor &tensor);

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_INPUTS_H
