// Scans, sorts, scattered writes and linear systems as routines of the runtime, in time that grows with the number of elements (times its logarithm for sorts).
#ifndef GRAPHC_PASSES_DECOMPOSE_ROUTINES_H
#define GRAPHC_PASSES_DECOMPOSE_ROUTINES_H

#include "ir/kernel/Kernel.h"

namespace graphc {

/// What replaces the results of a scan, sort, topk, scatter or linear system, built before `op`; empty for other ops.
llvm::SmallVector<mlir::Value> useRoutine(mlir::Operation *op);

/// base with slice indices[j] along dim combined with slice j of source. `indices` has source's rank, size 1 in the other dims.
mlir::Value scatterSlices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base, mlir::Value indices, mlir::Value source, int64_t dim, graph::ScatterReduce how);

} // namespace graphc

#endif // GRAPHC_PASSES_DECOMPOSE_ROUTINES_H
