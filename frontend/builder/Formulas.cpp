// Pointwise operators that are a short formula over graph ops: fmax, heaviside, isclose, softshrink, gcd, nextafter, ….
//
// `aten::fmax(a, b)` is where(isnan(a), b, where(isnan(b), a, max(a, b))). Special functions have a file of their own, SpecialFunctions.cpp.
#include "frontend/builder/Expression.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

namespace {
/// Two operands in their common dtype; `floats`: integers become f32.
struct Pair {
  Expr a, b;
  ScalarType type;
};
} // namespace

static Pair promotedPair(Call &call, StringRef first, StringRef second, bool floats = false) {
  PromotedOperand lhs = promotedOperand(call, first), rhs = promotedOperand(call, second);
  ScalarType type = resultType({lhs, rhs});
  if (floats && !isFloat(type))
    type = ScalarType::F32;
  if (call.failed())
    return {Expr(call, {}), Expr(call, {}), type};
  return {Expr(call, promoted(call, lhs, type)), Expr(call, promoted(call, rhs, type)), type};
}

/// The larger (smaller) of two; a number wins over NaN.
static void ignoringNan(Call &call, bool largest) {
  Pair p = promotedPair(call, "self", "other");
  Expr best = largest ? max(p.a, p.b) : min(p.a, p.b);
  if (isFloat(p.type))
    best = where(isNan(p.a), p.b, where(isNan(p.b), p.a, best));
  givePointwise(call, best);
}
static void convertFmax(Call &call) { ignoringNan(call, true); }
static void convertFmin(Call &call) { ignoringNan(call, false); }

/// 0 below zero, 1 above, `values` at zero.
static void convertHeaviside(Call &call) {
  Expr x = self(call), values(call, call.value("values"));
  if (!Value(x) || !Value(values))
    return;
  if (x.dtype() != values.dtype())
    return call.fail("heaviside of different dtypes (eager refuses it too)");
  givePointwise(call, where(x == 0.0, values, (x > 0.0).cast(x.dtype())));
}

/// |self - other| <= atol + |rtol other|, or equal.
static void convertIsClose(Call &call) {
  Expr a = self(call), b(call, call.value("other"));
  double rtol = call.number("rtol", 1e-5), atol = call.number("atol", 1e-8);
  if (call.failed())
    return;
  if (a.dtype() != b.dtype())
    return call.fail("isclose of different dtypes (eager refuses it too)");
  if (!(rtol >= 0) || !(atol >= 0))
    return call.fail("isclose with a negative tolerance (eager refuses it too)");
  bool equalNan = call.boolean("equal_nan", false) && isFloat(a.dtype());
  Expr close = a == b;
  if (equalNan)
    close = close || (isNan(a) && isNan(b));
  if (rtol == 0 && atol == 0)
    return givePointwise(call, close);
  ScalarType type = floatDtype(a.dtype());
  Expr other = b.cast(type), distance = abs(a.cast(type) - other), allowed = abs(other * rtol) + atol;
  Expr finite(call, call.e.create<graph::IsFiniteOp>(Value(distance)));
  givePointwise(call, close || (finite && distance <= allowed));
}

static void convertLogaddexp2(Call &call) {
  Pair p = promotedPair(call, "self", "other", true);
  Expr a = p.a.cast(wide(p.type)), b = p.b.cast(wide(p.type)), largest = max(a, b);
  Expr sum = largest + log1p(exp2(-abs(a - b))) * M_LOG2E;
  giveFormula(call, where((a == b) && isInf(largest), largest, sum), p.type);
}

/// self * 2^other
static void convertLdexp(Call &call) {
  Pair p = promotedPair(call, "self", "other", true);
  Expr exponent(call, call.value("other"));
  call.give((p.a * exp2(exponent.cast(p.type))).cast(p.type));
}

static void scaledBy(Call &call, double factor) {
  Expr x = floatArgument(call, call.first());
  givePointwise(call, x * factor);
}
static void convertDeg2rad(Call &call) { scaledBy(call, M_PI / 180); }
static void convertRad2deg(Call &call) { scaledBy(call, 180 / M_PI); }

