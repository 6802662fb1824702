// See Emitter.h.
#include "frontend/builder/Emitter.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

Emitter::Emitter(MLIRContext *context)
    : builder(context), loc(UnknownLoc::get(context)), handler(context, [this](Diagnostic &d) {
        if (d.getSeverity() == DiagnosticSeverity::Error && diagnostic.empty())
          diagnostic = d.str();
        return success();
      }) {}

void Emitter::fail(const llvm::Twine &text) {
  if (reason.empty())
    reason = text.str();
}

Operation *Emitter::missingOperand() {
  fail("an operand could not be made");
  return nullptr;
}

Operation *Emitter::failedInference() {
  fail(diagnostic.empty() ? "the operands' shapes or dtypes don't fit" : diagnostic);
  diagnostic.clear();
  return nullptr;
}

Operation *Emitter::finish(OperationState &state) {
  Operation *op = builder.create(state);
  ++count;
  if (succeeded(op->getName().verifyInvariants(op)))
    return op;
  op->erase();
  return failedInference();
}

RankedTensorType Emitter::type(Value x) const {
  if (!x)
    return RankedTensorType::get({}, Float32Type::get(loc->getContext()));
  return mlir::cast<RankedTensorType>(x.getType());
}

SmallVector<DimAttr> Emitter::dims(Value x) const { return graph::getDims(type(x)); }

DimAttr Emitter::dim(Value x, int64_t i) const {
  if (i < 0 || i >= rank(x))
    return dim(1);
  return graph::getDim(type(x), i);
}

/// The number as an element attribute of `element`, converted as PyTorch converts a Python scalar.
static mlir::Attribute elementAttr(Type element, const Val &number) {
  double real = toDouble(number);
  if (auto floating = dyn_cast<FloatType>(element)) {
    llvm::APFloat value(real);
    bool lost;
    // Through f32 for the 16-bit types: PyTorch rounds a double to float first.
    if (floating.getWidth() < 32)
      value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
    value.convert(floating.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return FloatAttr::get(floating, value);
  }
  int64_t integer = number.is<int64_t>() ? number.as<int64_t>()
                    : std::isfinite(real) && std::abs(real) < 0x1p63 ? static_cast<int64_t>(real)
                                                                     : INT64_MIN;
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    integer = number.is<double>() ? real != 0 : integer != 0;
  return IntegerAttr::get(element, llvm::APInt(64, integer, true).sextOrTrunc(width));
}

Value Emitter::constant(ScalarType type, const Val &number) { return constant({}, type, {number}); }

Value Emitter::constant(ArrayRef<int64_t> shape, ScalarType type, ArrayRef<Val> elements) {
  Type element = elementType(context(), type);
  auto tensor = RankedTensorType::get(shape, element);
  SmallVector<mlir::Attribute> attributes;
  for (const Val &value : elements)
    attributes.push_back(elementAttr(element, value));
  auto value = DenseElementsAttr::get(tensor, attributes);
  OperationState state(loc, graph::ConstantOp::getOperationName());
  graph::ConstantOp::build(builder, state, tensor, value);
  Operation *op = finish(state);
  return op ? op->getResult(0) : Value();
}

std::optional<std::vector<Val>> Emitter::constantElements(Value value, size_t limit) {
  auto op = value ? value.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  if (!op || size_t(op.getType().getNumElements()) > limit)
    return std::nullopt;
  return denseElements(op.getValue());
}

std::optional<std::vector<Val>> Emitter::denseElements(ElementsAttr value) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return std::nullopt;
  std::vector<Val> result;
  ScalarType scalar = scalarType(elements.getElementType());
  if (isFloat(scalar)) {
    for (llvm::APFloat number : elements.getValues<llvm::APFloat>()) {
      bool lost;
      number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
      result.push_back(number.convertToDouble());
    }
    return result;
  }
  for (const llvm::APInt &number : elements.getValues<llvm::APInt>()) {
    if (scalar == ScalarType::Bool)
      result.push_back(!number.isZero());
    else
      result.push_back(scalar == ScalarType::U8 ? int64_t(number.getZExtValue()) : number.getSExtValue());
  }
  return result;
}

