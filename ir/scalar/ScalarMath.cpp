// See ScalarMath.h.
#include "ir/scalar/ScalarMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graphc::scalar;

static bool isFloat(Value x) { return isa<FloatType>(x.getType()); }
static Value zeroOf(ScalarBuilder &b, Value x) { return b.constantLike(0, x); }
static Value isNegative(ScalarBuilder &b, Value x) { return b.compare(Predicate::lt, x, zeroOf(b, x)); }
static Value boolConstant(ScalarBuilder &b, bool value) { return b.intConstant(value, b.getBuilder().getI1Type()); }

Value graphc::scalar::isTrue(ScalarBuilder &b, Value x) {
  return x.getType().isInteger(1) ? x : b.compare(Predicate::ne, x, zeroOf(b, x));
}

Value graphc::scalar::isInf(ScalarBuilder &b, Value x) {
  if (!isFloat(x))
    return boolConstant(b, false);
  return b.compare(Predicate::eq, b.abs(x), b.constantLike(std::numeric_limits<double>::infinity(), x));
}

Value graphc::scalar::isFinite(ScalarBuilder &b, Value x) {
  if (!isFloat(x))
    return boolConstant(b, true);
  return b.compare(Predicate::lt, b.abs(x), b.constantLike(std::numeric_limits<double>::infinity(), x));
}

Value graphc::scalar::sign(ScalarBuilder &b, Value x) {
  if (x.getType().isInteger(1))
    return x;
  Value zero = zeroOf(b, x);
  Value positive = b.select(b.compare(Predicate::gt, x, zero), b.constantLike(1, x), zero);
  if (x.getType().isUnsignedInteger())
    return positive;
  return b.select(isNegative(b, x), b.constantLike(-1, x), positive);
}

Value graphc::scalar::bitNot(ScalarBuilder &b, Value x) {
  if (x.getType().isInteger(1))
    return b.logicalNot(x);
  return b.bitXor(x, b.intConstant(x.getType().isUnsignedInteger() ? (int64_t(1) << x.getType().getIntOrFloatBitWidth()) - 1 : -1, x.getType()));
}

/// i1: `replace` (x is beyond the bound), or the bound is NaN, unless it is known not to be.
static Value orBoundIsNan(ScalarBuilder &b, Value replace, Value bound) {
  if (!isFloat(bound))
    return replace;
  if (auto constant = bound.getDefiningOp<ConstantOp>())
    if (auto value = dyn_cast<FloatAttr>(constant.getValue()); value && !value.getValue().isNaN())
      return replace;
  return b.bitOr(replace, b.isNan(bound));
}

Value graphc::scalar::clamp(ScalarBuilder &b, Value x, Value low, Value high) {
  if (low)
    x = b.select(orBoundIsNan(b, b.compare(Predicate::lt, x, low), low), low, x);
  if (high)
    x = b.select(orBoundIsNan(b, b.compare(Predicate::gt, x, high), high), high, x);
  return x;
}

Value graphc::scalar::divTrunc(ScalarBuilder &b, Value x, Value y) { return isFloat(x) ? b.trunc(b.div(x, y)) : b.intDiv(x, y); }

Value graphc::scalar::divFloor(ScalarBuilder &b, Value x, Value y) {
  if (!isFloat(x))
    return b.intFloorDiv(x, y);
  // c10::div_floor_floating: an exact quotient through fmod, corrected to the floor.
  Value zero = zeroOf(b, x), one = b.constantLike(1, x), quotient = b.div(x, y);
  Value rest = b.fmod(x, y), exact = b.div(b.sub(x, rest), y);
  Value signsDiffer = b.bitXor(isNegative(b, y), isNegative(b, rest));
  Value down = b.bitAnd(b.compare(Predicate::ne, rest, zero), signsDiffer);
  exact = b.select(down, b.sub(exact, one), exact);
  Value floor = b.floor(exact);
  Value up = b.compare(Predicate::gt, b.sub(exact, floor), b.constantLike(0.5, x));
  floor = b.select(up, b.add(floor, one), floor);
  Value result = b.select(b.compare(Predicate::ne, exact, zero), floor, b.copysign(zero, quotient));
  return b.select(b.compare(Predicate::eq, y, zero), quotient, result);
}

Value graphc::scalar::remainder(ScalarBuilder &b, Value x, Value y) {
  Value rest = fmod(b, x, y), zero = zeroOf(b, x);
  if (x.getType().isUnsignedInteger())
    return rest;
  Value signsDiffer = b.bitXor(isNegative(b, y), isNegative(b, rest));
  return b.select(b.bitAnd(b.compare(Predicate::ne, rest, zero), signsDiffer), b.add(rest, y), rest);
}