static void convertSoftshrink(Call &call) {
  Expr x = self(call);
  double bound = call.number("lambd", 0.5);
  if (!(bound >= 0))
    return call.fail("softshrink by a negative number (eager refuses it too)");
  givePointwise(call, where(x > bound, x - bound, where(x < -bound, x + bound, x * 0.0)));
}
static void convertHardshrink(Call &call) {
  Expr x = self(call);
  double bound = call.number("lambd", 0.5);
  givePointwise(call, where(x >= -bound && x <= bound, 0.0, x));
}

static void convertSignbit(Call &call) {
  Expr x = self(call);
  if (Value(x) && isFloat(x.dtype()))
    x = Expr(call, call.e.create<graph::CopysignOp>(Value(x.like(1)), Value(x)));
  if (Value(x) && x.dtype() == ScalarType::Bool)
    return givePointwise(call, call.e.create<graph::LogicalXorOp>(Value(x), Value(x)));
  givePointwise(call, x < 0.0);
}

static void infinityOf(Call &call, double sign) {
  Expr x = self(call);
  if (Value(x) && !isFloat(x.dtype()))
    return givePointwise(call, call.e.expand(call.e.constant(ScalarType::Bool, 0.0), x.dims()));
  givePointwise(call, x == sign * HUGE_VAL);
}
static void convertIsPosInf(Call &call) { infinityOf(call, 1); }
static void convertIsNegInf(Call &call) { infinityOf(call, -1); }

/// Of a real number: 0, or pi where it is negative; NaN stays.
static void convertAngle(Call &call) {
  Expr x = floatArgument(call, call.first()), zero = x.like(0);
  givePointwise(call, where(isNan(x), x, where(x < 0.0, zero.like(M_PI), zero)));
}

static void convertIsReal(Call &call) {
  Expr x = self(call);
  givePointwise(call, call.e.expand(call.e.constant(ScalarType::Bool, 1.0), x.dims()));
}

/// positive, conj_physical: the same values in new memory.
static void convertSame(Call &call) {
  Expr x = self(call);
  if (Value(x) && x.dtype() == ScalarType::Bool && call.op() == "aten::positive")
    return call.fail("bool tensors are not supported by this operator (eager refuses them too)");
  givePointwise(call, x);
}

/// The greatest common divisor by Euclid's algorithm, unrolled for the dtype's worst case; a step with a remainder of 0 changes nothing.
static Expr gcd(Call &call, Expr a, Expr b) {
  size_t bits = 8 * scalarTypeSize(a.dtype());
  a = abs(a), b = abs(b);
  for (size_t step = 0; step < bits * 3 / 2; ++step) {
    Expr isZero = b == 0.0;
    Expr rest(call, call.e.create<graph::FmodOp>(Value(a), Value(where(isZero, 1.0, b))));
    Expr next = where(isZero, a, b);
    b = where(isZero, b, rest);
    a = next;
  }
  return a;
}
static void convertGcd(Call &call) {
  Pair p = promotedPair(call, "self", "other");
  if (!call.failed())
    givePointwise(call, gcd(call, p.a, p.b));
}
static void convertLcm(Call &call) {
  Pair p = promotedPair(call, "self", "other");
  if (call.failed())
    return;
  Expr divisor = gcd(call, p.a, p.b);
  Expr quotient = divTrunc(p.a, where(divisor == 0.0, 1.0, divisor));
  givePointwise(call, where(divisor == 0.0, 0.0, abs(quotient * p.b)));
}

namespace {
struct FloatFormat {
  int precision; // bits of the significand, the leading one included
  double normal, smallest, largest;
};
} // namespace

static FloatFormat formatOf(ScalarType type) {
  switch (type) {
  case ScalarType::F16: return {11, 0x1p-14, 0x1p-24, 65504};
  case ScalarType::BF16: return {8, 0x1p-126, 0x1p-133, 0x1.fep127};
  case ScalarType::F32: return {24, 0x1p-126, 0x1p-149, 0x1.fffffep127};
  default: return {53, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023};
  }
}

