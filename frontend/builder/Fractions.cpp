// Float arithmetic on symbolic sizes, as far as rounding gives a size again: `math.ceil(n / 3) * 3` is (n ceildiv 3) * 3.
//
// A float is a fraction of sizes (DimFraction). Floats round it; so only that is computed here which gives the same in exact arithmetic and
// in floats once it is rounded to a whole number, for sizes below 2^24 (where f32 holds every whole number; products: below 2^14). Anything else, such as
// sqrt(n) or n * 0.1 + 1, is left to tensor ops, which compute it when it runs.
#include "frontend/SizeQuotient.h"
#include "frontend/builder/Call.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;
using graph::DimKind;
using graph::DimPredicate;
using llvm::StringRef;

namespace {

constexpr int64_t maxDenominator = 1 << 20;
constexpr int64_t maxExponent = 8;

std::optional<DimFraction> toFraction(const Val &value, mlir::MLIRContext *context) {
  if (const auto *fraction = value.get<DimFraction>())
    return *fraction;
  if (DimAttr dim = toDim(value, context))
    return DimFraction{dim, 1};
  const auto *real = value.get<double>();
  for (int64_t denominator = 1; real && denominator <= maxDenominator; denominator *= 2)
    if (double numerator = *real * double(denominator); numerator == std::trunc(numerator) && std::abs(numerator) < 0x1p53)
      return DimFraction{DimAttr::constant(context, int64_t(numerator)), denominator};
  return std::nullopt;
}

bool isWhole(const DimFraction &x) { return x.denominator == 1; }
/// Floats hold it as it is.
bool isExact(const DimFraction &x) { return llvm::isPowerOf2_64(uint64_t(x.denominator)); }

std::optional<Val> give(DimAttr numerator, int64_t denominator) {
  return denominator <= maxDenominator ? std::optional<Val>(DimFraction{numerator, denominator}) : std::nullopt;
}

std::optional<Val> sum(const DimFraction &x, const DimFraction &y, bool subtracts) {
  int64_t denominator = std::lcm(x.denominator, y.denominator);
  DimAttr a = x.numerator * (denominator / x.denominator), b = y.numerator * (denominator / y.denominator);
  return give(subtracts ? a - b : a + b, denominator);
}

std::optional<Val> quotient(Call &call, const DimFraction &x, const DimFraction &y) {
  if (!y.numerator.isConstant() || std::abs(y.numerator.getValue()) > maxDenominator)
    return std::nullopt;
  int64_t divisor = y.numerator.getValue();
  if (divisor == 0) {
    call.fail("division by zero");
    return Val(0.0);
  }
  return give(x.numerator * (divisor < 0 ? -y.denominator : y.denominator), x.denominator * std::abs(divisor));
}

std::optional<Val> power(const DimFraction &x, const DimFraction &y) {
  bool isSmall = isExact(x) && isWhole(y) && y.numerator.isConstant() && y.numerator.getValue() >= 0 && y.numerator.getValue() <= maxExponent;
  if (!isSmall)
    return std::nullopt;
  std::optional<Val> result = DimFraction{DimAttr::constant(x.numerator.getContext(), 1), 1};
  for (int64_t i = 0; result && i < y.numerator.getValue(); ++i)
    result = give(result->as<DimFraction>().numerator * x.numerator, result->as<DimFraction>().denominator * x.denominator);
  return result;
}

/// The smaller or the larger of the two.
std::optional<Val> extreme(Call &call, const DimFraction &x, const DimFraction &y, bool isMax) {
  if (x.denominator != y.denominator)
    return std::nullopt;
  return give(isMax ? call.run.larger(x.numerator, y.numerator) : call.run.smaller(x.numerator, y.numerator), x.denominator);
}

} // namespace

