// What several passes do with a module's parameters.
#ifndef GRAPHC_PASSES_PARAMETERS_H
#define GRAPHC_PASSES_PARAMETERS_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Erases every graph.parameter that no graph.get reads.
void eraseUnusedParameters(mlir::ModuleOp module);

} // namespace graphc

#endif // GRAPHC_PASSES_PARAMETERS_H
