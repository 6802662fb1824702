// Scans, sorts, scattered writes and linear systems as routines of the runtime, in time that grows with the number of elements (times its logarithm for sorts).
#ifndef GRAPHC_PASSES_DECOMPOSE_ROUTINES_H
#define GRAPHC_PASSES_DECOMPOSE_ROUTINES_H

#include "ir/kernel/Kernel.h"

namespace graphc {

/// What replaces the results of a scan, sort, topk, scatter or linear system, built before `op`; empty for other ops.
llvm::SmallVector<mlir::Value> useRoutine(mlir::Operation *op);

} // namespace graphc

#endif // GRAPHC_PASSES_DECOMPOSE_ROUTINES_H
