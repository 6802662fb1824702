// Arithmetic on 0-d tensors whose numbers are known, as tracing records it for sizes: `x.size(1)`, `prim::NumToTensor`, `aten::mul`, `aten::Int`.
//
// Each function gives the result as such a tensor again, where it has eager's very value; otherwise the conversion makes its op.
#ifndef GRAPHC_FRONTEND_BUILDER_FOLDNUMBERS_H
#define GRAPHC_FRONTEND_BUILDER_FOLDNUMBERS_H

#include "frontend/builder/Promotion.h"

namespace graphc::frontend::builder {

/// `op` ("add", "floor_divide", "lt", …) of two numbers, one of them in a 0-d tensor. `compute`: the operands' common dtype, `type` the result's.
bool foldBinary(Call &call, llvm::StringRef op, const PromotedOperand &a, const PromotedOperand &b, ScalarType compute, ScalarType type);
/// clamp(operands[0], min, max); without `hasMin` the one bound is the upper one.
bool foldClamp(Call &call, llvm::ArrayRef<PromotedOperand> operands, bool hasMin, ScalarType type);
/// sqrt, neg, abs and rounding of the first operand.
bool foldUnary(Call &call);
/// A known number cast to i32, i64, f32 or f64; nullopt where it doesn't fit or no size expression says it.
std::optional<Val> convertNumber(Run &run, const Val &number, ScalarType to);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_FOLDNUMBERS_H
