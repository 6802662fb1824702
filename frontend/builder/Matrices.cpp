// Products of several matrices, and linear systems.
//
// Systems are eliminated in f64: `aten::linalg_solve(a, b)` is graph.eliminate of [a | b], the inverse that of [a | I]. What eager raises for (a singular matrix) is an error of the
// run.
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// Whether the tensor is a stack of square matrices of floats; otherwise the call has failed, or the import starts again with equal symbols.
static bool isSquare(Call &call, const Expr &a) {
  if (call.failed())
    return false;
  if (a.rank() < 2 || !isFloat(a.dtype()))
    return call.fail("expected square matrices of floats"), false;
  DimAttr rows = a.dim(a.rank() - 2), columns = a.dim(a.rank() - 1);
  if (rows.isConstant() && columns.isConstant() && rows != columns)
    return call.fail("expected square matrices, found " + rows.str() + " rows and " + columns.str() + " columns"), false;
  unifyDims(call, rows, columns);
  return !call.failed() && !call.run.stopped();
}

/// The last two dims exchanged.
static Expr swapped(const Expr &x) {
  SmallVector<int64_t> order = allDims(x.rank());
  std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  return x.permute(order);
}

//===-- systems ------------------------------------------------------------------------------------------===//

namespace {
/// Which facts graph.eliminate gives.
enum Fact { Determinant, LogSize, Sign, FirstZero };

struct Eliminated {
  Expr solution, facts;
  /// [..]
  Expr fact(Fact which) const {
    Call &call = facts.owner();
    int64_t last = facts.rank() - 1;
    return facts.slice(last, call.e.dim(int64_t(which)), call.e.dim(int64_t(1))).squeeze(last).squeeze(last - 1);
  }
};
} // namespace

/// Whether a failure is an error: not in the *_ex forms, which give a number instead, unless they are told to.
static bool checksErrors(Call &call) { return !call.op().ends_with("_ex") || call.boolean("check_errors", false); }

static Eliminated eliminate(Call &call, const Expr &x, bool pivot, bool check) {
  Operation *op = call.e.createOp<graph::EliminateOp>(Value(x), pivot, check);
  return {Expr(call, op ? op->getResult(0) : Value()), Expr(call, op ? op->getResult(1) : Value())};
}

/// [.., n, n] with ones on the diagonal.
static Expr identity(Call &call, const Expr &like) {
  int64_t rank = like.rank();
  DimAttr n = like.dim(rank - 1);
  return (positions(call, n, rank - 2, rank) == positions(call, n, rank - 1, rank)).cast(like.dtype()).expand(like.dims());
}

static Eliminated invert(Call &call, const Expr &a, bool check) {
  Expr x = a.cast(ScalarType::F64);
  return eliminate(call, Expr(call, call.e.concat({Value(x), Value(identity(call, x))}, x.rank() - 1)), true, check);
}

static void convertInverse(Call &call) {
  Expr a = self(call);
  if (!isSquare(call, a))
    return;
  Eliminated result = invert(call, a, checksErrors(call));
  call.give(result.solution.cast(a.dtype()));
  if (call.op() == "aten::linalg_inv_ex")
    call.give(result.fact(FirstZero).cast(ScalarType::I32));
}

/// det, and slogdet: the sign and the logarithm of the size.
static void convertDeterminant(Call &call) {
  Expr a = self(call);
  if (!isSquare(call, a))
    return;
  Eliminated result = eliminate(call, a.cast(ScalarType::F64), true, false);
  if (!call.op().contains("slogdet"))
    return call.give(result.fact(Determinant).cast(a.dtype()));
  call.give(result.fact(Sign).cast(a.dtype()));
  call.give(result.fact(LogSize).cast(a.dtype()));
}

