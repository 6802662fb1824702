// Offsets, masks and dims as C++ text. See AccessText.h.
#include "codegen/cuda/AccessText.h"

#include "ir/support/Check.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using graphc::graph::DimAttr;

namespace graphc::cuda {

std::string storageType(Type type) {
  if (type.isF16())
    return "gc_half";
  if (type.isBF16())
    return "gc_bfloat";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "gc_bool";
  if (type.isUnsignedInteger(8))
    return "gc_u8";
  GRAPHC_CHECK(type.isInteger(8) || type.isInteger(16) || type.isInteger(32) || type.isInteger(64),
               "element type without a C++ type");
  return "gc_i" + std::to_string(type.getIntOrFloatBitWidth());
}

std::string valueType(Type type) {
  if (type.isF16() || type.isBF16())
    return "float";
  if (type.isInteger(1))
    return "bool";
  if (type.isIndex())
    return "index";
  return storageType(type);
}

unsigned elementBytes(Type type) { return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8; }

Access Access::of(kernel::LoadOp op) { return {op.getBuffer(), op.getIndices(), op.getMap(), op.getMask()}; }
Access Access::of(kernel::StoreOp op) { return {op.getBuffer(), op.getIndices(), op.getMap(), op.getMask()}; }

namespace {
/// The constant value of a dim, or nothing.
std::optional<int64_t> constantOf(DimAttr dim) {
  return dim.isConstant() ? std::optional<int64_t>(dim.getValue()) : std::nullopt;
}

/// True where some count of the kernel may exceed what 32 bits hold.
bool mayBeLarge(kernel::FuncOp func) {
  constexpr int64_t limit = int64_t(1) << 30;
  auto large = [&](ArrayRef<DimAttr> dims) {
    int64_t product = 1;
    for (DimAttr dim : dims) {
      std::optional<int64_t> value = constantOf(dim);
      if (!value || *value > limit || product > limit)
        return true;
      product *= std::max<int64_t>(*value, 1);
    }
    return product > limit;
  };
  auto extents = [](ArrayAttr attr) {
    return llvm::map_to_vector(attr, [](Attribute a) { return cast<DimAttr>(a); });
  };
  if (!func.getSymbols().empty() || large(extents(func.getGrid())))
    return true;
  for (Value argument : func.getBody().getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      if (large(graph::getDims(type)))
        return true;
  WalkResult result = func.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
      return large(extents(reduce.getExtents())) ? WalkResult::interrupt() : WalkResult::advance();
    if (auto map = dyn_cast<kernel::MapOp>(op))
      return large(extents(map.getExtents())) ? WalkResult::interrupt() : WalkResult::advance();
    if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
      SmallVector<DimAttr> all = extents(contract.getMExtents());
      llvm::append_range(all, extents(contract.getNExtents()));
      return large(all) || large(extents(contract.getKExtents())) ? WalkResult::interrupt() : WalkResult::advance();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}
} // namespace

AccessText::AccessText(kernel::FuncOp func, const EmitOptions &options)
    : func(func), options(options), wideIndex(mayBeLarge(func)) {}

std::string AccessText::bufferName(Value buffer) const {
  const unsigned number = cast<BlockArgument>(buffer).getArgNumber();
  return number < func.getNumInputs() ? "in" + std::to_string(number)
                                      : "out" + std::to_string(number - func.getNumInputs());
}

std::string AccessText::dimName(DimAttr dim) {
  if (std::optional<int64_t> value = constantOf(dim))
    return std::to_string(*value);
  auto [entry, isNew] = dims.try_emplace(dim, "");
  if (isNew)
    entry->second = "dim" + std::to_string(dims.size() - 1);
  return entry->second;
}

std::string AccessText::affine(AffineExpr expr, ArrayRef<std::string> indices) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return dimName(cast<DimAttr>(func.getSymbols()[symbol.getPosition()]));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  const std::string lhs = affine(binary.getLHS(), indices), rhs = affine(binary.getRHS(), indices);
  const std::string call = "<index>(" + lhs + ", " + rhs + ")";
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return "(" + lhs + " + " + rhs + ")";
  case AffineExprKind::Mul:
    return lhs + " * " + rhs;
  case AffineExprKind::FloorDiv:
    return "gc_floor_divide" + call;
  case AffineExprKind::CeilDiv:
    return "gc_ceil_divide" + call;
  default:
    return "gc_modulo" + call;
  }
}

std::string AccessText::offset(RankedTensorType type, AffineMap map, ArrayRef<std::string> indices) {
  SmallVector<std::string> terms;
  for (auto [expr, stride] : llvm::zip(map.getResults(), graph::getStrides(type))) {
    const std::string index = affine(expr, indices), factor = dimName(stride);
    if (index == "0" || factor == "0")
      continue;
    terms.push_back(factor == "1" ? index : "(" + index + ") * " + factor);
  }
  return terms.empty() ? "0" : llvm::join(terms, " + ");
}

