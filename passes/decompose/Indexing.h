// Scattered writes and orders in terms of comparisons, reductions and gathers, for targets without routines: correct for every size, dtype and target, with work that
// grows with the product of the extents involved.
#ifndef GRAPHC_PASSES_DECOMPOSE_INDEXING_H
#define GRAPHC_PASSES_DECOMPOSE_INDEXING_H

#include "ir/graph/Graph.h"

namespace graphc {

/// What replaces the results of a scatter, index_put, index_add, index_copy, sort or topk, built before `op`; empty for other ops. Indices stay checked: one outside its
/// dim is a run-time error at the op's line. With `routines` the scattered writes that remain are kernel.routine ops (Routines.h) instead.
llvm::SmallVector<mlir::Value> decomposeIndexing(mlir::Operation *op, bool routines);

} // namespace graphc

#endif // GRAPHC_PASSES_DECOMPOSE_INDEXING_H
