// Matrices out of diagonals and blocks, and rearrangements of rows and columns: diag_embed, block_diag, trace, rot90, kron, cross, ….
//
// `aten::diag_embed(x)` is where(i + offset == j, x, 0).
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"
#include "frontend/builder/Shapes.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static DimAttr unit(Call &call) { return call.e.dim(int64_t(1)); }

/// x [.., n] on the diagonal `offset` of matrices [.., m, m], m = n + |offset|, whose dims are put at `first` and `second`.
static Expr embedded(Call &call, const Expr &x, int64_t offset, int64_t first, int64_t second) {
  int64_t last = x.rank() - 1, rank = x.rank() + 1;
  DimAttr size = x.dim(last) + std::abs(offset), before = call.e.dim(std::max<int64_t>(offset, 0)), behind = call.e.dim(std::max<int64_t>(-offset, 0));
  SmallVector<DimAttr> low(x.rank(), call.e.dim(int64_t(0))), high = low;
  // Column j holds x[j - offset], row i takes it where j = i + offset.
  low[last] = before, high[last] = behind;
  Expr columns(call, call.e.create<graph::PadOp>(Value(x), call.e.constant(x.dtype(), 0.0), call.e.dimArray(low), call.e.dimArray(high)));
  Expr i = positions(call, size, last, rank), j = positions(call, size, last + 1, rank);
  Expr matrix = where(i + double(offset) == j, columns.unsqueeze(last), 0.0);
  if (first == last && second == last + 1)
    return matrix;
  SmallVector<int64_t> order;
  int64_t next = 0;
  for (int64_t d = 0; d < rank; ++d)
    order.push_back(d == first ? last : d == second ? last + 1 : next++);
  return matrix.permute(order);
}

static void convertDiagEmbed(Call &call) {
  Expr x = self(call);
  int64_t rank = x.rank() + 1, first = call.dimIndex("dim1", rank, -2), second = call.dimIndex("dim2", rank, -1), offset = call.integer("offset", 0);
  if (call.failed() || x.rank() == 0 || first == second)
    return call.fail("diag_embed needs a dim and two different places");
  call.give(embedded(call, x, offset, first, second));
}

static Expr diagonalOf(Call &call, const Expr &x, int64_t offset, int64_t first, int64_t second) {
  return {call, call.e.create<graph::DiagonalOp>(Value(x), offset, first, second)};
}

/// A diagonal of a matrix, or a matrix of a diagonal.
static void convertDiag(Call &call) {
  Expr x = self(call);
  int64_t offset = call.integer("diagonal", 0);
  if (call.failed() || x.rank() < 1 || x.rank() > 2)
    return call.fail("diag of a tensor of rank " + Twine(x.rank()) + "; expected 1 or 2");
  call.give(x.rank() == 2 ? diagonalOf(call, x, offset, 0, 1) : embedded(call, x, offset, 0, 1));
}

static void convertDiagflat(Call &call) {
  Expr x = self(call);
  if (!call.failed())
    call.give(embedded(call, x.reshape({graph::getNumElements(call.e.type(x))}), call.integer("offset", 0), 0, 1));
}

static void convertLinalgDiagonal(Call &call) {
  Expr x = self(call);
  int64_t first = call.dimIndex("dim1", x.rank(), -2), second = call.dimIndex("dim2", x.rank(), -1);
  if (!call.failed())
    call.give(diagonalOf(call, x, call.integer("offset", 0), first, second));
}

static void convertTrace(Call &call) {
  Expr x = self(call);
  if (call.failed() || x.rank() != 2)
    return call.fail("trace of a tensor of rank " + Twine(x.rank()) + "; expected a matrix");
  Expr diagonal = diagonalOf(call, x, 0, 0, 1);
  call.give(sum(diagonal.cast(sumDtype(x.dtype())), {0}));
}

/// Matrices one after the other on the diagonal, zeros elsewhere.
static void convertBlockDiag(Call &call) {
  SmallVector<PromotedOperand> operands;
  for (const Tensor &tensor : call.tensors("tensors")) {
    PromotedOperand operand;
    operand.tensor = tensor;
    operand.dtype = scalarType(tensor->type.getElementType());
    operand.isScalar = tensor->type.getRank() == 0;
    operands.push_back(operand);
  }
  if (call.failed() || operands.empty())
    return call.fail("block_diag of no tensors");
  ScalarType type = operands[0].dtype;
  for (const PromotedOperand &operand : operands)
    type = promoteTypes(type, operand.dtype);
  DimAttr width = call.e.dim(int64_t(0));
  SmallVector<Expr> blocks;
  for (const PromotedOperand &operand : operands) {
    Expr block(call, promoted(call, operand, type));
    while (block.rank() < 2)
      block = block.unsqueeze(0);
    width = width + block.dim(1);
    blocks.push_back(block);
  }
  DimAttr before = call.e.dim(int64_t(0)), zero = before;
  SmallVector<Value> rows;
  for (const Expr &block : blocks) {
    DimAttr low[] = {zero, before}, high[] = {zero, width - before - block.dim(1)};
    rows.push_back(call.e.create<graph::PadOp>(Value(block), call.e.constant(type, 0.0), call.e.dimArray(low), call.e.dimArray(high)));
    before = before + block.dim(1);
  }
  call.give(call.e.concat(rows, 0));
}

