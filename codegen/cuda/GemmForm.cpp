// Linear access maps as strides of a matrix product. See GemmForm.h.
#include "codegen/cuda/GemmForm.h"

#include "codegen/cuda/RegionEmitter.h"

using namespace mlir;
using graphc::graph::DimAttr;

namespace graphc::cuda {

namespace {

/// offset + sum of factors[i] * index i.
struct Linear {
  DimAttr offset;
  SmallVector<DimAttr> factors;
};

/// Adds `scale` times `expr` to `into`; false where `expr` is not linear in the indices.
bool addLinear(AffineExpr expr, DimAttr scale, Linear &into) {
  MLIRContext *context = expr.getContext();
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    into.offset = into.offset + DimAttr::constant(context, constant.getValue()) * scale;
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    into.factors[dim.getPosition()] = into.factors[dim.getPosition()] + scale;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), scale, into) && addLinear(binary.getRHS(), scale, into);
  if (binary && expr.getKind() == AffineExprKind::Mul)
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return addLinear(binary.getLHS(), DimAttr::constant(context, constant.getValue()) * scale, into);
  return false;
}

std::optional<Linear> linearOffset(Value buffer, AffineMap map) {
  const DimAttr zero = DimAttr::constant(map.getContext(), 0);
  Linear linear = {zero, SmallVector<DimAttr>(map.getNumDims(), zero)};
  auto type = cast<RankedTensorType>(buffer.getType());
  for (auto [expr, stride] : llvm::zip(map.getResults(), graph::getStrides(type)))
    if (!addLinear(expr, stride, linear))
      return std::nullopt;
  return linear;
}

struct Collapsed {
  DimAttr extent, stride;
};

/// Several dims as one: each must step over exactly what the next inner one covers.
std::optional<Collapsed> collapse(ArrayRef<DimAttr> extents, ArrayRef<DimAttr> factors, MLIRContext *context) {
  const DimAttr one = DimAttr::constant(context, 1), zero = DimAttr::constant(context, 0);
  Collapsed all = {one, zero};
  bool empty = true;
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == one)
      continue;
    if (empty)
      all = {extents[i], factors[i]};
    else if (factors[i] == all.stride * all.extent)
      all.extent = all.extent * extents[i];
    else
      return std::nullopt;
    empty = false;
  }
  return all;
}

struct OperandForm {
  GemmOperand operand;
  DimAttr outer, k;
};

std::variant<OperandForm, NoGemm> operandForm(Value buffer, AffineMap map, unsigned grid, ArrayRef<DimAttr> outer,
                                              ArrayRef<DimAttr> depth, const std::string &which) {
  MLIRContext *context = map.getContext();
  std::optional<Linear> linear = linearOffset(buffer, map);
  if (!linear)
    return NoGemm{which + " is not read with constant strides"};
  const ArrayRef<DimAttr> factors = linear->factors;
  std::optional<Collapsed> rows = collapse(outer, factors.slice(grid, outer.size()), context);
  std::optional<Collapsed> k = collapse(depth, factors.drop_front(grid + outer.size()), context);
  if (!rows || !k)
    return NoGemm{"the " + std::string(rows ? "k" : "outer") + " dims of " + which + " don't collapse into one"};
  const DimAttr one = DimAttr::constant(context, 1);
  OperandForm form;
  form.outer = rows->extent;
  form.k = k->extent;
  form.operand.offset = linear->offset;
  form.operand.batch.assign(factors.begin(), factors.begin() + grid);
  if (k->stride == one || (k->extent == one && rows->stride != one)) {
    form.operand.stride = rows->stride;
    return form;
  }
  if (rows->stride != one && rows->extent != one)
    return NoGemm{"neither dimension of " + which + " is contiguous"};
  form.operand.kMajor = false;
  form.operand.stride = k->stride;
  return form;
}

} // namespace

std::variant<GemmForm, NoGemm> recognizeGemm(kernel::ContractOp op) {
  const Type type = cast<RankedTensorType>(op.getLhs().getType()).getElementType();
  if (type != cast<RankedTensorType>(op.getRhs().getType()).getElementType())
    return NoGemm{"the operands' element types differ"};
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return NoGemm{"no GEMM template for this element type"};
  if (op.getLhsMask())
    return NoGemm{"the left operand is masked"};
  const unsigned grid = op->getParentOfType<kernel::FuncOp>().getNumGridDims();
  const SmallVector<DimAttr> m = dimsOf(op.getMExtents()), n = dimsOf(op.getNExtents()), k = dimsOf(op.getKExtents());
  auto a = operandForm(op.getLhs(), op.getLhsMap(), grid, m, k, "the left operand");
  auto b = operandForm(op.getRhs(), op.getRhsMap(), grid, n, k, "the right operand");
  for (auto *side : {&a, &b})
    if (auto *no = std::get_if<NoGemm>(side))
      return *no;
  const OperandForm &left = std::get<OperandForm>(a), &right = std::get<OperandForm>(b);
  return GemmForm{left.outer, right.outer, left.k, left.operand, right.operand};
}

} // namespace graphc::cuda
