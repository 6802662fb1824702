// The rules that a plan must keep before anything of it is used: every index has its table, every expression is well formed,
// blocks nest, buffers are alive where steps use them, constants lie inside their sections. FlatBuffers' own verifier has run
// before. The executor relies on all of this and checks none of it again.
#ifndef GRAPHC_RUNTIME_LOADER_CHECKPLAN_H
#define GRAPHC_RUNTIME_LOADER_CHECKPLAN_H

#include "runtime/plan/Plan_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::runtime {

/// "" when the plan keeps all rules, else the first one broken, naming variant, step or table entry. `weightSectionBytes`: size
/// of each weights section.
std::string checkPlan(const plan::Plan &plan, const std::vector<uint64_t> &weightSectionBytes);

/// Names the first step that this runtime can't execute ("library call cublasLt", "fallback segment torch"), "" when there is none.
std::string unsupportedStep(const plan::Plan &plan);

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_LOADER_CHECKPLAN_H
