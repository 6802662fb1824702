// What `--target` names: cpu, cpu:x86-64-v3, cpu:x86-64-v4, cpu:native.
#ifndef GRAPHC_TOOLS_DRIVER_TARGETS_H
#define GRAPHC_TOOLS_DRIVER_TARGETS_H

#include "llvm/Support/Error.h"
#include "runtime/plan/Plan_generated.h"

#include <string>
#include <vector>

namespace graphc::driver {

/// CPU levels for the given targets, lowest first; none given: x86-64-v3 and x86-64-v4. Errors (ExitStatus::Usage) list what there is.
llvm::Expected<std::vector<std::string>> cpuLevels(const std::vector<std::string> &targets);

/// The largest sum of the bytes that live at once in any variant of `plan`; -1 where it depends on symbolic dims.
int64_t arenaBytes(const plan::PlanT &plan);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_TARGETS_H
