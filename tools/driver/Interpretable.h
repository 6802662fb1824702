// A program as the interpreter can run it.
//
// Input: a module after importing or any pass. Output: a copy; composite ops that the interpreter doesn't know (lstm, a convolution that pads a
// symbolic dim) are taken apart by the pass Decompose. What remains unknown the interpreter names when it gets there.
#ifndef GRAPHC_TOOLS_DRIVER_INTERPRETABLE_H
#define GRAPHC_TOOLS_DRIVER_INTERPRETABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace graphc::driver {

mlir::OwningOpRef<mlir::ModuleOp> makeInterpretable(mlir::ModuleOp module);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_INTERPRETABLE_H
