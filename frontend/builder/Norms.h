// Norms that several conversions need.
#ifndef GRAPHC_FRONTEND_BUILDER_NORMS_H
#define GRAPHC_FRONTEND_BUILDER_NORMS_H

#include "frontend/builder/Expression.h"

namespace graphc::frontend::builder {

/// The p-norm over sorted dims, p any number or ±inf, in x's dtype (16-bit floats accumulate in f32).
Expr vectorNorm(const Expr &x, double p, llvm::ArrayRef<int64_t> dims, bool keepdim);
/// The p-norm over the last dim of a - b + eps.
Expr pairwiseDistance(Call &call, const Expr &a, const Expr &b, double p, double eps, bool keepdim);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_NORMS_H
