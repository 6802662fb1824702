// A plan as text, for `--emit plan`, `inspect` and tests. Stable: equal plans give equal text.
#ifndef GRAPHC_CODEGEN_PLAN_PRINTPLAN_H
#define GRAPHC_CODEGEN_PLAN_PRINTPLAN_H

#include "runtime/plan/Plan_generated.h"
#include "llvm/Support/raw_ostream.h"

namespace graphc::codegen {
void printPlan(const plan::PlanT &plan, llvm::raw_ostream &os);
} // namespace graphc::codegen

#endif // GRAPHC_CODEGEN_PLAN_PRINTPLAN_H
