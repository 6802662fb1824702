// The scalar dialect's registration, folds and the builder's composite functions.
#include "ir/scalar/ScalarBuilder.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc::scalar;

#include "ir/scalar/ScalarDialect.cpp.inc"
#include "ir/scalar/ScalarEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/scalar/ScalarAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/scalar/ScalarOps.cpp.inc"

void ScalarDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/scalar/ScalarAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/scalar/ScalarOps.cpp.inc"
      >();
}

Operation *ScalarDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  return typed && typed.getType() == type ? ConstantOp::create(builder, loc, type, typed) : nullptr;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult CastOp::fold(FoldAdaptor) { return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult(); }

Value ScalarBuilder::constant(double value, Type type) {
  if (!isa<FloatType>(type))
    return intConstant(static_cast<int64_t>(value), type);
  return ConstantOp::create(builder, loc, type, llvm::cast<TypedAttr>(Attribute(builder.getFloatAttr(type, value))));
}

Value ScalarBuilder::intConstant(int64_t value, Type type) {
  if (isa<FloatType>(type))
    return constant(static_cast<double>(value), type);
  return ConstantOp::create(builder, loc, type, llvm::cast<TypedAttr>(Attribute(builder.getIntegerAttr(type, value))));
}

Value ScalarBuilder::sigmoid(Value x) {
  Value one = constantLike(1, x);
  return div(one, add(one, exp(neg(x))));
}

Type graphc::scalar::computeType(Type type) {
  return type.isF16() || type.isBF16() ? Type(Float32Type::get(type.getContext())) : type;
}
