// Norms and distances.
//
// A p-norm is a reduction of |x|^p and a root; a distance is the norm of a difference; all pairs of rows are a broadcast difference:
// `aten::cdist(a, b)` is the norm over m of a[.., p, 1, m] - b[.., 1, r, m].
#include "frontend/builder/Norms.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// Whether the product of the dims is known to be 0.
static bool isEmptyOver(const Expr &x, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims, [&](int64_t d) { return graph::isConstant(x.dim(d), 0); });
}

Expr builder::vectorNorm(const Expr &given, double p, ArrayRef<int64_t> dims, bool keepdim) {
  Call &call = given.owner();
  if (!Value(given))
    return given;
  Expr x = given.cast(wide(given.dtype())), size = abs(x);
  auto round = [&](const Expr &result) { return result.cast(given.dtype()); };
  if (isEmptyOver(x, dims)) {
    if (p < 0 || std::isinf(p))
      call.fail("a norm of order " + toText(Val(p)) + " over no elements (eager refuses it too)");
    return sum(x, dims, keepdim).cast(given.dtype());
  }
  if (std::isinf(p))
    return round(p > 0 ? amax(size, dims, keepdim) : amin(size, dims, keepdim));
  if (p == 0)
    return round(sum((x != 0.0).cast(x.dtype()), dims, keepdim));
  if (p == 1)
    return round(sum(size, dims, keepdim));
  if (p == 2)
    return round(sqrt(sum(x * x, dims, keepdim)));
  return round(pow(sum(pow(size, p), dims, keepdim), 1 / p));
}

/// The first argument in the norm's dtype; fails for integers.
static Expr normOperand(Call &call) {
  Expr x = self(call);
  if (!Value(x))
    return x;
  ScalarType type = call.dtype("dtype", x.dtype());
  if (!isFloat(type))
    call.fail("a norm of integers (eager refuses it too)");
  return x.cast(type);
}

/// norm and linalg_vector_norm: of all elements without dims.
static void convertVectorNorm(Call &call) {
  Expr x = normOperand(call);
  StringRef order = call.find("ord") ? "ord" : "p";
  if (call.given(order) && call.find(order)->is<std::string>() && call.text(order) != "fro")
    return call.fail("the norm '" + call.text(order) + "'");
  double p = call.given(order) && call.find(order)->is<std::string>() ? 2 : call.number(order, 2);
  std::vector<int64_t> dims = call.sortedDims("dim", x.rank());
  if (!call.failed())
    call.give(vectorNorm(x, p, dims, call.boolean("keepdim", false)));
}

/// Orders fro, 1, -1, inf, -inf over the dims [rows, columns]; 2 and nuc need singular values.
static Expr matrixNorm(Call &call, const Expr &x, const Val &order, int64_t rows, int64_t columns, bool keepdim) {
  std::string name = order.is<std::string>() ? order.as<std::string>() : toText(order);
  double p = order.isNumber() ? toDouble(order) : 0;
  if (name == "fro") {
    SmallVector<int64_t> both{std::min(rows, columns), std::max(rows, columns)};
    return vectorNorm(x, 2, both, keepdim);
  }
  if (!order.isNumber() || (std::abs(p) != 1 && !std::isinf(p))) {
    call.fail("a matrix norm of order " + name + " needs singular values, which are not supported");
    return {call, {}};
  }
  int64_t added = std::isinf(p) ? columns : rows, other = std::isinf(p) ? rows : columns;
  Expr sums = sum(abs(x.cast(wide(x.dtype()))), {added}, true);
  Expr extreme = p > 0 ? amax(sums, {other}, true) : amin(sums, {other}, true);
  if (!keepdim)
    extreme = extreme.squeeze(std::max(rows, columns)).squeeze(std::min(rows, columns));
  return extreme.cast(x.dtype());
}

static void convertMatrixNorm(Call &call) {
  Expr x = normOperand(call);
  std::vector<int64_t> dims = call.given("dim") ? call.integers("dim") : std::vector<int64_t>{-2, -1};
  if (call.failed() || dims.size() != 2 || x.rank() < 2)
    return call.fail("a matrix norm needs two dims");
  Val order = call.given("ord") ? *call.find("ord") : Val("fro");
  call.give(matrixNorm(call, x, order, call.normalizeDim(dims[0], x.rank()), call.normalizeDim(dims[1], x.rank()), call.boolean("keepdim", false)));
}

