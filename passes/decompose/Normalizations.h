// Norms in terms of ops whose kernels are faster: what is known at compile time computed there, long statistics in two steps.
#ifndef GRAPHC_PASSES_DECOMPOSE_NORMALIZATIONS_H
#define GRAPHC_PASSES_DECOMPOSE_NORMALIZATIONS_H

#include "ir/graph/Graph.h"

namespace graphc {

/// What replaces the result of a batch_norm over constants or of a group_norm over large groups, built before `op`; null for other ops.
mlir::Value decomposeNormalization(mlir::Operation *op);

} // namespace graphc

#endif // GRAPHC_PASSES_DECOMPOSE_NORMALIZATIONS_H
