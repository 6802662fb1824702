// A model that the reference interpreter runs: imported and decomposed, nothing fused, no code generated. The oracle for
// results of generated code, and (in double mode) the fp64 reference of models that have f32 built in.
//
//   llvm::Expected<std::unique_ptr<InterpretedModel>> model = InterpretedModel::build(options);
//   llvm::Expected<std::vector<interpreter::Tensor>> outputs = (*model)->run({x}, interpreter::Precision::Default);
#ifndef GRAPHC_TOOLS_DRIVER_INTERPRETEDMODEL_H
#define GRAPHC_TOOLS_DRIVER_INTERPRETEDMODEL_H

#include "ir/interpreter/Interpreter.h"
#include "tools/driver/Compilation.h"

namespace graphc::driver {

class InterpretedModel {
public:
  /// Errors as compile(). The stage and the level of `options` mean nothing here.
  static llvm::Expected<std::unique_ptr<InterpretedModel>> build(const CompileOptions &options);

  /// The results for inputs in the model's order. Errors name op and line: a guard, an index out of range, a division by
  /// zero; a model with state that depends on its own values (several variants) is refused.
  llvm::Expected<std::vector<interpreter::Tensor>> run(std::vector<interpreter::Tensor> inputs, interpreter::Precision precision);

  const std::vector<Diagnostic> &getDiagnostics() const { return diagnostics; }
  mlir::MLIRContext &getContext() { return *compilation.getModule().getContext(); }

private:
  explicit InterpretedModel(const CompileOptions &given) : options(given), compilation(options) {}

  CompileOptions options;
  Compilation compilation; // up to the point where targets fork
  std::vector<Diagnostic> diagnostics;
  std::unique_ptr<interpreter::Interpreter> interpreters[2]; // by precision; each has its state
};

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_INTERPRETEDMODEL_H
