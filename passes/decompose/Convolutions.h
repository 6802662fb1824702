// Convolutions over symbolic dims, in a form whose access maps need no extent of the operand.
#ifndef GRAPHC_PASSES_DECOMPOSE_CONVOLUTIONS_H
#define GRAPHC_PASSES_DECOMPOSE_CONVOLUTIONS_H

#include "ir/graph/Graph.h"

namespace graphc {

/// What replaces a convolution that pads a symbolic dim: graph.pad, then the convolution without padding. Null for other ops. Fails (with an error at the op's line) for a transposed
/// convolution over a symbolic dim, which has no kernel.
mlir::FailureOr<mlir::Value> decomposeSymbolicConvolution(mlir::Operation *op);

} // namespace graphc

#endif // GRAPHC_PASSES_DECOMPOSE_CONVOLUTIONS_H