/// linalg.norm: a vector or matrix norm, by the number of dims.
static void convertLinalgNorm(Call &call) {
  Expr x = normOperand(call);
  bool keepdim = call.boolean("keepdim", false);
  std::vector<int64_t> dims = call.given("dim") ? call.integers("dim") : std::vector<int64_t>();
  if (call.failed())
    return;
  bool isMatrix = call.given("ord") && (dims.size() == 2 || (dims.empty() && x.rank() == 2));
  if (isMatrix) {
    int64_t rows = dims.empty() ? 0 : call.normalizeDim(dims[0], x.rank()), columns = dims.empty() ? 1 : call.normalizeDim(dims[1], x.rank());
    return call.give(matrixNorm(call, x, *call.find("ord"), rows, columns, keepdim));
  }
  if (call.given("ord") && call.find("ord")->is<std::string>())
    return call.fail("the norm '" + call.text("ord") + "' of a vector");
  call.give(vectorNorm(x, call.number("ord", 2), call.sortedDims("dim", x.rank()), keepdim));
}

static void convertCosineSimilarity(Call &call) {
  Expr a(call, call.value("x1")), b(call, call.value("x2"));
  unifyBroadcast(call, {Value(a), Value(b)});
  int64_t d = call.dimIndex("dim", std::max(a.rank(), b.rank()), 1);
  double eps = call.number("eps", 1e-8);
  if (call.failed())
    return;
  ScalarType type = a.dtype();
  a = a.cast(wide(type)), b = b.cast(wide(type));
  int64_t rank = std::max(a.rank(), b.rank());
  SmallVector<DimAttr> shape = (a * b).dims();
  a = a.expand(shape), b = b.expand(shape);
  SmallVector<int64_t> dims(rank ? 1 : 0, d);
  auto unit = [&](const Expr &x) { return x / max(sqrt(sum(x * x, dims, true)), eps); };
  call.give(sum(unit(a) * unit(b), dims).cast(type));
}

static Expr difference(Call &call, StringRef first, StringRef second) {
  PromotedOperand lhs = promotedOperand(call, first), rhs = promotedOperand(call, second);
  ScalarType type = resultType({lhs, rhs});
  if (call.failed())
    return {call, {}};
  return Expr(call, promoted(call, lhs, type)) - Expr(call, promoted(call, rhs, type));
}

/// The norm over the last dim of x1 - x2 + eps.
Expr builder::pairwiseDistance(Call &call, const Expr &a, const Expr &b, double p, double eps, bool keepdim) {
  Expr difference = a - b, x = difference.cast(floatDtype(difference.dtype())) + eps;
  return vectorNorm(x, p, {x.rank() - 1}, keepdim);
}

static void convertPairwiseDistance(Call &call) {
  Expr a(call, call.value("x1")), b(call, call.value("x2"));
  if (!call.failed())
    call.give(pairwiseDistance(call, a, b, call.number("p", 2), call.number("eps", 1e-6), call.boolean("keepdim", false)));
}

static void convertDist(Call &call) {
  Expr x = difference(call, "self", "other");
  if (!call.failed())
    call.give(vectorNorm(x, call.number("p", 2), allDims(x.rank()), false));
}

/// Distances of all pairs of rows of x1 [.., p, m] and x2 [.., r, m].
static void convertCdist(Call &call) {
  Expr a(call, call.value("x1")), b(call, call.value("x2"));
  if (call.failed() || a.rank() < 2 || b.rank() < 2)
    return call.fail("cdist needs two tensors of rows");
  Expr x = a.unsqueeze(a.rank() - 1) - b.unsqueeze(b.rank() - 2);
  int64_t last = x.rank() - 1;
  bool isEmpty = graph::isConstant(x.dim(last), 0);
  call.give(isEmpty ? sum(x, {last}) : vectorNorm(x, call.number("p", 2), {last}, false));
}

/// Distances of the pairs i < j of rows, in row-major order of the upper triangle.
static void convertPdist(Call &call) {
  Expr x(call, call.value("self"));
  if (call.failed() || x.rank() != 2)
    return call.fail("pdist needs a matrix");
  // Pair k is (i, j), where the rows before i have i (2 n - i - 1) / 2 pairs. At the first pair of a row the root is a whole number, and exact.
  DimAttr n = x.dim(0);
  Expr k = positions(call, graph::floorDiv(n * (n - 1), 2), 0, 1).cast(ScalarType::F64), twice = Expr(call, call.e.dimTensor(n, ScalarType::F64)) * 2.0 - 1.0;
  Expr i = floor((twice - sqrt(twice * twice - k * 8.0)) / 2.0), j = k - i * (twice - i) / 2.0 + i + 1.0;
  auto rows = [&](const Expr &numbers) { return Expr(call, call.e.create<graph::IndexSelectOp>(Value(x), Value(numbers.cast(ScalarType::I64)), int64_t(0))); };
  Expr pairs = rows(i) - rows(j);
  call.give(isEmptyOver(pairs, {1}) ? sum(pairs, {1}) : vectorNorm(pairs, call.number("p", 2), {1}, false));
}

