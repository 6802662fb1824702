// The generators: each turns one kernel.func into one LLVM function and says how its work is cut into units.
#ifndef GRAPHC_CODEGEN_CPU_KERNELGENERATORS_H
#define GRAPHC_CODEGEN_CPU_KERNELGENERATORS_H

#include "codegen/cpu/FunctionBuilder.h"
#include "ir/kernel/Kernel.h"

namespace graphc::cpu {

struct GeneratedKernel {
  std::string schedule;
  graph::DimAttr units, chunk, scratchBytes, flops, costNs;
};

/// Pointwise, reduce and row kernels (SpmdGenerator.cpp).
GeneratedKernel generateSpmd(kernel::FuncOp func, FunctionBuilder &f);
/// Depthwise convolutions over channels-last tensors (DepthwiseGenerator.cpp). Nothing, and nothing emitted, where the kernel is none.
std::optional<GeneratedKernel> generateDepthwise(kernel::FuncOp func, FunctionBuilder &f);
/// Contractions (ContractionGenerator.cpp). Fails on forms it doesn't cover; the error names the kernel.
llvm::Expected<GeneratedKernel> generateContraction(kernel::FuncOp func, FunctionBuilder &f);

/// Sets time and chunk of a kernel whose unit takes about `cyclesPerUnit`; `units` is set.
void setCosts(GeneratedKernel &kernel, double cyclesPerUnit);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_KERNELGENERATORS_H
