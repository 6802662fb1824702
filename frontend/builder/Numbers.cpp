// Python arithmetic on known and symbolic numbers: `7 // -2` is -4, `True + 1` is 2, `B * 2` stays symbolic.
//
// Input: the base name of an aten scalar operator and two values. Output: the value, or nullopt where this isn't an operation on
// numbers; a failure is recorded where Python would raise or the result can't be expressed.
#include "frontend/builder/Call.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;
using graph::DimKind;
using graph::DimPredicate;
using llvm::StringRef;

static int64_t asInt(const Val &value) { return value.is<bool>() ? value.as<bool>() : value.as<int64_t>(); }

static int64_t floorDivide(int64_t a, int64_t b) { return b == -1 ? -a : a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

/// a ** b for b >= 0, in wrapping arithmetic like PyTorch's.
static int64_t integerPower(int64_t a, int64_t b) {
  uint64_t result = 1, base = static_cast<uint64_t>(a);
  for (; b > 0; b >>= 1, base *= base)
    if (b & 1)
      result *= base;
  return static_cast<int64_t>(result);
}

static std::optional<Val> compare(StringRef op, double a, double b) {
  if (op == "eq")
    return Val(a == b);
  if (op == "ne")
    return Val(a != b);
  if (op == "lt")
    return Val(a < b);
  if (op == "le")
    return Val(a <= b);
  if (op == "gt")
    return Val(a > b);
  if (op == "ge")
    return Val(a >= b);
  return std::nullopt;
}

static std::optional<Val> compareIntegers(StringRef op, int64_t a, int64_t b) {
  return compare(op, a < b ? -1 : a > b ? 1 : 0, 0);
}

using Overflowing = int64_t (*)(int64_t, int64_t, int64_t &);

static std::optional<Val> checked(Call &call, Overflowing operation, int64_t a, int64_t b) {
  int64_t result = 0;
  if (operation(a, b, result) != 0)
    call.fail("integer overflow");
  return Val(result);
}

static std::optional<Val> integerBinary(Call &call, StringRef op, int64_t a, int64_t b) {
  if (op == "add")
    return checked(call, llvm::AddOverflow<int64_t>, a, b);
  if (op == "sub")
    return checked(call, llvm::SubOverflow<int64_t>, a, b);
  if (op == "mul")
    return checked(call, llvm::MulOverflow<int64_t>, a, b);
  if (op == "min")
    return Val(std::min(a, b));
  if (op == "max")
    return Val(std::max(a, b));
  if (op == "floordiv" || op == "floor_divide" || op == "remainder" || op == "div" || op == "mod") {
    if (b == 0) {
      call.fail("division by zero");
      return Val(int64_t(0));
    }
    if (op == "div")
      return Val(double(a) / double(b));
    int64_t quotient = floorDivide(a, b);
    return Val(op == "remainder" || op == "mod" ? a - quotient * b : quotient);
  }
  if (op == "pow")
    return b >= 0 ? Val(integerPower(a, b)) : Val(std::pow(double(a), double(b)));
  if (op == "__and__")
    return Val(a & b);
  if (op == "__or__")
    return Val(a | b);
  if (op == "__xor__")
    return Val(a ^ b);
  if ((op == "__lshift__" || op == "__rshift__") && b >= 0 && b < 63)
    return Val(op == "__lshift__" ? int64_t(uint64_t(a) << b) : a >> b);
  if (op == "gcd")
    return Val(int64_t(std::__gcd(std::abs(a), std::abs(b))));
  return compareIntegers(op, a, b);
}

static std::optional<Val> floatBinary(Call &call, StringRef op, double a, double b) {
  if (op == "add")
    return Val(a + b);
  if (op == "sub")
    return Val(a - b);
  if (op == "mul")
    return Val(a * b);
  if (op == "min")
    return Val(b < a ? b : a);
  if (op == "max")
    return Val(b > a ? b : a);
  if (op == "div" || op == "floordiv" || op == "floor_divide" || op == "remainder" || op == "mod") {
    if (b == 0) {
      call.fail("division by zero");
      return Val(0.0);
    }
    if (op == "div")
      return Val(a / b);
    if (op == "floordiv" || op == "floor_divide")
      return Val(std::floor(a / b));
    double remainder = std::fmod(a, b);
    return Val(remainder != 0 && ((remainder < 0) != (b < 0)) ? remainder + b : remainder);
  }
  if (op == "pow")
    return Val(std::pow(a, b));
  if (op == "atan2")
    return Val(std::atan2(a, b));
  if (op == "copysign")
    return Val(std::copysign(a, b));
  return compare(op, a, b);
}

static std::optional<Val> symbolicBinary(Call &call, StringRef op, DimAttr a, DimAttr b) {
  std::optional<DimKind> kind = llvm::StringSwitch<std::optional<DimKind>>(op)
                                    .Case("add", DimKind::Add)
                                    .Case("sub", DimKind::Sub)
                                    .Case("mul", DimKind::Mul)
                                    .Cases({"floordiv", "floor_divide"}, DimKind::FloorDiv)
                                    .Cases({"remainder", "mod"}, DimKind::Mod)
                                    .Case("__lshift__", DimKind::Shl)
                                    .Case("__rshift__", DimKind::Shr)
                                    .Default(std::nullopt);
  if (kind) {
    bool divides = *kind == DimKind::FloorDiv || *kind == DimKind::Mod;
    if (divides && !call.run.proved(DimPredicate::Gt, b, call.e.dim(int64_t(0))).value_or(false)) {
      call.fail("division of a symbolic size by " + b.str() + ", which isn't known to be positive");
      return dimValue(a);
    }
    return dimValue(DimAttr::binary(*kind, a, b));
  }
  if (op == "min" || op == "max")
    return dimValue(op == "min" ? call.run.smaller(a, b) : call.run.larger(a, b));
  if (op == "pow") {
    std::optional<Val> power = evaluateFractions(call, op, dimValue(a), dimValue(b));
    return power ? std::optional<Val>(dimValue(power->as<DimFraction>().numerator)) : std::nullopt;
  }
  std::optional<DimPredicate> predicate = llvm::StringSwitch<std::optional<DimPredicate>>(op)
                                              .Case("eq", DimPredicate::Eq)
                                              .Case("ne", DimPredicate::Ne)
                                              .Case("lt", DimPredicate::Lt)
                                              .Case("le", DimPredicate::Le)
                                              .Case("gt", DimPredicate::Gt)
                                              .Case("ge", DimPredicate::Ge)
                                              .Default(std::nullopt);
  if (!predicate)
    return std::nullopt;
  std::optional<bool> outcome = call.run.decide(*predicate, a, b);
  if (!outcome)
    call.fail("can't decide whether " + a.str() + " " + op + " " + b.str() +
              " holds for the symbolic sizes; give them a range that decides it, as in --input 'x=f32[B:4..]', or numbers");
  return Val(outcome.value_or(false));
}

std::optional<Val> builder::evaluateBinary(Call &call, StringRef op, const Val &a, const Val &b) {
  bool symbolic = a.isSymbolic() || b.isSymbolic();
  if (symbolic && op != "div" && a.isInteger() && b.isInteger())
    return symbolicBinary(call, op, toDim(a, call.e.context()), toDim(b, call.e.context()));
  if (symbolic)
    return evaluateFractions(call, op, a, b);
  if (!a.isNumber() || !b.isNumber())
    return std::nullopt;
  if (a.is<double>() || b.is<double>())
    return floatBinary(call, op, toDouble(a), toDouble(b));
  std::optional<Val> result = integerBinary(call, op, asInt(a), asInt(b));
  bool logical = op == "__and__" || op == "__or__" || op == "__xor__";
  if (result && logical && a.is<bool>() && b.is<bool>())
    return Val(result->as<int64_t>() != 0);
  return result;
}
