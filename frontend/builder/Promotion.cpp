// See Promotion.h. The rules are those of torch.result_type: tensors with dims decide first, then 0-d tensors, then Python
// numbers; a lower one only counts where its kind (bool < int < float) is higher.
#include "frontend/builder/Promotion.h"

using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static int kindOfType(ScalarType type) { return type == ScalarType::Bool ? 0 : isFloat(type) ? 2 : 1; }

ScalarType builder::promoteTypes(ScalarType a, ScalarType b) {
  if (a == b)
    return a;
  if (kindOfType(a) != kindOfType(b))
    return kindOfType(a) > kindOfType(b) ? a : b;
  if (isFloat(a)) {
    size_t sizeA = scalarTypeSize(a), sizeB = scalarTypeSize(b);
    return sizeA == sizeB ? ScalarType::F32 : sizeA > sizeB ? a : b; // f16 with bf16: f32
  }
  size_t sizeA = scalarTypeSize(a), sizeB = scalarTypeSize(b);
  if (sizeA == sizeB)
    return ScalarType::I16; // u8 with i8
  return sizeA > sizeB ? a : b;
}

bool builder::canCast(ScalarType from, ScalarType to) { return kindOfType(from) <= kindOfType(to); }

PromotedOperand builder::promotedOperand(Call &call, llvm::StringRef name) {
  PromotedOperand operand;
  const Val *found = call.find(name);
  if (!found) {
    call.fail("argument '" + name + "' is missing");
    return operand;
  }
  if (const auto *tensor = found->get<Tensor>()) {
    operand.isScalar = (*tensor)->type.getRank() == 0;
    operand.isNumber = (*tensor)->isNumber;
    operand.dtype = scalarType((*tensor)->type.getElementType());
    operand.tensor = *tensor;
    return operand;
  }
  operand.isNumber = operand.isScalar = true;
  if (const auto *scalar = found->get<TensorScalar>()) {
    operand.tensor = scalar->tensor;
    operand.dtype = scalarType(scalar->tensor->type.getElementType());
    return operand;
  }
  operand.number = *found;
  operand.dtype = found->is<double>() ? ScalarType::F64 : found->is<bool>() ? ScalarType::Bool : ScalarType::I64;
  if (!found->isNumber() && !found->is<DimAttr>())
    call.fail("argument '" + name + "' is a " + kindOf(*found) + ", expected a tensor or a number");
  return operand;
}

ScalarType builder::resultType(llvm::ArrayRef<PromotedOperand> operands) {
  // Arithmetic among Python numbers keeps Python's precision.
  bool numbersOnly = llvm::all_of(operands, [](const PromotedOperand &operand) { return operand.isNumber; });
  std::optional<ScalarType> byRank[3]; // tensors with dims, 0-d tensors, numbers
  for (const PromotedOperand &operand : operands) {
    ScalarType type = operand.isNumber && !numbersOnly && isFloat(operand.dtype) ? ScalarType::F32 : operand.dtype;
    std::optional<ScalarType> &slot = byRank[operand.isNumber ? 2 : operand.isScalar ? 1 : 0];
    slot = slot ? promoteTypes(*slot, type) : type;
  }
  auto combine = [](std::optional<ScalarType> higher, std::optional<ScalarType> lower) {
    if (!higher || !lower)
      return higher ? higher : lower;
    if (isFloat(*higher))
      return higher;
    bool lowerCounts = *higher == ScalarType::Bool || isFloat(*lower);
    return lowerCounts ? std::optional(promoteTypes(*higher, *lower)) : higher;
  };
  return combine(byRank[0], combine(byRank[1], byRank[2])).value_or(ScalarType::F32);
}

Value builder::promoted(Call &call, const PromotedOperand &operand, ScalarType type) {
  if (operand.tensor)
    return call.e.cast(call.run.read(operand.tensor), type);
  if (const auto *dim = operand.number.get<DimAttr>())
    return call.e.dimTensor(*dim, type);
  if (!operand.number.isNumber())
    return {};
  return call.e.constant(type, operand.number);
}

const Val *builder::knownNumber(const PromotedOperand &operand) {
  if (operand.tensor)
    return operand.tensor->knownNumber();
  return operand.number.is<Poison>() ? nullptr : &operand.number;
}

/// Whether the strides are those of a dense tensor whose dims are merely in another order.
static bool isDensePermutation(llvm::ArrayRef<DimAttr> dims, llvm::ArrayRef<DimAttr> strides) {
  llvm::SmallVector<size_t> order;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!dims[d].isConstant() || !strides[d].isConstant())
      return false;
    if (dims[d].getValue() != 1)
      order.push_back(d);
  }
  llvm::sort(order, [&](size_t a, size_t b) { return strides[a].getValue() < strides[b].getValue(); });
  int64_t expected = 1;
  for (size_t d : order) {
    if (strides[d].getValue() != expected)
      return false;
    expected *= dims[d].getValue();
  }
  return true;
}

void builder::givePointwise(Call &call, Value value) {
  if (!value)
    return call.give(value);
  llvm::SmallVector<DimAttr> dims = call.e.dims(value);
  for (size_t i = 0; i < call.size(); ++i) {
    const auto *operand = call.argument(i).get<Tensor>();
    if (!operand || llvm::ArrayRef<DimAttr>(graph::getDims((*operand)->type)) != llvm::ArrayRef<DimAttr>(dims))
      continue;
    if (isDensePermutation(dims, (*operand)->strides))
      return call.give(Val(call.run.fresh(value, (*operand)->strides)));
    break;
  }
  call.give(value);
}

void builder::unifyDims(Call &call, DimAttr a, DimAttr b) {
  if (a == b || (a.isConstant() && b.isConstant()))
    return;
  bool aIsSymbol = a.getKind() == graph::DimKind::Symbol, bIsSymbol = b.getKind() == graph::DimKind::Symbol;
  if (!aIsSymbol && !bIsSymbol)
    return call.fail("the sizes " + a.str() + " and " + b.str() + " must be equal, which can't be proved; give those dims numbers");
  DimAttr symbol = bIsSymbol ? b : a, other = bIsSymbol ? a : b;
  call.run.program.equalities[symbol.getSymbol().str()] = other;
  call.run.program.restart = true;
}

void builder::unifyBroadcast(Call &call, llvm::ArrayRef<Value> operands) {
  llvm::SmallVector<DimAttr> shape; // from the last dim
  for (Value operand : operands) {
    llvm::SmallVector<DimAttr> dims = call.e.dims(operand);
    for (size_t i = 0; i < dims.size(); ++i) {
      DimAttr dim = dims[dims.size() - 1 - i];
      if (i == shape.size())
        shape.push_back(dim);
      else if (graph::isConstant(shape[i], 1))
        shape[i] = dim;
      else if (!graph::isConstant(dim, 1))
        unifyDims(call, shape[i], dim);
    }
  }
}
