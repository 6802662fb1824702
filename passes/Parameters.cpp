// See Parameters.h.
#include "passes/Parameters.h"

#include "ir/graph/Graph.h"

#include "llvm/ADT/StringSet.h"

void graphc::eraseUnusedParameters(mlir::ModuleOp module) {
  llvm::StringSet<> used;
  module.walk([&](graph::GetOp get) { used.insert(get.getParameter()); });
  for (auto parameter : llvm::make_early_inc_range(module.getOps<graph::ParameterOp>()))
    if (!used.contains(parameter.getSymName()))
      parameter.erase();
}