Value Emitter::cast(Value x, ScalarType type) {
  if (!x || dtype(x) == type)
    return x;
  if (auto elements = constantElements(x, 64))
    return constant(this->type(x).getShape(), type, *elements);
  return create<graph::CastOp>(x, elementType(context(), type));
}

Value Emitter::reshape(Value x, ArrayRef<DimAttr> shape) {
  if (!x || ArrayRef<DimAttr>(dims(x)) == shape)
    return x;
  return create<graph::ReshapeOp>(x, dimArray(shape));
}

Value Emitter::expand(Value x, ArrayRef<DimAttr> shape) {
  if (!x || ArrayRef<DimAttr>(dims(x)) == shape)
    return x;
  return create<graph::ExpandOp>(x, dimArray(shape));
}

Value Emitter::permute(Value x, ArrayRef<int64_t> order) {
  bool identity = true;
  for (size_t i = 0; i < order.size(); ++i)
    identity &= order[i] == int64_t(i);
  return !x || identity ? x : create<graph::PermuteOp>(x, order);
}

Value Emitter::slice(Value x, int64_t d, DimAttr start, DimAttr size, int64_t step) {
  if (!x || d >= rank(x) || (graph::isConstant(start, 0) && size == dim(x, d)))
    return x;
  SmallVector<DimAttr> starts(rank(x), dim(int64_t(0))), sizes = dims(x);
  SmallVector<int64_t> steps(rank(x), 1);
  starts[d] = start;
  sizes[d] = size;
  steps[d] = step;
  return create<graph::SliceOp>(x, dimArray(starts), dimArray(sizes), steps);
}

Value Emitter::sliceScatter(Value base, Value part, int64_t d, DimAttr start, int64_t step) {
  if (!base || !part || d >= rank(base))
    return {};
  if (graph::isConstant(start, 0) && step == 1 && dim(part, d) == dim(base, d))
    return part;
  SmallVector<DimAttr> starts(rank(base), dim(int64_t(0)));
  SmallVector<int64_t> steps(rank(base), 1);
  starts[d] = start;
  steps[d] = step;
  return create<graph::SliceScatterOp>(base, part, dimArray(starts), steps);
}

Value Emitter::concat(ArrayRef<Value> parts, int64_t d) {
  if (parts.size() == 1)
    return parts[0];
  return create<graph::ConcatOp>(parts, d);
}

Value Emitter::dimTensor(DimAttr value, ScalarType type) {
  bool isInteger = !isFloat(type);
  Value one = create<graph::IotaOp>(mlir::Attribute(value), mlir::Attribute(dim(int64_t(1))), dim(int64_t(1)),
                                    elementType(context(), isInteger ? type : ScalarType::I64));
  Value scalar = reshape(one, {});
  return isInteger ? scalar : cast(scalar, type);
}

Value Emitter::positions(DimAttr size, int64_t d, int64_t rank) {
  Value range = create<graph::IotaOp>(mlir::Attribute(dim(int64_t(0))), mlir::Attribute(dim(int64_t(1))), size, elementType(context(), ScalarType::I64));
  SmallVector<DimAttr> shape(rank, dim(int64_t(1)));
  shape[d] = size;
  return reshape(range, shape);
}

Value Emitter::scalarTensor(const Val &number, ScalarType type) {
  if (const auto *dim = number.get<DimAttr>())
    return dimTensor(*dim, type);
  if (const auto *fraction = number.get<DimFraction>(); fraction && fraction->factor != 1) {
    ScalarType compute = fraction->inF32 ? ScalarType::F32 : ScalarType::F64;
    return cast(create<graph::MulOp>(dimTensor(fraction->numerator, compute), constant(compute, fraction->factor)), type);
  }
  if (const auto *fraction = number.get<DimFraction>()) {
    Value denominator = constant(ScalarType::F64, fraction->denominator);
    return cast(create<graph::DivOp>(dimTensor(fraction->numerator, ScalarType::F64), denominator), type);
  }
  return constant(type, number);
}
