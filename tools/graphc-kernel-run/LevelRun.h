// Runs one compiled kernel on buffers whose last byte lies before an unmapped page, so that an access past an end is a crash, not luck.
#ifndef GRAPHC_TOOLS_GRAPHC_KERNEL_RUN_LEVELRUN_H
#define GRAPHC_TOOLS_GRAPHC_KERNEL_RUN_LEVELRUN_H

#include "codegen/Target.h"
#include "ir/interpreter/Tensor.h"
#include "ir/kernel/Kernel.h"
#include "runtime/plan/KernelAbi.h"

#include "llvm/ADT/StringMap.h"

namespace graphc::tools {

/// Memory of `size` bytes that ends where an unmapped page begins.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t size);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer &&other) noexcept;
  GuardedBuffer(const GuardedBuffer &) = delete;
  std::byte *data() const { return begin; }
  size_t size() const { return bytes; }

private:
  void *mapping = nullptr;
  size_t mapped = 0, bytes = 0;
  std::byte *begin = nullptr;
};

struct LaunchResult {
  std::vector<interpreter::Tensor> outputs;
  graphc_status_slot status;
  double nanoseconds = 0; ///< fastest of the repetitions
};

struct Launch {
  graphc_kernel kernel;
  const codegen::CandidateCode *candidate;
  kernel::FuncOp func;
  llvm::ArrayRef<graph::DimAttr> dims;
  const llvm::StringMap<int64_t> *symbols;
};

/// Runs all units, `split` at a time (0: all at once) and last chunk first where `backwards`, `repetitions` times.
LaunchResult launch(const Launch &launch, llvm::ArrayRef<interpreter::Tensor> inputs, int64_t split, bool backwards, int repetitions);

/// Elements in the physical order that the type says.
std::vector<std::byte> toPhysical(const interpreter::Tensor &tensor, mlir::RankedTensorType type);
interpreter::Tensor fromPhysical(llvm::ArrayRef<std::byte> bytes, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> sizes);

} // namespace graphc::tools

#endif // GRAPHC_TOOLS_GRAPHC_KERNEL_RUN_LEVELRUN_H