/// [a | b] in f64, their batch dims broadcast.
static Expr joined(Call &call, const Expr &a, const Expr &b) {
  SmallVector<DimAttr> batch = a.dims(), other = b.dims();
  batch.resize(batch.size() - 2);
  other.resize(other.size() - 2);
  while (batch.size() < other.size())
    batch.insert(batch.begin(), call.e.dim(1));
  for (size_t i = 0; i < other.size(); ++i)
    if (DimAttr &size = batch[batch.size() - other.size() + i]; graph::isConstant(size, 1))
      size = other[i];
  auto spread = [&](const Expr &m) {
    SmallVector<DimAttr> shape(batch);
    shape.append({m.dim(m.rank() - 2), m.dim(m.rank() - 1)});
    return Value(m.cast(ScalarType::F64).expand(shape));
  };
  return {call, call.e.concat({spread(a), spread(b)}, int64_t(batch.size()) + 1)};
}

/// a x = b, b [.., n, k] or vectors; without `left` x a = b.
static void convertSolve(Call &call) {
  Expr a(call, call.value("A")), b(call, call.value("B"));
  bool left = call.boolean("left", true);
  if (!isSquare(call, a) || !Value(b))
    return;
  // As eager: vectors where b is 1-d or has exactly a's batch dims and rows.
  SmallVector<DimAttr> rows = a.dims();
  rows.pop_back();
  bool isVector = b.rank() == 1 || (a.rank() - 1 == b.rank() && ArrayRef<DimAttr>(b.dims()) == ArrayRef<DimAttr>(rows));
  Expr right = isVector ? b.unsqueeze(b.rank()) : b;
  right = left ? right : swapped(right);
  unifyDims(call, a.dim(a.rank() - 1), right.dim(right.rank() - 2));
  if (call.failed() || call.run.stopped())
    return;
  Eliminated result = eliminate(call, joined(call, left ? a : swapped(a), right), true, checksErrors(call));
  Expr solution = (left ? result.solution : swapped(result.solution)).cast(a.dtype());
  call.give(isVector ? solution.squeeze(solution.rank() - 1) : solution);
  if (call.op() == "aten::linalg_solve_ex")
    call.give(result.fact(FirstZero).cast(ScalarType::I32));
}

/// Forward substitution; an upper triangle is a lower one from the other end.
static void convertSolveTriangular(Call &call) {
  Expr a(call, call.value("self")), b(call, call.value("B"));
  bool upper = call.boolean("upper"), left = call.boolean("left", true), unit = call.boolean("unitriangular", false);
  if (!isSquare(call, a) || b.rank() < 2)
    return call.failed() || call.run.stopped() ? void() : call.fail("solve_triangular needs matrices on both sides");
  ScalarType type = a.dtype();
  if (!left)
    a = swapped(a), b = swapped(b), upper = !upper;
  int64_t rank = a.rank(), rows = b.rank() - 2;
  unifyDims(call, a.dim(rank - 1), b.dim(rows));
  if (call.failed() || call.run.stopped())
    return;
  if (upper)
    a = flipped(a, {rank - 2, rank - 1}), b = flipped(b, {rows});
  Expr i = positions(call, a.dim(rank - 2), rank - 2, rank), j = positions(call, a.dim(rank - 1), rank - 1, rank);
  Expr lower = where(unit ? i > j : i >= j, a, unit ? (i == j).cast(type) : a.like(0));
  Expr x = eliminate(call, joined(call, lower, b), false, false).solution;
  x = upper ? flipped(x, {x.rank() - 2}) : x;
  call.give((left ? x : swapped(x)).cast(type));
}

/// The lower (or `upper`) triangular factor.
static void convertCholesky(Call &call) {
  Expr given = self(call);
  bool upper = call.boolean("upper", false);
  if (!isSquare(call, given))
    return;
  Expr a = given.cast(ScalarType::F64);
  Operation *op = call.e.createOp<graph::CholeskyOp>(Value(upper ? swapped(a) : a), checksErrors(call));
  Expr lower(call, op ? op->getResult(0) : Value()), facts(call, op ? op->getResult(1) : Value());
  call.give((upper ? swapped(lower) : lower).cast(given.dtype()));
  if (call.op() == "aten::linalg_cholesky_ex")
    call.give(facts.squeeze(facts.rank() - 1).squeeze(facts.rank() - 2).cast(ScalarType::I32));
}

//===-- products --------------------------------------------------------------------------------------------===//

