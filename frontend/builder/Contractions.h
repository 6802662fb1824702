// Products that several conversions make.
#ifndef GRAPHC_FRONTEND_BUILDER_CONTRACTIONS_H
#define GRAPHC_FRONTEND_BUILDER_CONTRACTIONS_H

#include "frontend/builder/Promotion.h"

namespace graphc::frontend::builder {

/// torch.matmul's rules for ranks 1 and up; operands of one dtype.
Value matmul(Call &call, Value lhs, Value rhs);

void convertEinsum(Call &call);
void convertTensordot(Call &call);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_CONTRACTIONS_H
