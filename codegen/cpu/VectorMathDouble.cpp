// See VectorMathDouble.h.
#include "codegen/cpu/VectorMathDouble.h"
#include "codegen/cpu/MathBuilder.h"
#include "ir/support/Check.h"

#include <cmath>

using namespace graphc;
using namespace graphc::cpu;
using llvm::Value;

namespace {

constexpr double ln2High = 0x1.62e42fefa3800p-1, ln2Low = 0x1.ef35793c76730p-45;
constexpr double halfPiHigh = 0x1.921fb54442d18p+0, halfPiLow = 0x1.1a62633145c07p-54;
/// Beyond this, pi/2 in two doubles doesn't reduce a float's argument well enough.
constexpr double reductionLimit = 0x1p50;

class DoubleMath : public MathBuilder {
public:
  using MathBuilder::MathBuilder;

  V exp(V x) {
    x = clamp(x, -740, 740);
    auto [n, power] = round(mul(x, c(1.44269504088896341)));
    V r = fma(n, c(-ln2Low), fma(n, c(-ln2High), x));
    V p = polynomial(r, {9.9999999996173161e-1, 1.0000000002436831, 5.0000001044450589e-1, 1.6666665123748831e-1, 4.1666225649244042e-2,
                         8.3335613221151054e-3, 1.3948170163185539e-3, 1.9775116141068064e-4});
    V half = b.CreateAShr(power, ci(1));
    return mul(mul(p, powerOfTwo(half)), powerOfTwo(b.CreateSub(power, half)));
  }

  /// Of a normal double, 0, infinity or NaN (floats have no double denormals).
  V log(V x) {
    V shifted = b.CreateSub(bits(x), ci(0x3fe6a09e667f3bcd)); // sqrt(1/2)
    V e = exponentToDouble(b.CreateAShr(shifted, ci(52)));
    V mantissa = fromBits(b.CreateAdd(b.CreateAnd(shifted, ci(0x000fffffffffffff)), ci(0x3fe6a09e667f3bcd)));
    V s = div(sub(mantissa, c(1)), add(mantissa, c(1)));
    V p = polynomial(mul(s, s), {1.9999999999999468, 6.666666667964568e-1, 3.9999994873751903e-1, 2.8572167867544071e-1,
                                 2.2174183013537148e-1, 1.9609005230816855e-1});
    V result = fma(e, c(ln2High), fma(e, c(ln2Low), mul(s, p)));
    result = select(eq(x, c(INFINITY)), x, result);
    result = select(eq(x, c(0)), c(-INFINITY), result);
    return select(b.CreateFCmpULT(x, c(0)), c(NAN), result);
  }

  V log1p(V x) {
    V series = mul(x, polynomial(x, {1, -0.5, 1.0 / 3}));
    return select(lt(abs(x), c(1e-4)), series, log(add(x, c(1))));
  }

  V expm1(V x) {
    V small = mul(x, polynomial(x, {9.9999999991811308e-1, 5.0000000022369099e-1, 1.6666667729148888e-1, 4.1666660282951565e-2,
                                    8.3331191714769145e-3, 1.3889271729440713e-3, 1.9978950151775533e-4, 2.4802584920595033e-5}));
    small = select(eq(x, c(0)), x, small); // keeps the sign of zero, rounds tiny values to themselves
    return select(lt(abs(x), c(0.5)), small, sub(exp(x), c(1)));
  }

  V sinh(V x) {
    V small = mul(x, polynomial(mul(x, x), {1.0000000000460681, 1.6666666429980189e-1, 8.333352605525434e-3, 1.9835810500709594e-4,
                                            2.8185334273294594e-6}));
    V large = mul(c(0.5), sub(exp(x), exp(neg(x))));
    return select(lt(abs(x), c(1)), small, large);
  }
  V cosh(V x) { return mul(c(0.5), add(exp(x), exp(neg(x)))); }

  V asinh(V x) {
    V a = abs(x), square = mul(a, a);
    V t = add(a, div(square, add(c(1), sqrt(add(square, c(1))))));
    return select(eq(a, c(INFINITY)), x, copysign(log1p(t), x));
  }
  V acosh(V x) {
    V t = sub(x, c(1));
    V result = log1p(add(t, sqrt(mul(t, add(x, c(1))))));
    return select(b.CreateFCmpULT(x, c(1)), c(NAN), result);
  }
  V atanh(V x) {
    V a = abs(x);
    return copysign(mul(c(0.5), log1p(div(add(a, a), sub(c(1), a)))), x);
  }

