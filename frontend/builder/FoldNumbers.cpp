// See FoldNumbers.h.
#include "frontend/builder/FoldNumbers.h"

#include <array>
#include <cmath>

using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;
using llvm::ArrayRef;
using llvm::StringRef;

/// The number as a tensor of that dtype holds it.
static Val inDtype(const Val &number, ScalarType type) {
  if (number.isSymbolic())
    return isFloat(type) && number.is<DimAttr>() ? Val(DimFraction{number.as<DimAttr>(), 1}) : number;
  if (type == ScalarType::Bool)
    return Val(toDouble(number) != 0);
  if (type == ScalarType::F32)
    return Val(double(float(toDouble(number))));
  return type == ScalarType::F64 ? Val(toDouble(number)) : number;
}

static bool isNotNegative(Call &call, const Val &number) {
  DimAttr dim = toDim(number, call.e.context());
  return dim && call.run.proved(graph::DimPredicate::Ge, dim, call.e.dim(int64_t(0))).value_or(false);
}

/// x ** y as eager computes it in f32.
static float floatPower(float x, float y) { return y == 0.5f ? std::sqrt(x) : std::pow(x, y); }

/// An operation on two numbers in tensors of one dtype; nullopt where it is left to run time.
static std::optional<Val> foldNumbers(Call &call, StringRef op, const Val &a, const Val &b, ScalarType type) {
  if (type != ScalarType::I64 && type != ScalarType::F32 && type != ScalarType::F64 && type != ScalarType::Bool)
    return std::nullopt;
  Val x = inDtype(a, type), y = inDtype(b, type);
  bool symbolic = x.isSymbolic() || y.isSymbolic();
  // Integer division by zero is left to run time.
  bool truncates = op == "trunc_divide";
  bool divides = op == "floor_divide" || op == "remainder" || op == "div" || truncates;
  if (divides && !y.isSymbolic() && toDouble(y) == 0)
    return std::nullopt;
  if (truncates && !(isNotNegative(call, x) && isNotNegative(call, y)))
    return std::nullopt; // otherwise truncating is flooring
  if (op == "pow" && !symbolic && type == ScalarType::I64 && toDouble(y) < 0)
    return std::nullopt;
  if (op == "pow" && !symbolic && type == ScalarType::F32)
    return Val(double(floatPower(float(toDouble(x)), float(toDouble(y)))));
  bool isRounded = llvm::any_of(std::array{&x, &y}, [](const Val *number) { return number->is<double>() && !hasFewBits(number->as<double>()); });
  if (op == "mul" && type == ScalarType::F32 && symbolic && isRounded)
    return scaleBySize(call, x, y, true);
  return evaluateBinary(call, truncates ? StringRef("floor_divide") : op, x, y);
}

bool builder::foldBinary(Call &call, StringRef op, const PromotedOperand &a, const PromotedOperand &b, ScalarType compute, ScalarType type) {
  const Val *x = knownNumber(a), *y = knownNumber(b);
  if (!x || !y || !(a.tensor || b.tensor))
    return false;
  std::optional<Val> result = foldNumbers(call, op, *x, *y, compute);
  if (!result || call.failed())
    return false;
  call.give(Val(call.run.knownScalar(type, inDtype(*result, type))));
  return true;
}

bool builder::foldClamp(Call &call, ArrayRef<PromotedOperand> operands, bool hasMin, ScalarType type) {
  if (!operands[0].tensor || !llvm::all_of(operands, [](const PromotedOperand &operand) { return knownNumber(operand); }))
    return false;
  std::optional<Val> result = *knownNumber(operands[0]);
  for (const PromotedOperand &bound : operands.drop_front()) {
    result = result ? foldNumbers(call, hasMin ? "max" : "min", *result, *knownNumber(bound), type) : std::nullopt;
    hasMin = false;
  }
  if (result && !call.failed())
    call.give(Val(call.run.knownScalar(type, inDtype(*result, type))));
  return result && !call.failed();
}

/// The rounding of a number; nullopt where no size expression says it.
static std::optional<Val> round(Run &run, StringRef op, const Val &x) {
  if (x.isInteger())
    return x;
  if (const auto *real = x.get<double>())
    return Val(op == "floor" ? std::floor(*real) : op == "ceil" ? std::ceil(*real) : op == "trunc" ? std::trunc(*real) : std::nearbyint(*real));
  std::optional<DimAttr> whole = roundFraction(run, op, x.as<DimFraction>());
  return whole ? std::optional<Val>(DimFraction{*whole, 1}) : std::nullopt;
}

/// The function of a number; nullopt for ops that aren't folded.
static std::optional<Val> applyUnary(Call &call, StringRef op, const Val &x) {
  if (op == "floor" || op == "ceil" || op == "trunc" || op == "round")
    return round(call.run, op, x);
  if (op == "sqrt" && x.isNumber())
    return Val(std::sqrt(toDouble(x)));
  if (x.is<bool>() || (op != "neg" && !(op == "abs" && x.isNumber())))
    return std::nullopt;
  if (const auto *real = x.get<double>())
    return Val(op == "neg" ? -*real : std::abs(*real));
  return op == "abs" && toDouble(x) >= 0 ? x : evaluateBinary(call, "sub", Val(int64_t(0)), x);
}

bool builder::foldUnary(Call &call) {
  const Tensor *tensor = call.argument(0).get<Tensor>();
  const Val *known = tensor ? (*tensor)->knownNumber() : nullptr;
  if (!known)
    return false;
  StringRef op = call.op();
  op.consume_front("aten::");
  ScalarType type = scalarType((*tensor)->type.getElementType());
  ScalarType result = op == "sqrt" && !isFloat(type) ? ScalarType::F32 : type;
  bool isFoldable = result == ScalarType::I64 || result == ScalarType::F32 || result == ScalarType::F64;
  std::optional<Val> number = isFoldable ? applyUnary(call, op, inDtype(*known, type)) : std::nullopt;
  if (number)
    call.give(Val(call.run.knownScalar(result, inDtype(*number, result))));
  return number.has_value();
}

std::optional<Val> builder::convertNumber(Run &run, const Val &number, ScalarType to) {
  if (to == ScalarType::F32 || to == ScalarType::F64)
    return inDtype(number, to);
  if (to != ScalarType::I32 && to != ScalarType::I64)
    return std::nullopt;
  if (const auto *fraction = number.get<DimFraction>()) {
    std::optional<DimAttr> whole = roundFraction(run, "trunc", *fraction);
    return whole ? std::optional(dimValue(*whole)) : std::nullopt;
  }
  if (number.is<DimAttr>())
    return number;
  double limit = to == ScalarType::I32 ? 0x1p31 : 0x1p63;
  if (!(std::abs(toDouble(number)) < limit))
    return std::nullopt;
  return number.is<double>() ? Val(int64_t(number.as<double>())) : Val(int64_t(number.is<bool>() ? number.as<bool>() : number.as<int64_t>()));
}
