// PyTorch's type promotion, and what conversions that follow it share.
#ifndef GRAPHC_FRONTEND_BUILDER_PROMOTION_H
#define GRAPHC_FRONTEND_BUILDER_PROMOTION_H

#include "frontend/builder/Call.h"

namespace graphc::frontend::builder {

/// torch.promote_types.
ScalarType promoteTypes(ScalarType a, ScalarType b);
/// torch.can_cast: no float to int, no int to bool.
bool canCast(ScalarType from, ScalarType to);

/// One argument of an operator that promotes: a tensor, or a Python number, which only counts by its kind.
struct PromotedOperand {
  Tensor tensor;    // null for a Python number
  Val number;       // of a Python number
  ScalarType dtype = ScalarType::F32;
  bool isNumber = false; // a Python number, or one computed from a tensor
  bool isScalar = false; // 0-d
};
PromotedOperand promotedOperand(Call &call, llvm::StringRef name);
/// The number that the operand is, where it is known; null otherwise.
const Val *knownNumber(const PromotedOperand &operand);
/// torch.result_type of the operands.
ScalarType resultType(llvm::ArrayRef<PromotedOperand> operands);
/// The operand as a tensor of that dtype.
Value promoted(Call &call, const PromotedOperand &operand, ScalarType type);

/// Makes the sizes that the operands' broadcast needs equal equal: a symbol that must be another size is replaced everywhere.
void unifyBroadcast(Call &call, llvm::ArrayRef<Value> operands);
void unifyDims(Call &call, DimAttr a, DimAttr b);
/// The same for two shapes that must be equal; of different ranks they are left for the op to refuse.
void unifyShapes(Call &call, llvm::ArrayRef<DimAttr> a, llvm::ArrayRef<DimAttr> b);
/// The same for a tensor of shape `from` that is to be expanded to `to`.
void unifyExpand(Call &call, llvm::ArrayRef<DimAttr> from, llvm::ArrayRef<DimAttr> to);
/// The same for slices of `source` that go where `index` says along dim d of `base`.
void unifySliceWrite(Call &call, Value base, Value source, Value index, int64_t d);
/// An op whose operands broadcast.
template <class Op, class... Values> Value broadcast(Call &call, Values... operands) {
  unifyBroadcast(call, {operands...});
  return call.failed() ? Value() : call.e.create<Op>(operands...);
}

/// A new tensor as the result, with the strides eager gives a pointwise result: those of the first operand of its shape.
void givePointwise(Call &call, Value value);

/// Writes `value` into `self` by the rules of in-place operators; `anyKind`: of copy_, which casts anything.
void writeInPlace(Call &call, const Tensor &self, Value value, bool anyKind);
/// Whether both select by the same mask: one value, or the same computation of it.
bool isSameMask(const MaskedValue &a, const MaskedValue &b);
/// The conversion of "aten::add_" through "aten::add".
void convertInPlace(Call &call);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_PROMOTION_H