std::string AccessText::conditionByNames(IntegerSet mask, ArrayRef<std::string> indices) {
  SmallVector<std::string> terms;
  for (unsigned i = 0; i < mask.getNumConstraints(); ++i)
    terms.push_back(affine(mask.getConstraint(i), indices) + (mask.isEq(i) ? " == 0" : " >= 0"));
  return terms.empty() ? "true" : llvm::join(terms, " && ");
}

std::string AccessText::loadByNames(Value buffer, AffineMap map, ArrayRef<std::string> indices) {
  auto type = cast<RankedTensorType>(buffer.getType());
  return "gc_load_element<" + storageType(type.getElementType()) + ">(" + bufferName(buffer) + " + (" +
         offset(type, map, indices) + "))";
}

std::string AccessText::affine(AffineExpr expr, ValueRange indices, const IndexName &name) {
  return affine(expr, llvm::map_to_vector(indices, name));
}

std::string AccessText::offset(const Access &access, const IndexName &name) {
  return offset(access.type(), access.map, llvm::map_to_vector(access.indices, name));
}

std::string AccessText::condition(const Access &access, const IndexName &name) {
  return conditionByNames(*access.mask, llvm::map_to_vector(access.indices, name));
}

Movement AccessText::movement(const Access &access, Value index) {
  MLIRContext *context = func.getContext();
  const unsigned dims = access.map.getNumDims(), symbols = access.map.getNumSymbols();
  SmallVector<AffineExpr> next;
  bool uses = false;
  for (unsigned i = 0; i < dims; ++i) {
    AffineExpr dim = getAffineDimExpr(i, context);
    const bool moves = access.indices[i] == index;
    uses |= moves;
    next.push_back(moves ? dim + 1 : dim);
  }
  if (!uses)
    return Movement::Fixed;
  Movement result = Movement::Fixed;
  for (auto [expr, stride] : llvm::zip(access.map.getResults(), graph::getStrides(access.type()))) {
    AffineExpr step = simplifyAffineExpr(expr.replaceDims(next) - expr, dims, symbols);
    auto constant = dyn_cast<AffineConstantExpr>(step);
    if (!constant)
      return Movement::Other;
    if (constant.getValue() == 0)
      continue;
    if (constant.getValue() != 1 || constantOf(stride) != 1 || result == Movement::Contiguous)
      return Movement::Other;
    result = Movement::Contiguous;
  }
  return result;
}

std::optional<SmallVector<std::string>> AccessText::alignment(const Access &access, Value index, int64_t width) {
  MLIRContext *context = func.getContext();
  SmallVector<AffineExpr> scaled;
  for (unsigned i = 0; i < access.map.getNumDims(); ++i)
    scaled.push_back(getAffineDimExpr(i, context) * (access.indices[i] == index ? width : 1));
  SmallVector<std::string> conditions;
  for (auto [expr, stride] : llvm::zip(access.map.getResults(), graph::getStrides(access.type()))) {
    const AffineExpr at = simplifyAffineExpr(expr.replaceDims(scaled), access.map.getNumDims(), access.map.getNumSymbols());
    if (auto constant = dyn_cast<AffineConstantExpr>(at); constant && constant.getValue() == 0)
      continue;
    const int64_t divisor = at.getLargestKnownDivisor();
    std::optional<int64_t> factor = constantOf(stride);
    if (factor ? divisor % width == 0 || *factor % width == 0 || divisor * *factor % width == 0 : divisor % width == 0)
      continue;
    if (factor)
      return std::nullopt;
    conditions.push_back("gc_aligned((gc_i64)" + dimName(stride) + ", " + std::to_string(width) + ")");
  }
  return conditions;
}

std::string AccessText::fieldsAndConstructor(const std::string &functor) const {
  std::string fields = "  const gc_kernel_args &args;\n", initializers = "args(a)";
  for (unsigned i = 0; i < func.getNumInputs() + func.getNumOutputs(); ++i) {
    Value buffer = func.getBody().getArgument(i);
    const std::string type = storageType(cast<RankedTensorType>(buffer.getType()).getElementType());
    const std::string pointee = i < func.getNumInputs() ? "const " + type : type;
    fields += "  " + pointee + " *" + bufferName(buffer) + ";\n";
    initializers += ", " + bufferName(buffer) + "(gc_pointer<" + pointee + ">(a, " + std::to_string(i) + "))";
  }
  for (const auto &[dim, name] : dims) {
    fields += "  index " + name + "; // " + dim.str() + "\n";
    initializers += ", " + name + "((index)gc_dim(a, " + std::to_string(options.dimSlot(dim)) + "))";
  }
  return fields + "  GC_DEVICE explicit " + functor + "(const gc_kernel_args &a) : " + initializers + " {}\n";
}

} // namespace graphc::cuda
