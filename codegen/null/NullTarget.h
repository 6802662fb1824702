// The target that generates nothing: every kernel.func gets one candidate without code, one work unit a grid point. It lets plans be built and printed
// where no code is wanted, and shows what a target must give (docs/AddATarget.md).
#ifndef GRAPHC_CODEGEN_NULL_NULLTARGET_H
#define GRAPHC_CODEGEN_NULL_NULLTARGET_H

#include "codegen/Target.h"

namespace graphc::codegen {
TargetCode compileNothing(mlir::ModuleOp module);
} // namespace graphc::codegen

#endif // GRAPHC_CODEGEN_NULL_NULLTARGET_H
