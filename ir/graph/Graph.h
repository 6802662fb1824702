// C++ side of the graph dialect: see GraphDialect.td and the op files beside it.
#ifndef GRAPHC_IR_GRAPH_GRAPH_H
#define GRAPHC_IR_GRAPH_GRAPH_H

#include "ir/graph/Dim.h"
#include "ir/graph/GraphTraits.h"
#include "ir/kernel/ElementEmitter.h"
#include "ir/scalar/ScalarBuilder.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/graph/GraphDialect.h.inc"
#include "ir/graph/GraphInterfaces.h.inc"
#define GET_OP_CLASSES
#include "ir/graph/GraphOps.h.inc"

namespace graphc::graph {

/// Attribute of a function's result: the number of the input that holds it after the run. Such a result is no output of the program.
inline constexpr llvm::StringLiteral writesInputAttrName = "graph.writes_input";

/// Whether the guard holds; nullopt where a dim has no value.
std::optional<bool> evaluateGuard(GuardOp guard, const llvm::StringMap<int64_t> &symbols);

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_GRAPH_H
