// Contractions: not generated yet, and said so.
#include "codegen/cpu/KernelGenerators.h"

using namespace graphc;
using namespace graphc::cpu;

llvm::Expected<GeneratedKernel> graphc::cpu::generateContraction(kernel::FuncOp func, FunctionBuilder &f) {
  return llvm::createStringError("the CPU code generator does not cover contractions yet");
}
