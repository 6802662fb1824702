// Convolutions for which no contraction kernel serves as they are: over symbolic dims, and transposed ones whose windows overlap.
#ifndef GRAPHC_PASSES_DECOMPOSE_CONVOLUTIONS_H
#define GRAPHC_PASSES_DECOMPOSE_CONVOLUTIONS_H

#include "mlir/IR/Value.h"

namespace graphc {

/// What replaces a convolution or a transposed convolution; null where it stays, and for other ops.
mlir::Value decomposeConvolution(mlir::Operation *op);

} // namespace graphc

#endif // GRAPHC_PASSES_DECOMPOSE_CONVOLUTIONS_H
