// Each kernel of a run by itself: its machine code against the interpreter in double, on the very inputs that it got.
//
// Errors of earlier kernels don't count, so that the first kernel found is one whose code does not do what its kernel.func says.
//
//   llvm::Expected<std::optional<WrongKernel>> wrong = findWrongKernel(*run, module, calls);
#ifndef GRAPHC_TOOLS_VERIFY_KERNELCHECK_H
#define GRAPHC_TOOLS_VERIFY_KERNELCHECK_H

#include "tools/verify/Judge.h"
#include "tools/verify/TracedRun.h"
#include "llvm/ADT/StringMap.h"

namespace graphc::verify {

struct WrongKernel {
  kernel::LaunchOp launch;
  unsigned call = 0, output = 0;
  Verdict verdict;
};

/// Runs the calls and interprets every launch (or `only` this one). nullopt: all kernels do what they say. Errors: a run that fails, a
/// kernel that the interpreter can't run.
llvm::Expected<std::optional<WrongKernel>> findWrongKernel(TracedRun &run, mlir::ModuleOp module, const std::vector<std::vector<Tensor>> &calls,
                                                           kernel::LaunchOp only = {});

/// An output of a kernel against the same out of the interpreter: rounding and the order of sums are allowed for, 16 times the floors of
/// DESIGN section 7; of integers and bools (comparisons of rounded floats) one in a thousand may differ.
Verdict judgeKernel(const Tensor &y, Tensor interpreted);

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_KERNELCHECK_H