/// All combinations of elements of 1-d tensors, as rows.
static void convertCartesianProd(Call &call) {
  std::vector<Value> axes = call.values("tensors");
  if (call.failed() || axes.empty())
    return call.fail("cartesian_prod of no tensors");
  if (axes.size() == 1)
    return call.give(axes[0]);
  SmallVector<DimAttr> shape;
  for (Value axis : axes)
    shape.push_back(call.e.dim(axis, 0));
  SmallVector<Value> columns;
  for (size_t i = 0; i < axes.size(); ++i) {
    SmallVector<DimAttr> own(axes.size(), unit(call));
    own[i] = shape[i];
    Expr grid = Expr(call, axes[i]).reshape(own).expand(shape);
    columns.push_back(grid.reshape({graph::getNumElements(call.e.type(grid)), unit(call)}));
  }
  call.give(call.e.concat(columns, 1));
}

static void convertRot90(Call &call) {
  Expr x = self(call);
  std::vector<int64_t> dims = call.given("dims") ? call.integers("dims") : std::vector<int64_t>{0, 1};
  if (call.failed() || dims.size() != 2)
    return call.fail("rot90 needs two dims");
  int64_t a = call.normalizeDim(dims[0], x.rank()), b = call.normalizeDim(dims[1], x.rank()), turns = ((call.integer("k", 1) % 4) + 4) % 4;
  if (call.failed() || a == b)
    return call.fail("rot90 needs two different dims");
  SmallVector<int64_t> swap = allDims(x.rank()), both{std::min(a, b), std::max(a, b)};
  std::swap(swap[a], swap[b]);
  if (turns == 2)
    x = flipped(x, both);
  else if (turns != 0)
    x = flipped(x, {turns == 1 ? b : a}).permute(swap);
  call.give(x);
}
static void convertFliplr(Call &call) {
  Expr x = self(call);
  call.give(flipped(x, {1}));
}
static void convertFlipud(Call &call) {
  Expr x = self(call);
  call.give(flipped(x, {0}));
}

static std::pair<Expr, Expr> promotedPair(Call &call, StringRef first, StringRef second) {
  PromotedOperand lhs = promotedOperand(call, first), rhs = promotedOperand(call, second);
  ScalarType type = resultType({lhs, rhs});
  return {Expr(call, call.failed() ? Value() : promoted(call, lhs, type)), Expr(call, call.failed() ? Value() : promoted(call, rhs, type))};
}

/// kron: dims of both are interleaved, then joined.
static void convertKron(Call &call) {
  auto [a, b] = promotedPair(call, "self", "other");
  if (call.failed())
    return;
  while (a.rank() < b.rank())
    a = a.unsqueeze(0);
  while (b.rank() < a.rank())
    b = b.unsqueeze(0);
  SmallVector<DimAttr> left, right, joined;
  for (int64_t d = 0; d < a.rank(); ++d) {
    left.append({a.dim(d), unit(call)});
    right.append({unit(call), b.dim(d)});
    joined.push_back(a.dim(d) * b.dim(d));
  }
  call.give((a.reshape(left) * b.reshape(right)).reshape(joined));
}

/// Sums over the last dims of both, or a product by a 0-d tensor.
static void convertInner(Call &call) {
  auto [a, b] = promotedPair(call, "self", "other");
  if (call.failed())
    return;
  if (a.rank() == 0 || b.rank() == 0)
    return call.give(a * b);
  SmallVector<DimAttr> shape = a.dims(), others = b.dims();
  shape.pop_back();
  others.pop_back();
  shape.append(others);
  auto rows = [&](const Expr &x) { // [all, k]
    DimAttr count = unit(call);
    for (int64_t d = 0; d + 1 < x.rank(); ++d)
      count = count * x.dim(d);
    return x.reshape({count, x.dim(x.rank() - 1)});
  };
  call.give(Expr(call, matmul(call, rows(a), rows(b).permute({1, 0}))).reshape(shape));
}