  V atan(V x) {
    V a = abs(x);
    V isLarge = gt(a, c(2.414213562373095)), isMiddle = gt(a, c(0.4142135623730950));
    V numerator = select(isLarge, c(-1), select(isMiddle, sub(a, c(1)), a));
    V denominator = select(isLarge, a, select(isMiddle, add(a, c(1)), c(1)));
    V base = select(isLarge, c(1.5707963267948966), select(isMiddle, c(0.78539816339744831), c(0)));
    V t = div(numerator, denominator);
    V p = polynomial(mul(t, t), {9.9999999997924825e-1, -3.3333332132764132e-1, 1.9999886220451515e-1, -1.428164700270555e-1,
                                 1.104113829658794e-1, -8.4595300451837469e-2, 4.7137858306886572e-2});
    return copysign(fma(t, p, base), x);
  }
  V asin(V x) { return atan(div(x, sqrt(mul(sub(c(1), x), add(c(1), x))))); }
  V acos(V x) { return mul(c(2), atan(sqrt(div(sub(c(1), x), add(c(1), x))))); }

  /// sin and cos of x, |x| <= reductionLimit.
  std::pair<V, V> sinCos(V x) {
    auto [n, quadrant] = round(mul(x, c(0.63661977236758134)));
    V r = fma(n, c(-halfPiLow), fma(n, c(-halfPiHigh), x));
    V z = mul(r, r);
    V s = mul(r, polynomial(z, {9.9999999999522046e-1, -1.666666662898948e-1, 8.3333285508116824e-3, -1.9839136743385962e-4,
                                2.7167715730837388e-6}));
    V k = polynomial(z, {9.9999999994102628e-1, -4.9999999554034211e-1, 4.1666611612729164e-2, -1.3886481881105393e-3,
                         2.4368424514267972e-5});
    V isOdd = b.CreateICmpNE(b.CreateAnd(quadrant, ci(1)), ci(0));
    V sine = select(isOdd, k, s), cosine = select(isOdd, s, k);
    return {flip(sine, b.CreateAnd(quadrant, ci(2))), flip(cosine, b.CreateAnd(b.CreateAdd(quadrant, ci(1)), ci(2)))};
  }

  V erfc(V x) {
    V a = clamp(abs(x), 0, 10.2); // below half the smallest float at 10.2
    V t = div(sub(a, c(2)), add(a, c(2)));
    V p = polynomial(t, {2.5539567631308533e-1, -4.2718584742126068e-1, 2.4165819381049278e-1, -7.8978580264808003e-2,
                         3.7329042228670464e-3, 6.9974469427135987e-3, -8.4726822843469533e-4, -9.8187280162256812e-4,
                         4.4217096868832e-5, 1.740699804974715e-4, 2.5607579017723307e-5, -2.7428334056986175e-5,
                         -1.0950912055985128e-5, 2.112465314640525e-6, 1.5206950748717168e-6});
    V positive = mul(exp(neg(mul(a, a))), p);
    return select(lt(x, c(0)), sub(c(2), positive), positive);
  }

  V pow(V x, V y) {
    V a = abs(x);
    V result = exp(mul(y, log(a)));
    result = select(eq(a, c(1)), c(1), result); // also for infinite y
    V isInteger = eq(trunc(y), y), half = mul(y, c(0.5));
    V isOdd = b.CreateAnd(isInteger, b.CreateFCmpUNE(trunc(half), half));
    V isSigned = b.CreateICmpSLT(bits(x), ci(0));
    result = select(b.CreateAnd(isSigned, isOdd), neg(result), result);
    V isFinite = lt(a, c(INFINITY)), isBelow = lt(x, c(0));
    V isBad = b.CreateAnd(b.CreateAnd(isBelow, isFinite), b.CreateAnd(b.CreateNot(isInteger), lt(abs(y), c(INFINITY))));
    result = select(isBad, c(NAN), result);
    result = select(b.CreateOr(isNan(x), isNan(y)), c(NAN), result);
    return select(b.CreateOr(eq(y, c(0)), eq(x, c(1))), c(1), result);
  }

