// Arithmetic on graph values in C++ notation, for operators that are a formula over others.
//
//   Expr x = ...;  call.give(log1p(exp(-abs(x))) + max(x, 0.0));
//
// Operands have one dtype and broadcast; a number takes the other operand's dtype. Where a value is null (something failed before), so is the result.
#ifndef GRAPHC_FRONTEND_BUILDER_EXPRESSION_H
#define GRAPHC_FRONTEND_BUILDER_EXPRESSION_H

#include "frontend/builder/Promotion.h"

namespace graphc::frontend::builder {

class Expr {
public:
  Expr(Call &call, Value value) : call(&call), value(value) {}
  operator Value() const { return value; }
  Call &owner() const { return *call; }
  ScalarType dtype() const { return call->e.dtype(value); }
  int64_t rank() const { return call->e.rank(value); }
  DimAttr dim(int64_t d) const { return call->e.dim(value, d); }
  llvm::SmallVector<DimAttr> dims() const { return call->e.dims(value); }
  /// A number in this value's dtype.
  Expr like(double number) const { return {*call, value ? call->e.constant(dtype(), number) : Value()}; }
  Expr cast(ScalarType type) const { return {*call, call->e.cast(value, type)}; }
  Expr reshape(llvm::ArrayRef<DimAttr> shape) const { return {*call, call->e.reshape(value, shape)}; }
  Expr expand(llvm::ArrayRef<DimAttr> shape) const { return {*call, call->e.expand(value, shape)}; }
  Expr permute(llvm::ArrayRef<int64_t> order) const { return {*call, call->e.permute(value, order)}; }
  Expr slice(int64_t d, DimAttr start, DimAttr size, int64_t step = 1) const { return {*call, call->e.slice(value, d, start, size, step)}; }
  /// A dim of size 1 before dim d.
  Expr unsqueeze(int64_t d) const;
  /// Without dim d, which has size 1.
  Expr squeeze(int64_t d) const;
  /// Dim `from` moved to place `to`.
  Expr move(int64_t from, int64_t to) const;

private:
  Call *call;
  Value value;
};

#define GRAPHC_EXPR_BINARY(name)                                                                                                              \
  Expr name(const Expr &a, const Expr &b);                                                                                                    \
  inline Expr name(const Expr &a, double b) { return name(a, a.like(b)); }                                                                    \
  inline Expr name(double a, const Expr &b) { return name(b.like(a), b); }
GRAPHC_EXPR_BINARY(operator+)
GRAPHC_EXPR_BINARY(operator-)
GRAPHC_EXPR_BINARY(operator*)
GRAPHC_EXPR_BINARY(operator/)
GRAPHC_EXPR_BINARY(operator<)
GRAPHC_EXPR_BINARY(operator<=)
GRAPHC_EXPR_BINARY(operator>)
GRAPHC_EXPR_BINARY(operator>=)
GRAPHC_EXPR_BINARY(operator==)
GRAPHC_EXPR_BINARY(operator!=)
GRAPHC_EXPR_BINARY(max)
GRAPHC_EXPR_BINARY(min)
GRAPHC_EXPR_BINARY(pow)
GRAPHC_EXPR_BINARY(remainder)
GRAPHC_EXPR_BINARY(divFloor)
GRAPHC_EXPR_BINARY(divTrunc)
#undef GRAPHC_EXPR_BINARY
/// Logic on bools.
Expr operator&&(const Expr &a, const Expr &b);
Expr operator||(const Expr &a, const Expr &b);
Expr operator!(const Expr &a);

Expr operator-(const Expr &x);
Expr abs(const Expr &x);
Expr sign(const Expr &x);
Expr sqrt(const Expr &x);
Expr exp(const Expr &x);
Expr exp2(const Expr &x);
Expr expm1(const Expr &x);
Expr log(const Expr &x);
Expr log2(const Expr &x);
Expr log1p(const Expr &x);
Expr sin(const Expr &x);
Expr erf(const Expr &x);
Expr erfc(const Expr &x);
Expr sigmoid(const Expr &x);
Expr floor(const Expr &x);
Expr round(const Expr &x);
Expr isNan(const Expr &x);
Expr isInf(const Expr &x);
/// `a` where the condition holds, else `b`.
Expr where(const Expr &condition, const Expr &a, const Expr &b);
Expr where(const Expr &condition, const Expr &a, double b);
Expr where(const Expr &condition, double a, const Expr &b);
/// c[0] + c[1] x + c[2] x^2 + …
Expr polynomial(const Expr &x, llvm::ArrayRef<double> coefficients);

Expr sum(const Expr &x, llvm::ArrayRef<int64_t> dims, bool keepdim = false);
Expr mean(const Expr &x, llvm::ArrayRef<int64_t> dims, bool keepdim = false);
Expr amax(const Expr &x, llvm::ArrayRef<int64_t> dims, bool keepdim = false);
Expr amin(const Expr &x, llvm::ArrayRef<int64_t> dims, bool keepdim = false);
Expr any(const Expr &x, llvm::ArrayRef<int64_t> dims, bool keepdim = false);
Expr all(const Expr &x, llvm::ArrayRef<int64_t> dims, bool keepdim = false);
/// The elements at `indices` along dim d (torch.gather).
Expr gather(const Expr &x, const Expr &indices, int64_t d);
/// x reversed along dims.
Expr flipped(const Expr &x, llvm::ArrayRef<int64_t> dims);
/// Values and positions in order along dim d, stable; NaN is largest.
std::pair<Expr, Expr> sorted(const Expr &x, int64_t d, bool descending = false);
/// 0, 1, … size - 1 along dim d of `rank` (i64), size 1 in the others.
Expr positions(Call &call, DimAttr size, int64_t d, int64_t rank);
/// All of 0 … rank - 1.
llvm::SmallVector<int64_t> allDims(int64_t rank);

/// The first operand.
Expr self(Call &call);
/// The argument as a float tensor: integers become f32, Python's f64. Formulas over 16-bit floats compute in f32 (`wide`), so that only their result is rounded.
Expr floatArgument(Call &call, llvm::StringRef name);
ScalarType wide(ScalarType type);
/// What sums and products of that dtype have: integers and bools become i64.
ScalarType sumDtype(ScalarType type);
/// What quotients, means and square roots of that dtype have: integers and bools become f32.
ScalarType floatDtype(ScalarType type);
/// Gives a pointwise result, cast to `type`.
void giveFormula(Call &call, const Expr &result, ScalarType type);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_EXPRESSION_H
