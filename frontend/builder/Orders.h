// Places in sorted sequences and running extremes, which several conversions need.
#ifndef GRAPHC_FRONTEND_BUILDER_ORDERS_H
#define GRAPHC_FRONTEND_BUILDER_ORDERS_H

#include "frontend/builder/Expression.h"

namespace graphc::frontend::builder {

/// torch.searchsorted: i64, of the values' shape. `sequence` is 1-d, or has the values' leading dims.
Expr searchSorted(Call &call, const Expr &sequence, const Expr &values, bool right);
/// The largest element up to each along dim d, and its last position; NaN is largest.
std::pair<Expr, Expr> cumulativeMax(const Expr &x, int64_t d);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_ORDERS_H