  V atan2(V y, V x) {
    V ay = abs(y), ax = abs(x);
    V ratio = div(ay, ax);
    V bothInfinite = b.CreateAnd(eq(ay, c(INFINITY)), eq(ax, c(INFINITY)));
    ratio = select(bothInfinite, c(1), ratio);
    ratio = select(b.CreateAnd(eq(ay, c(0)), eq(ax, c(0))), c(0), ratio);
    V angle = atan(ratio);
    angle = select(b.CreateICmpSLT(bits(x), ci(0)), sub(c(3.1415926535897931), angle), angle);
    V result = copysign(angle, y);
    return select(b.CreateOr(isNan(x), isNan(y)), c(NAN), result);
  }

private:
  /// A small signed i64 lane as a double, without a conversion instruction that some levels lack.
  V exponentToDouble(V e) {
    V magic = c(6755399441055744.0); // 1.5 * 2^52
    return sub(fromBits(b.CreateAdd(e, bits(magic))), magic);
  }
  /// x with its sign flipped where `bit` (0 or 2) is set.
  V flip(V x, V bit) { return fromBits(b.CreateXor(bits(x), b.CreateShl(bit, ci(62)))); }
};

constexpr unsigned entryAt(size_t offset) { return (offset - 8) / 8; }

/// sin, cos or tan, with full argument reduction by the service where any lane is beyond the limit.
Value *emitTrigonometric(DoubleMath &m, MathFunction function, Value *x) {
  llvm::IRBuilder<> &b = m.b;
  auto [sine, cosine] = m.sinCos(m.select(m.gt(m.abs(x), m.c(reductionLimit)), m.c(0), x));
  Value *quick = function == MathFunction::Sin ? sine : function == MathFunction::Cos ? cosine : m.div(sine, cosine);
  if (function != MathFunction::Cos)
    quick = m.select(m.eq(x, m.c(0)), x, quick);
  llvm::AllocaInst *result = m.f.slot(m.type);
  b.CreateStore(quick, result);
  Value *isFar = m.gt(m.abs(x), m.c(reductionLimit)), *any = isFar;
  if (isFar->getType()->isVectorTy())
    any = m.f.intrinsic(llvm::Intrinsic::vector_reduce_or, {isFar->getType()}, {isFar});
  size_t offset = function == MathFunction::Sin   ? offsetof(graphc_services, sin)
                  : function == MathFunction::Cos ? offsetof(graphc_services, cos)
                                                  : offsetof(graphc_services, tan);
  m.f.ifThen(any, [&] { b.CreateStore(m.select(isFar, callPerLane(m.f, entryAt(offset), {x}), quick), result); }, /*rare=*/true);
  return b.CreateLoad(m.type, result);
}

} // namespace

Value *graphc::cpu::emitMathInDouble(FunctionBuilder &f, MathFunction function, Value *x) {
  DoubleMath m(f, x->getType());
  switch (function) {
  case MathFunction::Expm1: return m.expm1(x);
  case MathFunction::Log2: return m.mul(m.log(x), m.c(1.44269504088896341));
  case MathFunction::Log10: return m.mul(m.log(x), m.c(0.43429448190325183));
  case MathFunction::Log1p: return m.select(m.eq(x, m.c(0)), x, m.log1p(x));
  case MathFunction::Sin:
  case MathFunction::Cos:
  case MathFunction::Tan: return emitTrigonometric(m, function, x);
  case MathFunction::Asin: return m.asin(x);
  case MathFunction::Acos: return m.acos(x);
  case MathFunction::Atan: return m.atan(x);
  case MathFunction::Sinh: return m.sinh(x);
  case MathFunction::Cosh: return m.cosh(x);
  case MathFunction::Asinh: return m.asinh(x);
  case MathFunction::Acosh: return m.acosh(x);
  case MathFunction::Atanh: return m.atanh(x);
  case MathFunction::Erfc: return m.erfc(x);
  default: break;
  }
  GRAPHC_CHECK(false, "a math function has no double form");
  return nullptr;
}

Value *graphc::cpu::emitPowInDouble(FunctionBuilder &f, Value *x, Value *y) { return DoubleMath(f, x->getType()).pow(x, y); }

Value *graphc::cpu::emitAtan2InDouble(FunctionBuilder &f, Value *y, Value *x) { return DoubleMath(f, x->getType()).atan2(y, x); }
