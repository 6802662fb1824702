// From LLVM IR to an image: optimise, emit an object, link with lld in process.
//
//   Backend backend(level);
//   backend.optimize(module);
//   llvm::SmallVector<char> object = backend.emit(module, llvm::CodeGenFileType::ObjectFile);
//   llvm::Expected<std::vector<std::byte>> image = linkImage({object});
#ifndef GRAPHC_CODEGEN_CPU_BACKEND_H
#define GRAPHC_CODEGEN_CPU_BACKEND_H

#include "codegen/cpu/FunctionBuilder.h"

#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace graphc::cpu {

/// One thread's code generator for one level. Modules handed to it belong to one LLVMContext each.
class Backend {
public:
  explicit Backend(const Level &level);
  /// Sets triple and data layout; before anything is emitted into the module.
  void prepare(llvm::Module &module);
  /// Scalar cleanups only: no unrolling, no vectoriser, nothing that makes library calls.
  void optimize(llvm::Module &module);
  llvm::SmallVector<char, 0> emit(llvm::Module &module, llvm::CodeGenFileType type);

private:
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Links objects into an ELF image without imports, relocations or writable data. Thread safe; lld runs once at a time.
/// Errors are the environment's (no room for a temporary file); an image that needs anything is an internal error.
llvm::Expected<std::vector<std::byte>> linkImage(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects);

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_BACKEND_H
