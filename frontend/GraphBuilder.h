// Turns a SourceGraph into a module of the graph dialect.
//
// Input: what a reader produced, the dims and dtypes of the tensor arguments, the values of the other arguments. Output: a
// module with one graph.parameter for each weight, graph.state for what outlives a run, graph.symbol for symbolic dims, and one
// function for each reachable state (`@forward`, `@forward$1`, …), free of lists, ifs, loops and in-place writes.
//
//   BuildOptions options;
//   options.inputs = {{"x", ScalarType::F32, {{.value = 1}, {.value = 512}}}};
//   options.binds = {{"sr", "16000"}};
//   llvm::Expected<BuiltGraph> graph = buildGraph(context, source, options);
#ifndef GRAPHC_FRONTEND_GRAPHBUILDER_H
#define GRAPHC_FRONTEND_GRAPHBUILDER_H

#include "frontend/InputSpec.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace graphc::frontend {

struct BuildOptions {
  std::vector<InputSpec> inputs;
  std::vector<BindSpec> binds;
  int64_t maxUnroll = 10000;       // iterations of one loop
  size_t maxNodes = 2'000'000;     // evaluated over all variants
  size_t maxOps = 100'000;         // made in one function
  size_t maxVariants = 8;          // functions for different states (DESIGN section 9)
};

struct BuiltGraph {
  /// Its resources hold the weights' memory: a context that lives as long as the module keeps the file mapped.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> notes; // what was left out, such as prints and warnings
};

/// Builds the module; the context must have the graph and func dialects loaded or loadable. Errors: all unsupported ops in one
/// text with their Python lines, an exception that the model raises for these arguments, inputs that are missing or don't fit.
llvm::Expected<BuiltGraph> buildGraph(mlir::MLIRContext &context, const SourceGraph &source, const BuildOptions &options);

/// The ATen operators that have a meaning, sorted: "aten::add" for all overloads, "aten::max.other" for one. An operator may still be refused for some arguments.
std::vector<std::string> supportedOperators();

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_GRAPHBUILDER_H
