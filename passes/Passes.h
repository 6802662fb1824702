// Creation and registration of the passes that Passes.td declares.
//
//   pm.addPass(graphc::createOutlineKernels());
#ifndef GRAPHC_PASSES_PASSES_H
#define GRAPHC_PASSES_PASSES_H

#include "ir/kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace graphc {
#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace graphc

#endif // GRAPHC_PASSES_PASSES_H
