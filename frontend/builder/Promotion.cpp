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
  operand.dtype = numberType(*found);
  if (!found->isNumber() && !found->isSymbolic())
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
  if (!operand.number.isNumber() && !operand.number.isSymbolic())
    return {};
  return call.e.scalarTensor(operand.number, type);
}

const Val *builder::knownNumber(const PromotedOperand &operand) {
  if (operand.tensor)
    return operand.tensor->knownNumber();
  return operand.number.is<Poison>() ? nullptr : &operand.number;
}

/// Whether two values are computed alike; values differ in their ids only.
static bool isSameComputation(Value a, Value b, int depth) {
  mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (a == b)
    return true;
  if (depth == 0 || !x || !y || x->getName() != y->getName() || a.getType() != b.getType() || x->getNumOperands() != y->getNumOperands() ||
      llvm::cast<mlir::OpResult>(a).getResultNumber() != llvm::cast<mlir::OpResult>(b).getResultNumber())
    return false;
  mlir::NamedAttrList attributesX(x->getAttrDictionary()), attributesY(y->getAttrDictionary());
  attributesX.erase("graph.value");
  attributesY.erase("graph.value");
  return attributesX.getDictionary(x->getContext()) == attributesY.getDictionary(y->getContext()) &&
         llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()),
                      [&](auto pair) { return isSameComputation(std::get<0>(pair), std::get<1>(pair), depth - 1); });
}

bool builder::isSameMask(const MaskedValue &a, const MaskedValue &b) {
  constexpr int deepest = 8;
  return a.firstDim == b.firstDim && a.mask && b.mask && isSameComputation(a.mask, b.mask, deepest);
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

/// The operand's constant stride in dim d of a result of `rank` dims; 0 where it is broadcast; nullopt where it isn't constant.
static std::optional<int64_t> strideIn(const Tensor &operand, size_t d, size_t rank, int64_t extent) {
  size_t own = operand->strides.size();
  if (d + own < rank)
    return 0;
  DimAttr size = graph::getDim(operand->type, int64_t(d + own - rank)), stride = operand->strides[d + own - rank];
  if (!size.isConstant() || !stride.isConstant())
    return std::nullopt;
  return size.getValue() == 1 && extent != 1 ? 0 : stride.getValue();
}

/// Whether dim a lies inside (-1) or outside (1) of dim b in memory, by the first operand that tells; 0 where none does.
static int compareDims(llvm::ArrayRef<llvm::SmallVector<int64_t>> strides, llvm::ArrayRef<int64_t> shape, size_t a, size_t b) {
  for (const llvm::SmallVector<int64_t> &operand : strides) {
    if (operand[a] == 0 || operand[b] == 0)
      continue;
    if (operand[a] != operand[b])
      return operand[a] < operand[b] ? -1 : 1;
    if (shape[a] > shape[b])
      return 1;
  }
  return 0;
}

/// The strides that eager's TensorIterator gives a result: dense, its dims ordered as the operands' strides order them; empty where
/// sizes or strides aren't constant.
static llvm::SmallVector<DimAttr> iteratorStrides(Call &call, llvm::ArrayRef<DimAttr> dims) {
  llvm::SmallVector<int64_t> shape;
  for (DimAttr dim : dims)
    shape.push_back(dim.isConstant() ? dim.getValue() : -1);
  llvm::SmallVector<llvm::SmallVector<int64_t>> strides;
  for (size_t i = 0; i < call.size(); ++i) {
    const auto *operand = call.peek(i).get<Tensor>();
    if (!operand || (*operand)->strides.size() > dims.size())
      continue;
    strides.emplace_back();
    for (size_t d = 0; d < dims.size(); ++d) {
      std::optional<int64_t> stride = strideIn(*operand, d, dims.size(), shape[d]);
      if (!stride || shape[d] < 0)
        return {};
      strides.back().push_back(*stride);
    }
  }
  llvm::SmallVector<size_t> order; // innermost first
  for (size_t d = dims.size(); d-- > 0;)
    order.push_back(d);
  for (size_t i = 1; i < order.size(); ++i)
    for (size_t at = i, before = i; before-- > 0;) {
      int outside = compareDims(strides, shape, order[before], order[at]);
      if (outside > 0) {
        std::swap(order[before], order[at]);
        at = before;
      } else if (outside < 0) {
        break;
      }
    }
  llvm::SmallVector<DimAttr> result(dims.size());
  int64_t next = 1;
  for (size_t d : order) {
    result[d] = call.e.dim(next);
    next *= std::max<int64_t>(shape[d], 1);
  }
  return result;
}

void builder::givePointwise(Call &call, Value value) {
  if (!value)
    return call.give(value);
  llvm::SmallVector<DimAttr> dims = call.e.dims(value);
  if (llvm::SmallVector<DimAttr> strides = iteratorStrides(call, dims); !strides.empty())
    return call.give(Val(call.run.fresh(value, strides)));
  for (size_t i = 0; i < call.size(); ++i) {
    const auto *operand = call.peek(i).get<Tensor>();
    if (!operand || llvm::ArrayRef<DimAttr>(graph::getDims((*operand)->type)) != llvm::ArrayRef<DimAttr>(dims))
      continue;
    if (isDensePermutation(dims, (*operand)->strides))
      return call.give(Val(call.run.fresh(value, (*operand)->strides)));
    break;
  }
  call.give(value);
}

/// Whether the symbol is the size of an input; others are sizes of state.
static bool isInputSize(Call &call, DimAttr symbol) {
  return llvm::any_of(call.run.function().getArgumentTypes(), [&](mlir::Type type) {
    return llvm::is_contained(graph::getDims(llvm::cast<mlir::RankedTensorType>(type)), symbol);
  });
}

void builder::unifyDims(Call &call, DimAttr a, DimAttr b) {
  if (a == b || (a.isConstant() && b.isConstant()))
    return;
  bool aIsSymbol = a.getKind() == graph::DimKind::Symbol, bIsSymbol = b.getKind() == graph::DimKind::Symbol;
  bool replacesA = !bIsSymbol || (aIsSymbol && isInputSize(call, b) && !isInputSize(call, a));
  DimAttr symbol = replacesA ? a : b, other = call.run.program.resolve(replacesA ? b : a);
  if ((!aIsSymbol && !bIsSymbol) || containsSymbol(other, symbol)) // n == 2*n - 1 would have to be solved
    return call.fail("the sizes " + a.str() + " and " + b.str() + " must be equal, which can't be proved; give those dims numbers");
  call.run.program.equalities[symbol.getSymbol().str()] = other;
  call.run.program.restart = true;
}

void builder::unifyShapes(Call &call, llvm::ArrayRef<DimAttr> a, llvm::ArrayRef<DimAttr> b) {
  for (size_t i = 0; i < a.size() && a.size() == b.size(); ++i)
    unifyDims(call, a[i], b[i]);
}

void builder::unifyExpand(Call &call, llvm::ArrayRef<DimAttr> from, llvm::ArrayRef<DimAttr> to) {
  for (auto [own, size] : llvm::zip(llvm::reverse(from), llvm::reverse(to)))
    if (!graph::isConstant(own, 1))
      unifyDims(call, own, size);
}

void builder::unifySliceWrite(Call &call, Value base, Value source, Value index, int64_t d) {
  llvm::SmallVector<DimAttr> expected = call.e.dims(base);
  expected[d] = graph::getNumElements(call.e.type(index));
  unifyShapes(call, call.e.dims(source), expected);
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