/// Cross products along a dim of size 3.
static void convertCross(Call &call) {
  auto [a, b] = promotedPair(call, "self", "other");
  if (!call.failed() && a.rank() != b.rank() && call.op() == "aten::linalg_cross")
    return call.fail("cross of tensors of ranks " + Twine(a.rank()) + " and " + Twine(b.rank()) + " (eager refuses it too)");
  unifyBroadcast(call, {Value(a), Value(b)});
  if (call.failed() || call.run.stopped())
    return;
  SmallVector<DimAttr> shape = (a + b).dims(), ownShapes[] = {a.dims(), b.dims()};
  a = a.expand(shape), b = b.expand(shape);
  int64_t d = 0, rank = a.rank();
  if (call.given("dim") || call.op() == "aten::linalg_cross")
    d = call.dimIndex("dim", rank, -1);
  else
    while (d + 1 < rank && !graph::isConstant(a.dim(d), 3))
      ++d;
  if (!call.failed() && !a.dim(d).isConstant() && (call.given("dim") || call.op() == "aten::linalg_cross"))
    return unifyDims(call, a.dim(d), call.e.dim(3)); // then the import starts again
  if (call.failed() || !graph::isConstant(a.dim(d), 3))
    return call.fail("cross needs a dim of size 3");
  for (ArrayRef<DimAttr> own : ownShapes) // that dim doesn't broadcast
    if (int64_t(own.size()) < rank - d || graph::isConstant(own[own.size() - (rank - d)], 1))
      return call.fail("cross needs a dim of size 3 in both of its operands");
  auto turned = [&](const Expr &x, int64_t by) { return Expr(call, call.e.create<graph::RollOp>(Value(x), SmallVector<int64_t>{by}, SmallVector<int64_t>{d})); };
  call.give(turned(a, -1) * turned(b, -2) - turned(a, -2) * turned(b, -1));
}

static void convertVecdot(Call &call) {
  auto [a, b] = promotedPair(call, call.find("x") ? "x" : "self", call.find("y") ? "y" : "other");
  if (!call.failed() && call.op() == "aten::vdot" && (a.rank() != 1 || b.rank() != 1 || call.e.dtype(call.value("self")) != call.e.dtype(call.value("other"))))
    return call.fail("vdot of tensors of two dtypes, or of ranks other than 1 (eager refuses it too)");
  Expr product = a * b;
  int64_t d = call.dimIndex("dim", product.rank(), -1);
  if (!call.failed())
    call.give(sum(product, {d}));
}

/// beta * self + alpha * outer(vec1, vec2)
static void convertAddr(Call &call) {
  PromotedOperand self = promotedOperand(call, "self"), first = promotedOperand(call, "vec1"), second = promotedOperand(call, "vec2");
  ScalarType type = resultType({self, first, second});
  double beta = call.number("beta", 1), alpha = call.number("alpha", 1);
  if (call.failed())
    return;
  Expr product = Expr(call, promoted(call, first, type)).unsqueeze(1) * Expr(call, promoted(call, second, type));
  Expr base(call, promoted(call, self, type));
  if (type == ScalarType::Bool) {
    product = alpha != 0 ? product : product.like(0).expand(product.dims());
    return call.give(beta != 0 ? base || product : product);
  }
  product = alpha == 1 ? product : product * alpha;
  if (beta == 0) // self is ignored, NaN included
    return call.give(product);
  call.give((beta == 1 ? base : base * beta) + product);
}

/// dstack, column_stack: operands raised to three or two dims and joined along the last.
static void convertStackLast(Call &call) {
  bool depth = call.op() == "aten::dstack";
  std::vector<Tensor> tensors = call.tensors("tensors");
  SmallVector<Value> parts;
  ScalarType type = tensors.empty() ? ScalarType::F32 : scalarType(tensors[0]->type.getElementType());
  for (const Tensor &tensor : tensors)
    type = promoteTypes(type, scalarType(tensor->type.getElementType()));
  for (const Tensor &tensor : tensors) {
    Expr x(call, call.e.cast(call.run.read(tensor), type));
    if (x.rank() == 0)
      x = x.unsqueeze(0);
    if (x.rank() == 1)
      x = x.unsqueeze(depth ? 0 : 1);
    if (depth && x.rank() == 2)
      x = x.unsqueeze(2);
    parts.push_back(x);
  }
  if (call.failed() || parts.empty())
    return call.fail("a list of no tensors");
  call.give(call.e.concat(parts, depth ? 2 : 1));
}

void builder::addDiagonals(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"diag_embed", convertDiagEmbed},   {"diag", convertDiag},         {"diagflat", convertDiagflat},         {"linalg_diagonal", convertLinalgDiagonal},
      {"trace", convertTrace},            {"block_diag", convertBlockDiag}, {"cartesian_prod", convertCartesianProd}, {"rot90", convertRot90},
      {"fliplr", convertFliplr},          {"flipud", convertFlipud},     {"kron", convertKron},                 {"inner", convertInner},
      {"cross", convertCross},            {"linalg_cross", convertCross}, {"linalg_vecdot", convertVecdot},     {"vdot", convertVecdot},
      {"addr", convertAddr},              {"dstack", convertStackLast},  {"column_stack", convertStackLast}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
