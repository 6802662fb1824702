// Operators that are refused by family.
#ifndef GRAPHC_FRONTEND_BUILDER_REFUSALS_H
#define GRAPHC_FRONTEND_BUILDER_REFUSALS_H

#include "frontend/builder/Program.h"

namespace graphc::frontend::builder {

void addRefusals(ConversionTable &table);
/// The conversion that says why an operator of a family of names ("…_backward") is refused; null for others.
Conversion findRefusal(llvm::StringRef op);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_REFUSALS_H
