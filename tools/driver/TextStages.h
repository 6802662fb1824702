// The stages of compiling that `--emit` shows as text.
#ifndef GRAPHC_TOOLS_DRIVER_TEXTSTAGES_H
#define GRAPHC_TOOLS_DRIVER_TEXTSTAGES_H

#include "codegen/Target.h"
#include "tools/driver/Compiler.h"

namespace graphc::driver {

/// The module with its locations left out and large constants shortened.
std::string printModule(mlir::ModuleOp module);

/// LLVM IR or assembly of the CPU kernels, CUDA C++ of all kernels, or what NVRTC makes of it (PTX), after outlining.
llvm::Expected<std::string> printStage(mlir::ModuleOp module, Emit stage, codegen::DimsTable &dims, const codegen::CpuOptions &options);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_TEXTSTAGES_H
