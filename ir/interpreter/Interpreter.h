// Runs a function of the graph dialect (or one that launches kernels) on interpreter tensors: the compiler's own oracle and its constant folder.
//
//   Interpreter interpreter(module, {.precision = Precision::Double});
//   Expected<std::vector<Tensor>> outputs = interpreter.run(func, {x});
//
// State (graph.read_state, graph.write_state) lives in the Interpreter, starting from the module's initial values.
#ifndef GRAPHC_IR_INTERPRETER_INTERPRETER_H
#define GRAPHC_IR_INTERPRETER_INTERPRETER_H

#include "ir/interpreter/Tensor.h"
#include "ir/kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace graphc::interpreter {

class Interpreter {
public:
  explicit Interpreter(mlir::ModuleOp module, Precision precision = Precision::Default) : module(module), precision(precision) {}

  /// The function's results. Errors: an op without semantics here (its name and line), a failed guard, a data-dependent index out of range, an integer
  /// division by zero; a wrong number or shape of inputs.
  llvm::Expected<std::vector<Tensor>> run(mlir::func::FuncOp func, std::vector<Tensor> inputs);

  /// The results of one op on values of its operands.
  llvm::Expected<std::vector<Tensor>> evaluate(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands);

  /// Called with the results of every op that run() evaluates (constants and parameters too), for those who look into a program.
  std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)> observe;

  void resetState() { state.clear(); }
  void setSymbol(llvm::StringRef name, int64_t value) { symbols[name] = value; }

private:
  llvm::Error bindInputs(mlir::func::FuncOp func, llvm::ArrayRef<Tensor> inputs);
  llvm::Error checkGuard(graph::GuardOp guard);

  mlir::ModuleOp module;
  Precision precision;
  llvm::StringMap<int64_t> symbols;
  llvm::StringMap<Tensor> state;
};

/// True where Interpreter::evaluate knows the op's meaning.
bool canEvaluate(mlir::Operation *op);

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_INTERPRETER_H
