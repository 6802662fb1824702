// See Interpretable.h.
#include "tools/driver/Interpretable.h"
#include "ir/interpreter/Interpreter.h"
#include "passes/Passes.h"
#include "passes/outline/Groups.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace graphc;

OwningOpRef<ModuleOp> driver::makeInterpretable(ModuleOp module) {
  OwningOpRef<ModuleOp> program(cast<ModuleOp>(module->clone()));
  WalkResult composite = program->walk([](Operation *op) {
    bool isGraphOp = isa<graph::GraphOpInterface>(op) && isa<func::FuncOp>(op->getParentOp());
    return isGraphOp && isComputation(op) && !interpreter::canEvaluate(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (composite.wasInterrupted()) {
    PassManager pm(module.getContext());
    pm.addPass(createDecompose());
    if (failed(pm.run(*program)))
      program = OwningOpRef<ModuleOp>(cast<ModuleOp>(module->clone())); // interpreting says what is missing
  }
  return program;
}
