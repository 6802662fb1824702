// Runs an artifact and looks at what each of its launches reads and writes, as the kernels left it: fusion, code, threads and memory
// plan are the artifact's own.
//
// Input: the module after formKernels() (what the launches are), the artifact made of it, the arrays of each call. Output: the
// call's outputs, and a callback per launch.
//
//   TracedRun run(module, artifactBytes, size, threads);
//   run.onLaunch = [&](kernel::LaunchOp op, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs) { … };
//   llvm::Expected<std::vector<Tensor>> outputs = run.call(inputs);      state lives on to the next call
#ifndef GRAPHC_TOOLS_VERIFY_TRACEDRUN_H
#define GRAPHC_TOOLS_VERIFY_TRACEDRUN_H

#include "ir/interpreter/Tensor.h"
#include "ir/kernel/Kernel.h"
#include "runtime/exec/Context.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>

namespace graphc::verify {

using interpreter::Tensor;

class TracedRun : private runtime::StepObserver {
public:
  /// The artifact's memory must outlive this. Errors: create().
  static llvm::Expected<std::unique_ptr<TracedRun>> create(mlir::ModuleOp module, const std::byte *artifact, size_t size, unsigned threads);

  /// The program's outputs. Errors: what the runtime refuses (Model), an index out of range in the data, ….
  llvm::Expected<std::vector<Tensor>> call(llvm::ArrayRef<Tensor> inputs);

  /// Off: runs as they are in production, without a barrier around every step; then nothing is called.
  void setTraced(bool traced) { context->setObserver(traced ? this : nullptr); }

  /// Called after each launch. `inputs` were read before it, only where `wantsInputs` says so; empty otherwise.
  std::function<void(kernel::LaunchOp, llvm::ArrayRef<Tensor> inputs, llvm::ArrayRef<Tensor> outputs)> onLaunch;
  std::function<bool(kernel::LaunchOp)> wantsInputs;

  /// The function (variant) that the last call executed; the one that the first call will, before it.
  unsigned getVariant() const { return context->variant(); }

private:
  explicit TracedRun(mlir::ModuleOp module) : module(module) {}
  void before(const runtime::Instance &instance, uint32_t step) override;
  void after(const runtime::Instance &instance, uint32_t step) override;
  kernel::LaunchOp launchAt(const runtime::Instance &instance, uint32_t step);
  std::vector<Tensor> read(const runtime::Instance &instance, uint32_t step, size_t from, mlir::TypeRange types);

  mlir::ModuleOp module;
  std::shared_ptr<const runtime::Model> model;
  std::unique_ptr<runtime::Context> context;
  std::vector<std::vector<kernel::LaunchOp>> launches; // by variant and step; null where the step is no launch
  std::vector<Tensor> inputs;                          // of the step at hand
};

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_TRACEDRUN_H
