// See Expression.h.
#include "frontend/builder/Expression.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

template <class Op> static Expr binary(const Expr &a, const Expr &b) { return {a.owner(), broadcast<Op>(a.owner(), Value(a), Value(b))}; }
template <class Op> static Expr unary(const Expr &x) { return {x.owner(), x.owner().e.create<Op>(Value(x))}; }
template <class Op> static Expr fold(const Expr &x, ArrayRef<int64_t> dims, bool keepdim) {
  return {x.owner(), x.owner().e.create<Op>(Value(x), dims, keepdim)};
}

namespace graphc::frontend::builder {

#define GRAPHC_EXPR_BINARY(name, Op)                                                                                                          \
  Expr name(const Expr &a, const Expr &b) { return binary<graph::Op>(a, b); }
GRAPHC_EXPR_BINARY(operator+, AddOp)
GRAPHC_EXPR_BINARY(operator-, SubOp)
GRAPHC_EXPR_BINARY(operator*, MulOp)
GRAPHC_EXPR_BINARY(operator/, DivOp)
GRAPHC_EXPR_BINARY(operator<, LtOp)
GRAPHC_EXPR_BINARY(operator<=, LeOp)
GRAPHC_EXPR_BINARY(operator>, GtOp)
GRAPHC_EXPR_BINARY(operator>=, GeOp)
GRAPHC_EXPR_BINARY(operator==, EqOp)
GRAPHC_EXPR_BINARY(operator!=, NeOp)
GRAPHC_EXPR_BINARY(max, MaximumOp)
GRAPHC_EXPR_BINARY(min, MinimumOp)
GRAPHC_EXPR_BINARY(pow, PowOp)
GRAPHC_EXPR_BINARY(remainder, RemainderOp)
GRAPHC_EXPR_BINARY(divFloor, DivFloorOp)
GRAPHC_EXPR_BINARY(divTrunc, DivTruncOp)
GRAPHC_EXPR_BINARY(operator&&, LogicalAndOp)
GRAPHC_EXPR_BINARY(operator||, LogicalOrOp)
#undef GRAPHC_EXPR_BINARY

#define GRAPHC_EXPR_UNARY(name, Op)                                                                                                           \
  Expr name(const Expr &x) { return unary<graph::Op>(x); }
GRAPHC_EXPR_UNARY(operator!, LogicalNotOp)
GRAPHC_EXPR_UNARY(operator-, NegOp)
GRAPHC_EXPR_UNARY(abs, AbsOp)
GRAPHC_EXPR_UNARY(sign, SignOp)
GRAPHC_EXPR_UNARY(sqrt, SqrtOp)
GRAPHC_EXPR_UNARY(exp, ExpOp)
GRAPHC_EXPR_UNARY(exp2, Exp2Op)
GRAPHC_EXPR_UNARY(expm1, Expm1Op)
GRAPHC_EXPR_UNARY(log, LogOp)
GRAPHC_EXPR_UNARY(log2, Log2Op)
GRAPHC_EXPR_UNARY(log1p, Log1pOp)
GRAPHC_EXPR_UNARY(sin, SinOp)
GRAPHC_EXPR_UNARY(erf, ErfOp)
GRAPHC_EXPR_UNARY(erfc, ErfcOp)
GRAPHC_EXPR_UNARY(sigmoid, SigmoidOp)
GRAPHC_EXPR_UNARY(floor, FloorOp)
GRAPHC_EXPR_UNARY(round, RoundOp)
GRAPHC_EXPR_UNARY(isNan, IsNanOp)
GRAPHC_EXPR_UNARY(isInf, IsInfOp)
#undef GRAPHC_EXPR_UNARY

#define GRAPHC_EXPR_FOLD(name, Op)                                                                                                            \
  Expr name(const Expr &x, ArrayRef<int64_t> dims, bool keepdim) { return fold<graph::Op>(x, dims, keepdim); }
GRAPHC_EXPR_FOLD(sum, SumOp)
GRAPHC_EXPR_FOLD(mean, MeanOp)
GRAPHC_EXPR_FOLD(amax, AmaxOp)
GRAPHC_EXPR_FOLD(amin, AminOp)
GRAPHC_EXPR_FOLD(any, AnyOp)
GRAPHC_EXPR_FOLD(all, AllOp)
#undef GRAPHC_EXPR_FOLD

Expr Expr::unsqueeze(int64_t d) const {
  SmallVector<DimAttr> shape = dims();
  shape.insert(shape.begin() + std::min<int64_t>(d, int64_t(shape.size())), call->e.dim(int64_t(1)));
  return reshape(shape);
}

Expr Expr::squeeze(int64_t d) const {
  SmallVector<DimAttr> shape = dims();
  if (d >= 0 && d < int64_t(shape.size())) // out of range after a failure
    shape.erase(shape.begin() + d);
  return reshape(shape);
}

Expr Expr::move(int64_t from, int64_t to) const {
  SmallVector<int64_t> order = allDims(rank());
  if (from >= rank() || to >= rank())
    return *this;
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return permute(order);
}

Expr where(const Expr &condition, const Expr &a, const Expr &b) {
  return {a.owner(), broadcast<graph::WhereOp>(a.owner(), Value(condition), Value(a), Value(b))};
}
Expr where(const Expr &condition, const Expr &a, double b) { return where(condition, a, a.like(b)); }
Expr where(const Expr &condition, double a, const Expr &b) { return where(condition, b.like(a), b); }

Expr polynomial(const Expr &x, ArrayRef<double> coefficients) {
  Expr result = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = result * x + coefficient;
  return result;
}

Expr gather(const Expr &x, const Expr &indices, int64_t d) { return {x.owner(), x.owner().e.create<graph::GatherOp>(Value(x), Value(indices), d)}; }

Expr flipped(const Expr &x, ArrayRef<int64_t> dims) { return {x.owner(), x.owner().e.create<graph::FlipOp>(Value(x), dims)}; }

std::pair<Expr, Expr> sorted(const Expr &x, int64_t d, bool descending) {
  Operation *op = x.owner().e.createOp<graph::SortOp>(Value(x), d, descending);
  return {Expr(x.owner(), op ? op->getResult(0) : Value()), Expr(x.owner(), op ? op->getResult(1) : Value())};
}

Expr positions(Call &call, DimAttr size, int64_t d, int64_t rank) { return {call, call.e.positions(size, d, rank)}; }

SmallVector<int64_t> allDims(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(0, rank)); }

Expr self(Call &call) { return {call, call.value(call.first())}; }

Expr floatArgument(Call &call, StringRef name) {
  Value x = call.value(name);
  const Val *argument = call.find(name);
  ScalarType type = argument && !argument->is<Tensor>() ? ScalarType::F64 : ScalarType::F32; // a Python float is a double
  return {call, x && !isFloat(call.e.dtype(x)) ? call.e.cast(x, type) : x};
}

ScalarType wide(ScalarType type) { return type == ScalarType::F16 || type == ScalarType::BF16 ? ScalarType::F32 : type; }

ScalarType sumDtype(ScalarType type) { return isFloat(type) ? type : ScalarType::I64; }
ScalarType floatDtype(ScalarType type) { return isFloat(type) ? type : ScalarType::F32; }

void giveFormula(Call &call, const Expr &result, ScalarType type) { givePointwise(call, call.e.cast(result, type)); }

} // namespace graphc::frontend::builder
