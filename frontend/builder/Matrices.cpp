// Products of several matrices, and solutions of small linear systems.
//
// Systems of at most 32 unknowns are eliminated in straight line, in f64, with partial pivoting: `aten::linalg_solve(a, b)` eliminates [a | b]. Larger ones are
// refused. A matrix that is exactly singular gives infinities or NaN where eager raises.
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static constexpr int64_t maxUnknowns = 32;

/// The argument in f64, [.., n, n]; n is constant and small. `square`: both are checked.
static std::optional<int64_t> unknownsOf(Call &call, const Expr &a) {
  int64_t rank = a.rank();
  if (call.failed())
    return std::nullopt;
  if (rank < 2 || a.dim(rank - 1) != a.dim(rank - 2) || !isFloat(a.dtype()))
    return call.fail("expected square matrices of floats"), std::nullopt;
  DimAttr n = a.dim(rank - 1);
  if (!n.isConstant() || n.getValue() > maxUnknowns)
    return call.fail("matrices of " + n.str() + " rows; this operator is supported up to " + Twine(maxUnknowns)), std::nullopt;
  return n.getValue();
}

/// The last two dims exchanged.
static Expr swapped(const Expr &x) {
  SmallVector<int64_t> order = allDims(x.rank());
  std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  return x.permute(order);
}

//===-- elimination --------------------------------------------------------------------------------------===//

namespace {
struct Eliminated {
  Expr rows;        // [.., n, n + m]: the identity, then the solution
  Expr determinant; // [.., 1, 1]
  Expr logSize, sign; // of the determinant
  Expr info;        // [.., 1, 1] i64: the number of the first zero pivot, 0 where there is none
};
} // namespace

/// Swaps row k with the row at or below it whose element in column k is largest; `sign` changes where they differ.
static Expr withPivotRow(Call &call, const Expr &rows, int64_t k, Expr &sign) {
  int64_t at = rows.rank() - 2, rank = rows.rank();
  Expr i = positions(call, rows.dim(at), at, rank);
  Expr column = abs(rows.slice(rank - 1, call.e.dim(k), call.e.dim(1)));
  Operation *op = call.e.createOp<graph::MaxDimOp>(Value(where(i < double(k), -1.0, column)), at, true);
  Expr pivot(call, op ? op->getResult(1) : Value());
  Expr order = where(i == double(k), pivot, where(i == pivot, double(k), i));
  sign = where(pivot == double(k), sign, -sign);
  return gather(rows, order.expand(rows.dims()), at);
}

/// Gauss-Jordan elimination of the first n columns.
static Eliminated eliminate(Call &call, Expr rows, int64_t n) {
  int64_t at = rows.rank() - 2, last = rows.rank() - 1;
  DimAttr one = call.e.dim(1);
  Expr scalar = rows.slice(at, call.e.dim(0), one).slice(last, call.e.dim(0), one);
  Expr sign = scalar * 0.0 + 1.0, determinant = sign, logSize = sign * 0.0, info = (sign * 0.0).cast(ScalarType::I64);
  for (int64_t k = 0; k < n; ++k) {
    rows = withPivotRow(call, rows, k, sign);
    DimAttr place = call.e.dim(k);
    Expr pivotRow = rows.slice(at, place, one), pivot = pivotRow.slice(last, place, one), isZero = pivot == 0.0;
    determinant = determinant * pivot;
    logSize = logSize + log(abs(pivot));
    info = where(info == 0.0 && isZero, double(k + 1), info);
    Expr scaled = pivotRow / where(isZero, 1.0, pivot);
    Expr isPivot = positions(call, rows.dim(at), at, rows.rank()) == double(k);
    rows = where(isPivot, scaled, rows - rows.slice(last, place, one) * scaled);
    sign = where(pivot < 0.0, -sign, where(isZero, 0.0, sign));
  }
  return {rows, determinant, logSize, sign, info};
}

/// [.., 1, 1] to [..].
static Expr scalars(const Expr &x) { return x.squeeze(x.rank() - 1).squeeze(x.rank() - 2); }

static Expr identity(Call &call, int64_t n, const Expr &like) {
  Expr i = positions(call, call.e.dim(n), 0, 2), j = positions(call, call.e.dim(n), 1, 2);
  SmallVector<DimAttr> shape = like.dims();
  return (i == j).cast(ScalarType::F64).expand(shape);
}