/// All dims but d.
static SmallVector<int64_t> otherDims(int64_t rank, int64_t d) {
  SmallVector<int64_t> dims = allDims(rank);
  llvm::erase(dims, d);
  return dims;
}

/// Slices along dim whose norm exceeds maxnorm, scaled down to it.
static void convertRenorm(Call &call) {
  Expr x(call, call.value("self"));
  int64_t d = call.dimIndex("dim", x.rank());
  double p = call.number("p"), limit = call.number("maxnorm");
  if (!call.failed() && x.rank() < 2)
    call.fail("renorm of a tensor of rank " + Twine(x.rank()) + "; expected at least 2");
  if (call.failed())
    return;
  Expr wideX = x.cast(wide(x.dtype())), norm = vectorNorm(wideX, p, otherDims(x.rank(), d), true);
  call.give((wideX * where(norm > limit, limit / (norm + 1e-7), norm.like(1))).cast(x.dtype()));
}

/// The norms of v's slices along dim, [1, .., n, .., 1]; of all of v, 0-d, where dim is -1.
static Expr normExcept(Call &call, const Expr &v, double p) {
  int64_t d = call.integer("dim", 0);
  return d == -1 ? vectorNorm(v, p, allDims(v.rank()), false) : vectorNorm(v, p, otherDims(v.rank(), call.normalizeDim(d, v.rank())), true);
}

static void convertNormExceptDim(Call &call) {
  Expr v(call, call.value("v"));
  double p = call.number("pow", 2);
  if (!call.failed())
    call.give(normExcept(call, v, p));
}

/// v with its slices along dim scaled to the norms g; the interface form also gives what their norms were.
static void convertWeightNorm(Call &call) {
  Expr v(call, call.value("v")), g(call, call.value("g"));
  if (call.failed())
    return;
  ScalarType type = v.dtype();
  Expr x = v.cast(wide(type)), norm = normExcept(call, x, 2);
  call.give((x * (g.cast(x.dtype()) / norm)).cast(type));
  if (call.op() == "aten::_weight_norm_interface")
    call.give(norm.cast(g.dtype() == ScalarType::BF16 ? ScalarType::F32 : g.dtype()).reshape(g.dims()));
}

/// In place: the rows that the indices name, scaled down to max_norm.
static void convertEmbeddingRenorm(Call &call) {
  Tensor weight = call.tensor("self");
  Expr x(call, call.run.read(weight)), indices(call, call.e.cast(call.value("indices"), ScalarType::I64));
  double limit = call.number("max_norm"), p = call.number("norm_type", 2);
  if (call.failed() || x.rank() != 2)
    return call.fail("embedding_renorm_ needs a matrix of rows");
  Expr flat = indices.reshape({graph::getNumElements(call.e.type(indices))});
  Expr named = any(positions(call, x.dim(0), 0, 2) == flat, {1}, true), norm = vectorNorm(x, p, {1}, true);
  writeInPlace(call, weight, x * where(named && norm > limit, limit / (norm + 1e-7), norm.like(1)), false);
}

void builder::addNorms(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"norm", convertVectorNorm},
                                                      {"linalg_vector_norm", convertVectorNorm},
                                                      {"frobenius_norm", convertVectorNorm},
                                                      {"linalg_matrix_norm", convertMatrixNorm},
                                                      {"linalg_norm", convertLinalgNorm},
                                                      {"cosine_similarity", convertCosineSimilarity},
                                                      {"pairwise_distance", convertPairwiseDistance},
                                                      {"dist", convertDist},
                                                      {"cdist", convertCdist},
                                                      {"_cdist_forward", convertCdist},
                                                      {"_euclidean_dist", convertCdist},
                                                      {"pdist", convertPdist},
                                                      {"_pdist_forward", convertPdist},
                                                      {"renorm", convertRenorm},
                                                      {"norm_except_dim", convertNormExceptDim},
                                                      {"_weight_norm", convertWeightNorm},
                                                      {"_weight_norm_interface", convertWeightNorm},
                                                      {"embedding_renorm_", convertEmbeddingRenorm}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