static void convertMatrixPower(Call &call) {
  Expr a(call, call.value("self"));
  int64_t exponent = call.integer("n");
  if (call.failed() || a.rank() < 2)
    return call.fail("matrix_power of a tensor of rank " + Twine(a.rank()));
  if (exponent < 0) {
    if (!isSquare(call, a))
      return;
    a = invert(call, a, true).solution.cast(a.dtype());
  }
  uint64_t left = exponent < 0 ? -uint64_t(exponent) : uint64_t(exponent);
  if (left == 0)
    return isSquare(call, a) ? call.give(identity(call, a)) : void();
  std::optional<Expr> result;
  for (Expr power = a; left; left >>= 1) {
    if (left & 1)
      result = result ? Expr(call, matmul(call, *result, power)) : power;
    if (left > 1)
      power = Expr(call, matmul(call, power, power));
  }
  call.give(*result);
}

static void convertMultiDot(Call &call) {
  std::vector<Value> matrices = call.values("tensors");
  if (call.failed() || matrices.size() < 2)
    return call.fail("multi_dot needs at least two tensors");
  Value product = matrices[0];
  for (size_t i = 1; i < matrices.size(); ++i)
    product = matmul(call, product, matrices[i]);
  call.give(product);
}

/// Powers 0 … N - 1 of the elements, in a new last dim.
static void convertVander(Call &call) {
  Expr x(call, call.value("x"));
  if (!Value(x))
    return;
  x = x.cast(sumDtype(x.dtype()));
  x = x.rank() ? x : x.unsqueeze(0);
  DimAttr count = call.given("N") ? call.dim("N") : x.dim(x.rank() - 1);
  int64_t last = x.rank();
  if (call.failed() || (count.isConstant() && count.getValue() < 2))
    return call.fail("vander of fewer than 2 powers (eager refuses it too)");
  SmallVector<DimAttr> first = x.dims(), others = first;
  first.push_back(call.e.dim(1));
  others.push_back(count - 1);
  Expr factors(call, call.e.concat({Value(x.like(1).expand(first)), Value(x.unsqueeze(last).expand(others))}, last));
  call.give(call.e.create<graph::CumprodOp>(Value(factors), last));
}

/// y[.., o] = sum over i, j of x1[.., i] weight[o, i, j] x2[.., j], and the bias.
static void convertBilinear(Call &call) {
  Expr a(call, call.value("input1")), b(call, call.value("input2")), weight(call, call.value("weight"));
  OptionalOperand bias = call.optionalValue("bias");
  if (call.failed() || weight.rank() != 3)
    return call.fail("bilinear needs a weight [o, i, j]");
  DimAttr o = weight.dim(0), i = weight.dim(1), j = weight.dim(2);
  Expr flat = weight.permute({1, 0, 2}).reshape({i, o * j});
  SmallVector<DimAttr> shape = a.dims(), result = shape;
  shape.back() = o;
  shape.push_back(j);
  result.back() = o;
  Expr partial = Expr(call, matmul(call, a, flat)).reshape(shape);
  Expr y = sum(partial * b.unsqueeze(b.rank() - 1), {partial.rank() - 1}).reshape(result);
  call.give(bias.value ? y + Expr(call, bias.value) : y);
}

void builder::addMatrices(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"linalg_inv", convertInverse},
                                                      {"linalg_inv_ex", convertInverse},
                                                      {"inverse", convertInverse},
                                                      {"linalg_det", convertDeterminant},
                                                      {"det", convertDeterminant},
                                                      {"linalg_slogdet", convertDeterminant},
                                                      {"slogdet", convertDeterminant},
                                                      {"linalg_solve", convertSolve},
                                                      {"linalg_solve_ex", convertSolve},
                                                      {"linalg_solve_triangular", convertSolveTriangular},
                                                      {"linalg_cholesky", convertCholesky},
                                                      {"linalg_cholesky_ex", convertCholesky},
                                                      {"linalg_matrix_power", convertMatrixPower},
                                                      {"matrix_power", convertMatrixPower},
                                                      {"linalg_multi_dot", convertMultiDot},
                                                      {"linalg_vander", convertVander},
                                                      {"bilinear", convertBilinear}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
