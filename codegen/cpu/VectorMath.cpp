// The dispatch of VectorMath.h, the services, and the functions that f32 computes in f32. Those computed in double: VectorMathDouble.cpp.
#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/MathBuilder.h"
#include "codegen/cpu/VectorMathDouble.h"

using namespace graphc;
using namespace graphc::cpu;
using llvm::Value;

namespace {

/// In the order of MathFunction.
constexpr size_t serviceOffsets[] = {
    offsetof(graphc_services, exp),  offsetof(graphc_services, exp2),  offsetof(graphc_services, expm1), offsetof(graphc_services, log),
    offsetof(graphc_services, log2), offsetof(graphc_services, log10), offsetof(graphc_services, log1p), offsetof(graphc_services, sin),
    offsetof(graphc_services, cos),  offsetof(graphc_services, tan),   offsetof(graphc_services, asin),  offsetof(graphc_services, acos),
    offsetof(graphc_services, atan), offsetof(graphc_services, sinh),  offsetof(graphc_services, cosh),  offsetof(graphc_services, tanh),
    offsetof(graphc_services, asinh), offsetof(graphc_services, acosh), offsetof(graphc_services, atanh), offsetof(graphc_services, erf),
    offsetof(graphc_services, erfc)};

constexpr unsigned entryAt(size_t offset) { return (offset - 8) / 8; }

/// 2^n * y where 2^n alone may not be representable.
Value *scaleByPower(MathBuilder &m, Value *y, Value *n) {
  Value *half = m.b.CreateAShr(n, m.ci(1));
  return m.mul(m.mul(y, m.powerOfTwo(half)), m.powerOfTwo(m.b.CreateSub(n, half)));
}

/// exp(r) for |r| <= ln2/2.
Value *expReduced(MathBuilder &m, Value *r) {
  Value *p = m.polynomial(r, {4.99999996e-1, 1.66665773e-1, 4.16668484e-2, 8.36313884e-3, 1.39016972e-3});
  return m.add(m.fma(m.mul(r, r), p, r), m.c(1));
}

Value *expF32(MathBuilder &m, Value *x) {
  x = m.clamp(x, -105, 90);
  auto [n, power] = m.round(m.mul(x, m.c(1.44269504088896341)));
  Value *r = m.fma(n, m.c(-0.693359375), x); // ln 2 in two parts, the first with trailing zeros
  r = m.fma(n, m.c(2.12194440054690583e-4), r);
  return scaleByPower(m, expReduced(m, r), power);
}

Value *exp2F32(MathBuilder &m, Value *x) {
  x = m.clamp(x, -152, 130);
  auto [n, power] = m.round(x);
  return scaleByPower(m, expReduced(m, m.mul(m.sub(x, n), m.c(0.693147180559945309))), power);
}

Value *logF32(MathBuilder &m, Value *x) {
  llvm::IRBuilder<> &b = m.b;
  Value *isTiny = m.lt(x, m.c(1.17549435e-38)); // denormals (and what is below 0, replaced at the end)
  Value *scaled = m.select(isTiny, m.mul(x, m.c(8388608)), x);
  // mantissa in [sqrt(1/2), sqrt(2))
  Value *shifted = b.CreateSub(m.bits(scaled), m.ci(0x3f3504f3));
  Value *e = b.CreateSIToFP(b.CreateAShr(shifted, m.ci(23)), m.type);
  e = m.sub(e, m.select(isTiny, m.c(23), m.c(0)));
  Value *mantissa = m.fromBits(b.CreateAdd(b.CreateAnd(shifted, m.ci(0x007fffff)), m.ci(0x3f3504f3)));
  Value *t = m.sub(mantissa, m.c(1)), *z = m.mul(t, t);
  Value *p = m.polynomial(t, {3.33333312e-1, -2.49999899e-1, 2.00007092e-1, -1.66684069e-1, 1.42498154e-1, -1.24126272e-1,
                              1.16643409e-1, -1.15614032e-1, 7.12992323e-2});
  Value *y = m.mul(m.mul(t, z), p);
  y = m.fma(e, m.c(-2.12194440054690583e-4), y);
  y = m.fma(z, m.c(-0.5), y);
  Value *result = m.fma(e, m.c(0.693359375), m.add(t, y));
  result = m.select(m.eq(x, m.c(INFINITY)), x, result);
  result = m.select(m.eq(x, m.c(0)), m.c(-INFINITY), result);
  Value *isBad = b.CreateFCmpULT(x, m.c(0)); // below zero, or NaN
  return m.select(isBad, m.c(NAN), result);
}

Value *tanhF32(MathBuilder &m, Value *x) {
  Value *a = m.abs(x), *s = m.mul(x, x);
  Value *small = m.fma(m.mul(m.polynomial(s, {-3.33333331e-1, 1.33333002e-1, -5.39584644e-2, 2.17625221e-2, -8.32324166e-3, 2.26955606e-3}), s), x, x);
  Value *e = expF32(m, m.add(a, a)); // 1 - 2 / (exp(2a) + 1)
  Value *large = m.sub(m.c(1), m.div(m.c(2), m.add(e, m.c(1))));
  return m.copysign(m.select(m.lt(a, m.c(0.625)), small, large), x); // of a small x too: the polynomial loses the sign of -0
}

Value *erfF32(MathBuilder &m, Value *x) {
  Value *a = m.abs(x), *s = m.mul(x, x);
  Value *small = m.fma(m.polynomial(s, {1.28379167e-1, -3.76126335e-1, 1.12836912e-1, -2.68591168e-2, 5.20025356e-3, -8.13314312e-4,
                                        8.32721244e-5}), x, x);
  Value *bounded = m.clamp(a, 0.93, 4); // 1 at 4, in f32
  Value *p = m.polynomial(m.div(m.c(1), bounded), {2.95414512e-4, 5.58603766e-1, 4.52224572e-2, -4.8453115e-1, 5.27995629e-1, -2.8805131e-1,
                                                   6.52222094e-2, 7.91337096e-3, -5.08682272e-3});
  Value *large = m.fma(m.neg(expF32(m, m.neg(m.mul(bounded, bounded)))), p, m.c(1));
  return m.select(m.lt(a, m.c(0.93)), small, m.copysign(large, x));
}

Value *emitF32(FunctionBuilder &f, MathFunction function, Value *x) {
  MathBuilder m(f, x->getType());
  switch (function) {
  case MathFunction::Exp: return expF32(m, x);
  case MathFunction::Exp2: return exp2F32(m, x);
  case MathFunction::Log: return logF32(m, x);
  case MathFunction::Tanh: return tanhF32(m, x);
  case MathFunction::Erf: return erfF32(m, x);
  default: break;
  }
  llvm::Type *wide = x->getType()->getWithNewType(f.b.getDoubleTy());
  return f.b.CreateFPTrunc(emitMathInDouble(f, function, f.b.CreateFPExt(x, wide)), x->getType());
}

} // namespace