Value graphc::scalar::fmod(ScalarBuilder &b, Value x, Value y) { return isFloat(x) ? b.fmod(x, y) : b.intRem(x, y); }

static Value intPow(ScalarBuilder &b, Value base, Value exponent) {
  Value zero = zeroOf(b, base), one = b.constantLike(1, base), result = one, power = base;
  bool isUnsigned = base.getType().isUnsignedInteger();
  unsigned bits = base.getType().getIntOrFloatBitWidth() - (isUnsigned ? 0 : 1);
  for (unsigned i = 0; i < bits; ++i) {
    Value bit = b.bitAnd(b.shr(exponent, b.constantLike(i, base)), one);
    result = b.mul(result, b.select(b.compare(Predicate::ne, bit, zero), power, one));
    power = i + 1 < bits ? b.mul(power, power) : power;
  }
  if (isUnsigned)
    return result;
  Value minusOne = b.constantLike(-1, base), isOdd = b.compare(Predicate::ne, b.bitAnd(exponent, one), zero);
  Value ofMinusOne = b.select(isOdd, minusOne, one);
  Value inverse = b.select(b.compare(Predicate::eq, base, one), one, b.select(b.compare(Predicate::eq, base, minusOne), ofMinusOne, zero));
  return b.select(isNegative(b, exponent), inverse, result);
}

Value graphc::scalar::pow(ScalarBuilder &b, Value x, Value y) { return isFloat(x) ? b.pow(x, y) : intPow(b, x, y); }

Value graphc::scalar::hypot(ScalarBuilder &b, Value x, Value y) {
  Value zero = zeroOf(b, x), one = b.constantLike(1, x), infinity = b.constantLike(std::numeric_limits<double>::infinity(), x);
  x = b.abs(x), y = b.abs(y);
  Value large = b.max(x, y), small = b.min(x, y), ratio = b.div(small, large);
  Value length = b.mul(large, b.sqrt(b.add(one, b.mul(ratio, ratio))));
  length = b.select(b.compare(Predicate::eq, large, zero), zero, length);
  Value anyInf = b.bitOr(b.compare(Predicate::eq, x, infinity), b.compare(Predicate::eq, y, infinity));
  return b.select(anyInf, infinity, length);
}

Value graphc::scalar::logSigmoid(ScalarBuilder &b, Value x) {
  return b.sub(b.min(x, zeroOf(b, x)), b.log1p(b.exp(b.neg(b.abs(x)))));
}

Value graphc::scalar::gelu(ScalarBuilder &b, Value x, bool tanh) {
  Value half = b.constantLike(0.5, x), one = b.constantLike(1, x);
  if (!tanh)
    return b.mul(b.mul(x, half), b.add(one, b.erf(b.mul(x, b.constantLike(M_SQRT1_2, x)))));
  Value cube = b.mul(b.mul(x, x), x);
  Value inner = b.mul(b.constantLike(M_SQRT2 * M_2_SQRTPI * 0.5, x), b.add(x, b.mul(b.constantLike(0.044715, x), cube)));
  return b.mul(b.mul(half, x), b.add(one, b.tanh(inner)));
}

Value graphc::scalar::silu(ScalarBuilder &b, Value x) { return b.div(x, b.add(b.constantLike(1, x), b.exp(b.neg(x)))); }

Value graphc::scalar::softplus(ScalarBuilder &b, Value x, double beta, double threshold) {
  Value scaled = beta == 1 ? x : b.mul(x, b.constantLike(beta, x)), soft = b.log1p(b.exp(scaled));
  if (beta != 1)
    soft = b.div(soft, b.constantLike(beta, x));
  return b.select(b.compare(Predicate::gt, scaled, b.constantLike(threshold, x)), x, soft);
}

/// min(max(x + 3, 0), 6)
static Value hardRamp(ScalarBuilder &b, Value x) {
  return b.min(b.max(b.add(x, b.constantLike(3, x)), zeroOf(b, x)), b.constantLike(6, x));
}
Value graphc::scalar::hardsigmoid(ScalarBuilder &b, Value x) { return b.div(hardRamp(b, x), b.constantLike(6, x)); }
Value graphc::scalar::hardswish(ScalarBuilder &b, Value x) { return b.div(b.mul(x, hardRamp(b, x)), b.constantLike(6, x)); }

Value graphc::scalar::elu(ScalarBuilder &b, Value x, double alpha, double scale, double inputScale) {
  Value inner = inputScale == 1 ? x : b.mul(x, b.constantLike(inputScale, x)), negative = b.expm1(inner), positive = x;
  if (alpha * scale != 1)
    negative = b.mul(negative, b.constantLike(alpha * scale, x));
  if (scale != 1)
    positive = b.mul(positive, b.constantLike(scale, x));
  return b.select(isNegative(b, x), negative, positive);
}