static Expr inverse(Call &call, const Expr &a, int64_t n, Expr *info = nullptr) {
  Expr x = a.cast(ScalarType::F64);
  int64_t last = x.rank() - 1;
  Expr both(call, call.e.concat({Value(x), Value(identity(call, n, x))}, last));
  Eliminated result = eliminate(call, both, n);
  if (info)
    *info = scalars(result.info);
  return result.rows.slice(last, call.e.dim(n), call.e.dim(n)).cast(a.dtype());
}

/// What the *_ex forms say of matrices without rows: nothing failed.
static Expr noFailure(Call &call, ArrayRef<DimAttr> batch) { return Expr(call, call.e.constant(ScalarType::I32, 0.0)).expand(batch); }

static void convertInverse(Call &call) {
  Expr a = self(call);
  std::optional<int64_t> n = unknownsOf(call, a);
  if (!n)
    return;
  SmallVector<DimAttr> batch = a.dims();
  batch.resize(batch.size() - 2);
  Expr info = noFailure(call, batch);
  call.give(*n ? inverse(call, a, *n, &info) : a);
  if (call.op() == "aten::linalg_inv_ex")
    call.give(info.cast(ScalarType::I32));
}

/// det, and slogdet: the sign and the logarithm of the size.
static void convertDeterminant(Call &call) {
  Expr a = self(call);
  std::optional<int64_t> n = unknownsOf(call, a);
  if (!n)
    return;
  Expr x = a.cast(ScalarType::F64), one = x.like(1);
  SmallVector<DimAttr> lead = a.dims();
  lead.resize(lead.size() - 2);
  bool isLog = call.op() == "aten::linalg_slogdet" || call.op() == "aten::slogdet";
  if (*n == 0) {
    call.give(one.cast(a.dtype()).expand(lead));
    return isLog ? call.give(one.like(0).cast(a.dtype()).expand(lead)) : void();
  }
  Eliminated result = eliminate(call, x, *n);
  if (isLog) {
    call.give(scalars(result.sign).cast(a.dtype()));
    return call.give(scalars(result.logSize).cast(a.dtype()));
  }
  call.give(scalars(abs(result.determinant) * result.sign).cast(a.dtype()));
}

/// The batch dims that two stacks of matrices broadcast to.
static SmallVector<DimAttr> commonBatch(Call &call, const Expr &a, const Expr &b) {
  SmallVector<DimAttr> batch = a.dims(), other = b.dims();
  batch.resize(batch.size() - 2);
  other.resize(other.size() - 2);
  while (batch.size() < other.size())
    batch.insert(batch.begin(), call.e.dim(1));
  for (size_t i = 0; i < other.size(); ++i)
    if (DimAttr &size = batch[batch.size() - other.size() + i]; graph::isConstant(size, 1))
      size = other[i];
  return batch;
}

/// a x = b, b [.., n, k] or vectors; without `left` x a = b.
static void convertSolve(Call &call) {
  Expr a(call, call.value("A")), b(call, call.value("B"));
  bool left = call.boolean("left", true), isVector = false;
  std::optional<int64_t> n = unknownsOf(call, a);
  if (!n)
    return;
  // As eager: vectors where b is 1-d or has exactly a's batch dims and rows.
  SmallVector<DimAttr> rows = a.dims();
  rows.pop_back();
  isVector = b.rank() == 1 || (a.rank() - 1 == b.rank() && ArrayRef<DimAttr>(b.dims()) == ArrayRef<DimAttr>(rows));
  Expr right = isVector ? b.unsqueeze(b.rank()) : b;
  Expr x = left ? a : swapped(a);
  right = left ? right : swapped(right);
  SmallVector<DimAttr> batch = commonBatch(call, x, right);
  auto spread = [&](const Expr &m) {
    SmallVector<DimAttr> shape(batch);
    shape.append({m.dim(m.rank() - 2), m.dim(m.rank() - 1)});
    return m.cast(ScalarType::F64).expand(shape);
  };
  if (*n == 0) {
    call.give(b);
    return call.op() == "aten::linalg_solve_ex" ? call.give(noFailure(call, batch)) : void();
  }
  DimAttr columns = right.dim(right.rank() - 1);
  int64_t last = int64_t(batch.size()) + 1;
  Expr both(call, call.e.concat({Value(spread(x)), Value(spread(right))}, last));
  Eliminated result = eliminate(call, both, *n);
  Expr solution = result.rows.slice(last, call.e.dim(*n), columns);
  solution = left ? solution : swapped(solution);
  solution = solution.cast(a.dtype());
  call.give(isVector ? solution.squeeze(last) : solution);
  if (call.op() == "aten::linalg_solve_ex")
    call.give(scalars(result.info).cast(ScalarType::I32));
}

