// See TextStages.h.
#include "tools/driver/TextStages.h"
#include "codegen/cuda/CudaEmitter.h"
#include "codegen/cuda/Nvrtc.h"
#include "ir/kernel/Kernel.h"
#include "tools/driver/Failure.h"

using namespace graphc;
using namespace graphc::driver;

std::string graphc::driver::printModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16);
  flags.elideLargeResourceString(64);
  module.print(os, flags);
  os << '\n';
  return text;
}

/// One program with every kernel; an error where a kernel has a form that CUDA doesn't cover.
static llvm::Expected<std::string> cudaText(mlir::ModuleOp module, codegen::DimsTable &dims) {
  cuda::EmitOptions emit;
  emit.dimSlot = [&](graph::DimAttr dim) { return int(dims.getIndex(dim)); };
  std::vector<cuda::CudaKernel> kernels;
  for (auto func : module.getOps<kernel::FuncOp>()) {
    llvm::FailureOr<cuda::CudaKernel> kernel = cuda::emitCudaKernel(func, emit);
    if (mlir::failed(kernel))
      return failure(ExitStatus::Model, "kernel '" + func.getSymName().str() + "' has a form that the CUDA emitter does not cover");
    kernels.push_back(std::move(*kernel));
  }
  return cuda::programText(kernels);
}

llvm::Expected<std::string> graphc::driver::printStage(mlir::ModuleOp module, Emit stage, codegen::DimsTable &dims,
                                                       const codegen::CpuOptions &options) {
  if (stage == Emit::Llvm || stage == Emit::Asm) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (llvm::Error error = codegen::emitKernelText(module, dims, options, stage == Emit::Asm ? codegen::CpuText::Asm : codegen::CpuText::Llvm, os))
      return error;
    return text;
  }
  llvm::Expected<std::string> text = cudaText(module, dims);
  if (!text || stage == Emit::Cuda)
    return text;
  llvm::Expected<std::unique_ptr<cuda::Nvrtc>> nvrtc = cuda::Nvrtc::open(cuda::defaultDepsFolder());
  if (!nvrtc)
    return failure(ExitStatus::Environment, llvm::toString(nvrtc.takeError()));
  return (*nvrtc)->compileToPtx(*text, "compute_80");
}