/// The neighbour of x in the direction of y. For normal x, x plus a little more than half a unit in the last place rounds to it; computed in f64.
static void convertNextafter(Call &call) {
  Pair p = promotedPair(call, "self", "other");
  if (call.failed())
    return;
  if (!isFloat(p.type))
    return call.fail("nextafter of " + Twine(scalarTypeName(p.type)) + " (eager refuses it too)");
  FloatFormat format = formatOf(p.type);
  double half = std::ldexp(1 + (format.precision > 11 ? 0x1p-20 : 0x1p-5), -format.precision), scale = p.type == ScalarType::F64 ? 0x1p600 : 1;
  Expr x = p.a.cast(ScalarType::F64), y = p.b.cast(ScalarType::F64), up = y > x, size = abs(x);
  Expr sign = where(up, x.like(1), x.like(-1));
  // Small f64 numbers are scaled up for the step, so that half a unit is a normal number.
  Expr isSmall = size < format.normal * scale, scaled = where(isSmall, x * scale, x);
  Expr stepped = scaled + sign * abs(scaled) * half;
  Expr moved = where(isSmall, stepped * (1 / scale), stepped);
  moved = where(size < format.normal || (size == format.normal && (up == (x < 0.0))), x + sign * format.smallest, moved);
  // From an infinity towards a number: the largest finite one.
  moved = where(isInf(x), where(up, x.like(-format.largest), x.like(format.largest)), moved);
  Expr nan = x + y;
  giveFormula(call, where(isNan(nan) && (isNan(x) || isNan(y)), nan, where(x == y, y, moved)), p.type);
}

/// Mantissa in [0.5, 1) and exponent, by exact multiplications with powers of 2.
static void convertFrexp(Call &call) {
  Expr x = self(call);
  if (call.failed() || !isFloat(x.dtype()))
    return call.fail("frexp of integers (eager refuses it too)");
  ScalarType given = x.dtype();
  Expr m = x.cast(wide(given)), exponent = m.like(0), special = m == 0.0 || isInf(m) || isNan(m);
  for (int step = given == ScalarType::F64 ? 512 : 64; step >= 1; step /= 2)
    for (int repeat = 0; repeat < 2; ++repeat) { // twice: denormals lie beyond the sum of all steps
      Expr large = abs(m) >= std::ldexp(1, step - 1) && !special, small = abs(m) < std::ldexp(1, -step) && !special;
      m = where(large, m * std::ldexp(1, -step), where(small, m * std::ldexp(1, step), m));
      exponent = where(large, exponent + double(step), where(small, exponent - double(step), exponent));
    }
  Expr whole = abs(m) >= 1.0 && !special;
  m = where(whole, m * 0.5, m);
  exponent = where(whole, exponent + 1.0, exponent);
  giveFormula(call, m, given);
  giveFormula(call, exponent, ScalarType::I32);
}

/// Whether each element is among the test elements.
static void convertIsIn(Call &call) {
  PromotedOperand elements = promotedOperand(call, call.find("elements") ? "elements" : "element");
  PromotedOperand tests = promotedOperand(call, call.find("test_elements") ? "test_elements" : "test_element");
  ScalarType type = resultType({elements, tests});
  if (call.failed())
    return;
  Expr x(call, promoted(call, elements, type)), set(call, promoted(call, tests, type));
  Expr flat = set.reshape({graph::getNumElements(call.e.type(set))});
  int64_t rank = x.rank();
  Expr hit = any(x.unsqueeze(rank) == flat, {rank});
  givePointwise(call, call.boolean("invert", false) ? !hit : hit);
}

void builder::addFormulas(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"fmax", convertFmax},           {"fmin", convertFmin},         {"heaviside", convertHeaviside}, {"isclose", convertIsClose},
      {"logaddexp2", convertLogaddexp2}, {"ldexp", convertLdexp},     {"deg2rad", convertDeg2rad},     {"rad2deg", convertRad2deg},
      {"softshrink", convertSoftshrink}, {"hardshrink", convertHardshrink}, {"signbit", convertSignbit}, {"isposinf", convertIsPosInf},
      {"isneginf", convertIsNegInf},   {"angle", convertAngle},       {"isreal", convertIsReal},       {"positive", convertSame},
      {"conj_physical", convertSame},  {"gcd", convertGcd},           {"lcm", convertLcm},             {"nextafter", convertNextafter},
      {"frexp", convertFrexp},         {"isin", convertIsIn}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