Value *graphc::cpu::callPerLane(FunctionBuilder &f, unsigned service, llvm::ArrayRef<Value *> arguments) {
  llvm::IRBuilder<> &b = f.b;
  llvm::Type *type = arguments[0]->getType(), *wide = type->getWithNewType(b.getDoubleTy());
  llvm::SmallVector<Value *> wideArguments;
  for (Value *argument : arguments)
    wideArguments.push_back(b.CreateFPExt(argument, wide));
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(wide);
  if (!vector)
    return b.CreateFPTrunc(f.callService(service, wide, wideArguments), type);
  llvm::SmallVector<llvm::AllocaInst *> slots;
  for (Value *argument : wideArguments) {
    slots.push_back(f.slot(wide));
    b.CreateStore(argument, slots.back());
  }
  llvm::AllocaInst *result = f.slot(wide);
  f.forLoop(f.i64(0), f.i64(vector->getNumElements()), f.i64(1), [&](Value *lane) {
    llvm::SmallVector<Value *> lanes;
    for (llvm::AllocaInst *slot : slots)
      lanes.push_back(b.CreateLoad(b.getDoubleTy(), b.CreateGEP(b.getDoubleTy(), slot, lane)));
    b.CreateStore(f.callService(service, b.getDoubleTy(), lanes), b.CreateGEP(b.getDoubleTy(), result, lane));
  });
  return b.CreateFPTrunc(b.CreateLoad(wide, result), type);
}

Value *graphc::cpu::emitMath(FunctionBuilder &f, MathFunction function, Value *x) {
  if (x->getType()->getScalarType()->isFloatTy())
    return emitF32(f, function, x);
  return callPerLane(f, entryAt(serviceOffsets[size_t(function)]), {x});
}

Value *graphc::cpu::emitPow(FunctionBuilder &f, Value *x, Value *y) {
  if (!x->getType()->getScalarType()->isFloatTy())
    return callPerLane(f, entryAt(offsetof(graphc_services, pow)), {x, y});
  llvm::Type *wide = x->getType()->getWithNewType(f.b.getDoubleTy());
  return f.b.CreateFPTrunc(emitPowInDouble(f, f.b.CreateFPExt(x, wide), f.b.CreateFPExt(y, wide)), x->getType());
}

Value *graphc::cpu::emitAtan2(FunctionBuilder &f, Value *y, Value *x) {
  if (!x->getType()->getScalarType()->isFloatTy())
    return callPerLane(f, entryAt(offsetof(graphc_services, atan2)), {y, x});
  llvm::Type *wide = x->getType()->getWithNewType(f.b.getDoubleTy());
  return f.b.CreateFPTrunc(emitAtan2InDouble(f, f.b.CreateFPExt(y, wide), f.b.CreateFPExt(x, wide)), x->getType());
}

Value *graphc::cpu::emitFmod(FunctionBuilder &f, Value *x, Value *y) {
  return callPerLane(f, entryAt(offsetof(graphc_services, fmod)), {x, y}); // exact in double, and a float again for floats
}
