// See InterpretedModel.h.
#include "tools/driver/InterpretedModel.h"
#include "ir/graph/Graph.h"
#include "tools/driver/Failure.h"

using namespace graphc;
using namespace graphc::driver;

llvm::Expected<std::unique_ptr<InterpretedModel>> InterpretedModel::build(const CompileOptions &options) {
  std::unique_ptr<InterpretedModel> model(new InterpretedModel(options));
  if (llvm::Error error = model->compilation.import())
    return error;
  if (llvm::Error error = model->compilation.optimizeGraph())
    return error;
  llvm::Expected<CompileResult> result = model->compilation.finishText("");
  if (!result)
    return result.takeError();
  model->diagnostics = std::move(result->diagnostics);
  return model;
}

llvm::Expected<std::vector<interpreter::Tensor>> InterpretedModel::run(std::vector<interpreter::Tensor> inputs,
                                                                       interpreter::Precision precision) {
  mlir::ModuleOp module = compilation.getModule();
  auto functions = llvm::to_vector(module.getOps<mlir::func::FuncOp>());
  if (functions.size() != 1)
    return failure(ExitStatus::Model, "the interpreter runs models of one variant, this one has " + std::to_string(functions.size()));
  std::unique_ptr<interpreter::Interpreter> &interpreter = interpreters[precision == interpreter::Precision::Double];
  if (!interpreter)
    interpreter = std::make_unique<interpreter::Interpreter>(module, precision);
  mlir::func::FuncOp function = functions.front();
  llvm::Expected<std::vector<interpreter::Tensor>> results = interpreter->run(function, std::move(inputs));
  if (!results)
    return results.takeError();
  std::vector<interpreter::Tensor> outputs;
  for (auto &&[i, result] : llvm::enumerate(*results))
    if (!function.getResultAttr(i, graph::writesInputAttrName)) // what an input holds afterwards is no output
      outputs.push_back(std::move(result));
  return outputs;
}
