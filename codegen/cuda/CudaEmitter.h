// kernel.func to CUDA C++: a functor, and one instantiation of a template of kernels/.
//
// Input: one kernel.func. Output: text that NVRTC compiles and that g++ compiles against the SIMT emulator, with what a
// launch needs to know. Which template, by the shape of the body:
//   no stage                                  pointwise.cuh, one thread per grid point (or per 2..8 neighbours)
//   reduce and map stages                     row_reduce.cuh, a warp or a block per grid point; short or strided inner
//                                             domains: pointwise.cuh with the stages as loops
//   contraction of f32, f16, bf16 matrices    gemm_fma.cuh, gemm_mma.cuh
//   any other contraction                     pointwise.cuh with the sum as a loop
//
//   auto kernel = emitCudaKernel(func, options);
//   nvrtc.compile(programText({*kernel}), "sm_90a");
#pragma once

#include "ir/kernel/Kernel.h"

#include <functional>
#include <string>

namespace graphc::cuda {

/// How many blocks a launch has: ceil(product of ceil(extents[i] / tile[i]) / perBlock), at least 1. Every template
/// strides over its grid: any other number gives the same result, more slowly.
struct LaunchShape {
  llvm::SmallVector<graph::DimAttr> extents;
  llvm::SmallVector<int64_t> tile;
  int64_t perBlock = 1;
  unsigned threads = 256;
  unsigned sharedBytes = 0;

  /// Blocks for the given dims, capped at `most`.
  int64_t blocks(llvm::function_ref<int64_t(graph::DimAttr)> evaluate, int64_t most) const;
};

struct CudaKernel {
  std::string name;      ///< of the entry function: the kernel's, with a prefix
  std::string text;      ///< functor and kernel, without includes
  std::string templates; ///< file to include
  LaunchShape launch;
  std::string strategy; ///< one line for reports: which template and why
};

struct EmitOptions {
  /// Index into the dims table that the launch passes, of a dim that is no constant.
  std::function<int(graph::DimAttr)> dimSlot;
};

/// Emits a diagnostic at the kernel where a form isn't supported.
llvm::FailureOr<CudaKernel> emitCudaKernel(kernel::FuncOp func, const EmitOptions &options);

/// Several kernels as one program.
std::string programText(llvm::ArrayRef<CudaKernel> kernels);

} // namespace graphc::cuda
