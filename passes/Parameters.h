// What several passes do with a module's parameters.
#ifndef GRAPHC_PASSES_PARAMETERS_H
#define GRAPHC_PASSES_PARAMETERS_H

#include "ir/graph/Graph.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// The elements' bytes in row-major order (those of one element for a splat), or nothing where the attribute has no such memory.
llvm::ArrayRef<char> getFlatBytes(mlir::ElementsAttr value);

/// A parameter made from another, whose name it has with `suffix`.
graph::ParameterOp deriveParameter(mlir::SymbolTable &symbols, graph::ParameterOp original, const llvm::Twine &suffix, mlir::RankedTensorType type, mlir::AsmResourceBlob blob);

/// Erases every graph.parameter that no graph.get reads.
void eraseUnusedParameters(mlir::ModuleOp module);

} // namespace graphc

#endif // GRAPHC_PASSES_PARAMETERS_H
