// What the compiler decided and why, for `--report`: the remarks of the passes (fusions refused, layout conversions, constants not folded) and the kernels with
// the Python lines they come from.
//
//   DecisionLog decisions(context);            before any pass runs
//   report["decisions"] = decisions.take();    [{"category": "fusion", "file": "model.py", "line": 12, "text": "graph.add stays apart from …"}, …]
//   report["kernels"] = describeKernels(module, code);
#ifndef GRAPHC_TOOLS_DRIVER_DECISIONLOG_H
#define GRAPHC_TOOLS_DRIVER_DECISIONLOG_H

#include "codegen/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <memory>

namespace graphc::driver {

class DecisionLog {
public:
  /// Collects the remarks of this context from now on, as long as the context lives.
  explicit DecisionLog(mlir::MLIRContext &context);
  /// What was collected, equal entries once, in order.
  llvm::json::Array take();

private:
  std::shared_ptr<llvm::json::Array> entries;
};

/// One object a kernel in module order: name, launches, lines, arithmetic and bytes of one launch where they are constant.
llvm::json::Array describeKernels(mlir::ModuleOp module, const codegen::TargetCode &code);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_DECISIONLOG_H