/// Substitution row by row.
static void convertSolveTriangular(Call &call) {
  Expr a(call, call.value("self")), b(call, call.value("B"));
  bool upper = call.boolean("upper"), left = call.boolean("left", true), unit = call.boolean("unitriangular", false);
  std::optional<int64_t> n = unknownsOf(call, a);
  if (!n || b.rank() < 2)
    return call.fail("solve_triangular needs matrices on both sides");
  ScalarType type = a.dtype();
  a = a.cast(ScalarType::F64), b = b.cast(ScalarType::F64);
  if (!left)
    a = swapped(a), b = swapped(b), upper = !upper;
  DimAttr one = call.e.dim(1);
  SmallVector<Value> found(*n);
  for (int64_t step = 0; step < *n; ++step) {
    int64_t i = upper ? *n - 1 - step : step;
    Expr column = a.slice(a.rank() - 1, call.e.dim(i), one), row = b.slice(b.rank() - 2, call.e.dim(i), one);
    Expr x = unit ? row : row / column.slice(a.rank() - 2, call.e.dim(i), one);
    b = b - column * x;
    // With several batch shapes the first row may not have all batch dims yet: the difference has.
    SmallVector<DimAttr> shape = b.dims();
    shape[b.rank() - 2] = one;
    found[i] = x.expand(shape);
  }
  if (call.failed())
    return;
  Expr x(call, *n ? call.e.concat(found, b.rank() - 2) : Value(b));
  call.give((left ? x : swapped(x)).cast(type));
}

/// The lower (or `upper`) triangular factor, column by column.
static void convertCholesky(Call &call) {
  Expr given = self(call);
  bool upper = call.boolean("upper", false);
  std::optional<int64_t> n = unknownsOf(call, given);
  if (!n)
    return;
  Expr a = given.cast(ScalarType::F64);
  int64_t rank = a.rank();
  if (upper)
    a = swapped(a);
  DimAttr one = call.e.dim(1);
  SmallVector<Value> columns;
  Expr info = a;
  for (int64_t k = 0; k < *n; ++k) {
    Expr column = a.slice(rank - 1, call.e.dim(k), one), pivot = column.slice(rank - 2, call.e.dim(k), one);
    Expr isBad = !(pivot > 0.0);
    info = k == 0 ? isBad.cast(ScalarType::I64) : where(info == 0.0 && isBad, double(k + 1), info);
    Expr factor = where(positions(call, call.e.dim(*n), rank - 2, rank) < double(k), 0.0, column / sqrt(pivot));
    columns.push_back(factor);
    a = a - factor * swapped(factor);
  }
  if (call.failed())
    return;
  Expr lower(call, *n ? call.e.concat(columns, rank - 1) : Value(a));
  call.give((upper ? swapped(lower) : lower).cast(given.dtype()));
  SmallVector<DimAttr> batch = given.dims();
  batch.resize(batch.size() - 2);
  if (call.op() == "aten::linalg_cholesky_ex")
    call.give(*n ? scalars(info).cast(ScalarType::I32) : noFailure(call, batch));
}

//===-- products --------------------------------------------------------------------------------------------===//

static void convertMatrixPower(Call &call) {
  Expr a(call, call.value("self"));
  int64_t exponent = call.integer("n");
  if (call.failed() || a.rank() < 2)
    return call.fail("matrix_power of a tensor of rank " + Twine(a.rank()));
  if (exponent < 0) {
    std::optional<int64_t> n = unknownsOf(call, a);
    if (!n)
      return;
    a = inverse(call, a, *n);
  }
  uint64_t left = exponent < 0 ? -uint64_t(exponent) : uint64_t(exponent);
  if (left == 0) {
    if (!a.dim(a.rank() - 1).isConstant())
      return call.fail("power 0 of matrices of symbolic size");
    return call.give(identity(call, a.dim(a.rank() - 1).getValue(), a).cast(a.dtype()));
  }
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
  x = isFloat(x.dtype()) ? x : x.cast(ScalarType::I64);
  x = x.rank() ? x : x.unsqueeze(0);
  DimAttr count = call.given("N") ? call.dim("N") : x.dim(x.rank() - 1);
  if (!count.isConstant() || count.getValue() > 4096)
    return call.fail("vander of a symbolic number of powers, or of more than 4096");
  int64_t last = x.rank();
  SmallVector<Value> powers;
  Expr power = x.like(1).expand(x.dims());
  for (int64_t i = 0; i < count.getValue(); ++i) {
    powers.push_back(power.unsqueeze(last));
    power = power * x;
  }
  if (!call.failed() && !powers.empty())
    call.give(call.e.concat(powers, last));
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