std::optional<Val> builder::evaluateFractions(Call &call, StringRef op, const Val &a, const Val &b) {
  std::optional<DimFraction> x = toFraction(a, call.e.context()), y = toFraction(b, call.e.context());
  if (op == "mul" && (!x || !y))
    return scaleBySize(call, a, b, false);
  if (!x || !y || x->factor != 1 || y->factor != 1)
    return std::nullopt;
  bool addsExactly = (isExact(*x) && isExact(*y)) || isWhole(*x) || isWhole(*y);
  if (op == "mul")
    return isExact(*x) && isExact(*y) ? give(x->numerator * y->numerator, x->denominator * y->denominator) : std::nullopt;
  if (op == "div")
    return quotient(call, *x, *y);
  if (op == "pow")
    return power(*x, *y);
  if (op == "floordiv" || op == "floor_divide") {
    std::optional<Val> result = quotient(call, *x, *y);
    std::optional<DimAttr> floor = result && result->is<DimFraction>() ? roundFraction(call.run, "floor", result->as<DimFraction>()) : std::nullopt;
    return floor ? give(*floor, 1) : std::nullopt;
  }
  if (!addsExactly)
    return std::nullopt;
  if (op == "add" || op == "sub")
    return sum(*x, *y, op == "sub");
  if (op == "max" || op == "min")
    return extreme(call, *x, *y, op == "max");
  if (op == "eq" || op == "ne" || op == "lt" || op == "le" || op == "gt" || op == "ge")
    return evaluateBinary(call, op, dimValue(x->numerator * y->denominator), dimValue(y->numerator * x->denominator));
  return std::nullopt;
}

bool builder::hasFewBits(double number) {
  int exponent = 0;
  double digits = std::ldexp(std::frexp(number, &exponent), 10);
  return digits == std::trunc(digits);
}

DimAttr builder::scaledSize(Run &run, StringRef op, DimAttr size, double factor, bool inF32) {
  std::optional<SizeQuotient> quotient = sizeQuotient(factor, op == "ceil" ? SizeRounding::Ceil : SizeRounding::Floor, inF32);
  if (!quotient)
    return DimAttr();
  if (quotient->mostSize)
    run.guard(size, "<=", DimAttr::constant(size.getContext(), *quotient->mostSize),
              "the model was compiled for a size times " + toText(Val(factor)) + " of at most " + std::to_string(*quotient->mostSize));
  DimAttr product = size * quotient->numerator, denominator = DimAttr::constant(size.getContext(), quotient->denominator);
  return DimAttr::binary(op == "ceil" ? DimKind::CeilDiv : DimKind::FloorDiv, product, denominator);
}

std::optional<Val> builder::scaleBySize(Call &call, const Val &a, const Val &b, bool inF32) {
  const Val &scalar = a.is<double>() ? a : b, &other = a.is<double>() ? b : a;
  std::optional<DimFraction> size = toFraction(other, call.e.context());
  const auto *factor = scalar.get<double>();
  bool isSize = factor && size && isWhole(*size) && size->factor == 1 && !size->numerator.isConstant() &&
                call.run.proved(DimPredicate::Ge, size->numerator, call.e.dim(int64_t(0))).value_or(false);
  if (!isSize || !sizeQuotient(*factor, SizeRounding::Floor, inF32))
    return std::nullopt;
  return DimFraction{size->numerator, 1, *factor, inF32};
}

std::optional<DimAttr> builder::roundFraction(Run &run, StringRef op, const DimFraction &x) {
  if (x.factor != 1) {
    DimAttr size = op == "ceil" || op == "floor" || op == "trunc" ? scaledSize(run, op, x.numerator, x.factor, x.inF32) : DimAttr(); // sizes are not negative
    return size ? std::optional(size) : std::nullopt;
  }
  DimAttr denominator = DimAttr::constant(x.numerator.getContext(), x.denominator);
  if (x.denominator == 1)
    return x.numerator;
  if (op == "ceil")
    return DimAttr::binary(DimKind::CeilDiv, x.numerator, denominator);
  bool isPositive = run.proved(DimPredicate::Ge, x.numerator, DimAttr::constant(x.numerator.getContext(), 0)).value_or(false);
  if (op == "floor" || (op == "trunc" && isPositive))
    return DimAttr::binary(DimKind::FloorDiv, x.numerator, denominator);
  return std::nullopt;
}
