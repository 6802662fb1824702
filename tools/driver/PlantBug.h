// Makes a compile go wrong on purpose, so that tests can check that `graphc verify` and `graphc bisect` notice and say where.
//
// Input: the module at some point of the pipeline. Afterwards it has the cosine of one value in its place: of the result of the op in the
// middle of the longest function, or where there are kernels already, of what the kernel of its middle launch stores.
#ifndef GRAPHC_TOOLS_DRIVER_PLANTBUG_H
#define GRAPHC_TOOLS_DRIVER_PLANTBUG_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace graphc::driver {

/// Whether `--debug-plant` can name this point: "import", a pass of the pipeline by its flag (a second run of it with "#2"), or
/// "codegen" (the machine code is wrong, the module isn't), or "codegen:KERNEL" for one kernel's.
bool isPlantable(llvm::StringRef point);
bool isInCode(llvm::StringRef point);
/// The points, for messages.
std::string plantableText();

/// False where no op or kernel computes f32 or f64.
bool plantBug(mlir::ModuleOp module);
/// On the copy of the module that machine code is made from; `point` is in code. False too where there is no such kernel.
bool plantBugInCode(mlir::ModuleOp module, llvm::StringRef point);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_PLANTBUG_H
