// See KernelCheck.h.
#include "tools/verify/KernelCheck.h"
#include "ir/interpreter/KernelInterpreter.h"
#include "ir/support/Location.h"
#include "tools/driver/Failure.h"
#include "tools/verify/Inputs.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::verify;

Verdict verify::judgeKernel(const Tensor &y, Tensor interpreted) {
  Expectation expected;
  expected.dtype = y.elementType();
  expected.slack = 16;
  expected.exact = std::move(interpreted);
  Verdict verdict = judge(y, expected);
  if (!y.elements.isFloat() && verdict.why.empty())
    verdict.right = verdict.ours.rms <= 1e-3;
  return verdict;
}

llvm::Expected<std::optional<WrongKernel>> verify::findWrongKernel(TracedRun &run, ModuleOp module, const std::vector<std::vector<Tensor>> &calls,
                                                                   kernel::LaunchOp only) {
  SymbolTable symbols(module);
  std::optional<WrongKernel> wrong;
  std::string failed;
  llvm::StringMap<int64_t> sizes;
  unsigned call = 0;
  auto isLooked = [&](kernel::LaunchOp op) { return !wrong && failed.empty() && (!only || op == only); };
  run.wantsInputs = isLooked;
  run.onLaunch = [&](kernel::LaunchOp op, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs) {
    if (!isLooked(op))
      return;
    SmallVector<const Tensor *> operands = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
    auto func = symbols.lookup<kernel::FuncOp>(op.getKernel());
    llvm::Expected<std::vector<Tensor>> expected = interpreter::interpretKernel(func, operands, sizes, interpreter::Precision::Double);
    if (!expected) {
      failed = llvm::toString(expected.takeError());
      return;
    }
    for (unsigned i = 0; i < outputs.size() && !wrong; ++i)
      if (Verdict verdict = judgeKernel(outputs[i], std::move((*expected)[i])); !verdict.right)
        wrong = WrongKernel{op, call, i, verdict};
  };
  for (const std::vector<Tensor> &inputs : calls) {
    sizes = getSymbols(*module.getOps<func::FuncOp>().begin(), inputs);
    llvm::Expected<std::vector<Tensor>> outputs = run.call(inputs);
    if (!outputs)
      return outputs.takeError();
    if (wrong || !failed.empty())
      break;
    ++call;
  }
  run.wantsInputs = {};
  run.onLaunch = {};
  if (!failed.empty())
    return driver::failure(driver::ExitStatus::Model, "a kernel can't be interpreted: " + failed);
  return wrong;
}
