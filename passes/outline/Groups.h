// Groups of graph ops that become one kernel, as FuseKernels marks them and OutlineKernels reads them.
//
// An op's group is its `graph.group` attribute (i64, per function); an op without it is a group of its own. `graph.value` (i64, from importing) is the
// SourceGraph value that it computes.
#ifndef GRAPHC_PASSES_OUTLINE_GROUPS_H
#define GRAPHC_PASSES_OUTLINE_GROUPS_H

#include "ir/kernel/Kernel.h"
#include "ir/support/Check.h"
#include "passes/outline/KernelEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

inline constexpr llvm::StringLiteral groupAttrName = "graph.group";
inline constexpr llvm::StringLiteral valueAttrName = "graph.value";
/// On a kernel.launch: the SourceGraph value that each output is, -1 where it is none.
inline constexpr llvm::StringLiteral outputValuesAttrName = "graph.output_values";

struct Group {
  llvm::SmallVector<mlir::Operation *> ops;      // in program order
  llvm::SmallVector<mlir::Value> outputs;        // what the outside uses, in order
  graph::ContractionOpInterface contraction;     // null: elements
};

/// Whether the op computes a tensor: it belongs into a kernel.
bool isComputation(mlir::Operation *op);
/// Whether it is a range, a fill or another op that kernels take in by value.
bool isSource(mlir::Operation *op);
bool canOutline(mlir::Operation *op);

/// All groups of a function in the order of their last ops; sources are left out.
llvm::SmallVector<Group> collectGroups(mlir::func::FuncOp function);
/// Every source of the function as a group.
llvm::SmallVector<Group> collectSources(mlir::func::FuncOp function);
/// The op as what becomes a kernel.contract; null where it is none, sums a single column (depthwise convolutions, one output feature) or convolves over small groups, which
/// a reduction does better.
graph::ContractionOpInterface getContractionKernel(mlir::Operation *op);
/// A group of the given ops (in program order), with its outputs.
Group makeGroup(llvm::ArrayRef<mlir::Operation *> ops);

/// "linear_add_relu"
std::string getGroupName(const Group &group);
/// All ops' locations.
mlir::Location getGroupLoc(const Group &group);
/// The SourceGraph values that the group computes, as i64 attributes; null where none is known.
mlir::ArrayAttr getGroupSource(const Group &group);
/// The SourceGraph value of each of the group's outputs, -1 where it is none of them; null where none is known.
mlir::ArrayAttr getOutputValues(const Group &group);

/// An output's element, in compute type, and where it goes.
struct OutputElement {
  mlir::Value value;
  llvm::SmallVector<mlir::AffineExpr> index;
};
/// The outputs' elements of a contraction's group, emitted into the epilogue of `open`, its kernel.contract; nullopt where a view between has no inverse or a shape
/// differs.
std::optional<llvm::SmallVector<OutputElement>> emitEpilogue(KernelEmitter &emitter, const Group &group, const KernelEmitter::Contraction &open);

} // namespace graphc

#endif // GRAPHC_PASSES_OUTLINE_GROUPS_H
