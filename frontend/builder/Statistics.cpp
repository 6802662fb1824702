// Sums that skip NaN, counts, extremes of both kinds, covariances, integrals and differences along a dim.
//
// `aten::nanmean(x, d)` is the sum of where(isnan(x), 0, x) over the number of numbers; `aten::trapezoid` sums means of neighbours times their distance.
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Expression.h"
#include "ir/graph/Infer.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static void convertNansum(Call &call) {
  Expr x = self(call);
  if (!Value(x))
    return;
  ScalarType type = call.dtype("dtype", sumDtype(x.dtype()));
  Expr kept = isFloat(x.dtype()) ? where(isNan(x), 0.0, x) : x;
  std::vector<int64_t> dims = call.sortedDims("dim", x.rank());
  if (!call.failed())
    call.give(sum(kept.cast(type), dims, call.boolean("keepdim", false)));
}

static void convertNanmean(Call &call) {
  Expr x = self(call);
  if (!Value(x) || !isFloat(x.dtype()))
    return call.fail("nanmean of integers (eager refuses it too)");
  ScalarType type = call.dtype("dtype", x.dtype());
  bool keepdim = call.boolean("keepdim", false);
  std::vector<int64_t> dims = call.sortedDims("dim", x.rank());
  if (call.failed())
    return;
  Expr values = where(isNan(x), 0.0, x).cast(wide(type)), counts = (!isNan(x)).cast(wide(type));
  call.give((sum(values, dims, keepdim) / sum(counts, dims, keepdim)).cast(type));
}

static void convertCountNonzero(Call &call) {
  Expr x = self(call);
  std::vector<int64_t> dims = call.sortedDims("dim", x.rank());
  if (!call.failed())
    call.give(sum((x != 0.0).cast(ScalarType::I64), dims));
}

static void convertAminmax(Call &call) {
  Expr x = self(call);
  std::vector<int64_t> dims = call.sortedDims("dim", x.rank());
  bool keepdim = call.boolean("keepdim", false);
  if (call.failed())
    return;
  call.give(amin(x, dims, keepdim));
  call.give(amax(x, dims, keepdim));
}

static void convertMsort(Call &call) {
  Expr x = self(call);
  if (!call.failed())
    call.give(x.rank() ? sorted(x, 0).first : x);
}

//===-- covariances ------------------------------------------------------------------------------------------===//

/// Weights of the observations, one each. One below zero is an error of the run: it asks for an element that isn't there.
static Expr observationWeights(Call &call, StringRef name, DimAttr count) {
  Expr weights(call, call.value(name));
  if (call.failed())
    return weights;
  if (name == "fweights" && isFloat(weights.dtype()))
    call.fail("fweights of floats; expected integers");
  if (weights.rank() != 1 || (weights.dim(0).isConstant() && count.isConstant() && weights.dim(0) != count))
    call.fail(name + " of shape " + graph::dimsText(weights.dims()) + " for " + count.str() + " observations");
  if (call.failed())
    return weights;
  unifyDims(call, weights.dim(0), count);
  Expr size(call, call.e.dimTensor(count, ScalarType::I64)), index = where(weights < 0.0, size, positions(call, count, 0, 1));
  return Expr(call, call.e.create<graph::IndexSelectOp>(Value(weights), Value(index), int64_t(0)));
}

/// In f32 at least, for few elements would keep the rounding of every step. Rows are variables, columns observations; weights count and weigh observations.
static Expr covariance(Call &call, Expr x, double correction, bool hasCounts, bool hasWeights) {
  x = x.rank() == 2 ? x : x.rank() == 1 ? x.unsqueeze(0) : x.reshape({call.e.dim(1), call.e.dim(1)});
  ScalarType type = wide(x.dtype());
  Expr none(call, Value()), counts = hasCounts ? observationWeights(call, "fweights", x.dim(1)).cast(type) : none;
  Expr weights = hasWeights ? observationWeights(call, "aweights", x.dim(1)).cast(type) : none;
  if (call.failed())
    return x;
  x = x.cast(type);
  Expr observations(call, call.e.dimTensor(x.dim(1), type)), w = hasCounts && hasWeights ? counts * weights : hasCounts ? counts : weights;
  bool isWeighted = hasCounts || hasWeights;
  Expr total = isWeighted ? sum(w, {0}) : observations;
  Expr average = isWeighted ? sum(x * w, {1}, true) / total : mean(x, {1}, true);
  Expr divisor = total - correction;
  if (hasWeights && correction != 0)
    divisor = total - sum(w * weights, {0}) * correction / total;
  Expr centered = x - average, right = isWeighted ? centered * w : centered;
  return Expr(call, matmul(call, centered, right.permute({1, 0}))) / max(divisor, 0.0);
}

static void giveSquareOrScalar(Call &call, const Expr &matrix, int64_t rank) { call.give(rank == 2 ? matrix : matrix.reshape({})); }

static void convertCov(Call &call) {
  Expr x = self(call);
  if (call.failed() || x.rank() > 2)
    return call.fail("cov of a tensor of rank " + Twine(x.rank()));
  if (!isFloat(x.dtype()))
    x = x.cast(ScalarType::F32);
  if (call.given("aweights"))
    x = x.cast(promoteTypes(x.dtype(), call.e.dtype(call.value("aweights"))));
  Expr matrix = covariance(call, x, call.number("correction", 1), call.given("fweights"), call.given("aweights")).cast(x.dtype());
  bool isMatrix = x.rank() == 2 && !graph::isConstant(x.dim(0), 1);
  giveSquareOrScalar(call, matrix, isMatrix ? 2 : 0);
}

static void convertCorrcoef(Call &call) {
  Expr x = self(call);
  if (call.failed() || x.rank() > 2)
    return call.fail("corrcoef of a tensor of rank " + Twine(x.rank()));
  if (!isFloat(x.dtype()))
    x = x.cast(ScalarType::F32);
  Expr c = covariance(call, x, 1, false, false);
  Expr deviation = sqrt(Expr(call, call.e.create<graph::DiagonalOp>(Value(c), int64_t(0), int64_t(0), int64_t(1))));
  Expr result = (c / deviation.unsqueeze(1) / deviation).cast(x.dtype());
  bool isMatrix = x.rank() == 2 && !graph::isConstant(x.dim(0), 1);
  giveSquareOrScalar(call, where(isNan(result), result, min(max(result, -1.0), 1.0)), isMatrix ? 2 : 0);
}

//===-- integrals and differences -------------------------------------------------------------------------------===//

/// Elements from `start` on, one fewer than there are.
static Expr butOne(Call &call, const Expr &x, int64_t d, int64_t start) { return x.slice(d, call.e.dim(start), x.dim(d) - 1); }

/// Sums of neighbours along d, times their distance where points are given; none of fewer than two elements.
static std::optional<Expr> doubledTrapezoids(Call &call, const Expr &y, int64_t d) {
  Expr sums = butOne(call, y, d, 1) + butOne(call, y, d, 0);
  if (!call.given("x"))
    return sums;
  Expr x(call, call.value("x"));
  if (!Value(x))
    return std::nullopt;
  int64_t own = x.rank() == 1 ? 0 : x.rank() - (y.rank() - d);
  if (own < 0)
    return std::nullopt;
  Expr step = butOne(call, x, own, 1) - butOne(call, x, own, 0);
  if (x.rank() == 1) {
    SmallVector<DimAttr> shape(y.rank() - d, call.e.dim(1));
    shape[0] = step.dim(0);
    step = step.reshape(shape);
  }
  ScalarType type = promoteTypes(x.dtype(), y.dtype());
  return sums.cast(type) * step.cast(type);
}

/// The integral over points at distance 1. Integers are combined in their own dtype, as by eager, and summed in i64; halving makes them f32.
static Expr evenIntegral(Call &call, const Expr &y, int64_t d) {
  DimAttr one = call.e.dim(int64_t(1));
  Expr ends = (y.slice(d, call.e.dim(int64_t(0)), one) + y.slice(d, y.dim(d) - 1, one)).squeeze(d);
  ScalarType real = floatDtype(y.dtype());
  return sum(y.cast(sumDtype(y.dtype())), {d}).cast(real) - ends.cast(real) * 0.5;
}

static void integrate(Call &call, bool isCumulative) {
  Expr y = self(call);
  int64_t d = call.dimIndex("dim", y.rank(), -1);
  if (call.failed() || y.rank() == 0)
    return call.fail("an integral over a 0-d tensor");
  ScalarType real = floatDtype(y.dtype());
  if (graph::isConstant(y.dim(d), 0))
    return call.give(isCumulative ? y.cast(real) : sum(y.cast(real), {d}));
  bool hasPoints = call.given("x");
  double dx = hasPoints ? 1 : call.number("dx", 1);
  if (!hasPoints && !isCumulative)
    return call.give(evenIntegral(call, y, d) * dx);
  std::optional<Expr> parts = doubledTrapezoids(call, y, d);
  if (!parts)
    return call.fail("an integral over points whose shape doesn't fit");
  Expr total = *parts;
  total = total.cast(hasPoints ? sumDtype(total.dtype()) : floatDtype(total.dtype()));
  total = isCumulative ? Expr(call, call.e.create<graph::CumsumOp>(Value(total), d)) : sum(total, {d});
  call.give(total.cast(floatDtype(total.dtype())) * (dx / 2));
}
static void convertTrapezoid(Call &call) { integrate(call, false); }
static void convertCumulativeTrapezoid(Call &call) { integrate(call, true); }

/// Central differences along d, one-sided at the edges; of order 2 these are exact for parabolas. `spacing` is a number or the points [n].
static Expr gradientAlong(Call &call, const Expr &x, int64_t d, const Expr &h, int64_t order) {
  DimAttr n = x.dim(d), one = call.e.dim(1);
  auto from = [&](const Expr &v, int64_t start, int64_t less) { return v.slice(d, call.e.dim(start), n - less); };
  auto single = [&](const Expr &v, DimAttr at) { return v.slice(d, at, one); };
  // h [.., n - 1, ..]: distances between neighbours.
  Expr before = h.slice(d, call.e.dim(0), n - 2), after = h.slice(d, one, n - 2);
  Expr inner = (from(x, 2, 2) * before * before - from(x, 0, 2) * after * after + from(x, 1, 2) * (after * after - before * before)) / (before * after * (before + after));
  Expr slope = (butOne(call, x, d, 1) - butOne(call, x, d, 0)) / h;
  Expr first = single(slope, call.e.dim(0)), last = single(slope, n - 2);
  if (order == 2) {
    Expr h0 = single(h, call.e.dim(0)), h1 = single(h, one), g0 = single(h, n - 2), g1 = single(h, n - 3);
    Expr s1 = single(slope, one), t1 = single(slope, n - 3);
    first = first + (first - s1) * h0 / (h0 + h1);
    last = last + (last - t1) * g0 / (g0 + g1);
  }
  return {call, call.e.concat({Value(first), Value(inner), Value(last)}, d)};
}

/// Distances between neighbours along d, [1.., n - 1, 1..].
static std::optional<Expr> spacingAlong(Call &call, const Expr &x, int64_t d, size_t which) {
  SmallVector<DimAttr> shape(x.rank(), call.e.dim(1));
  shape[d] = x.dim(d) - 1;
  const Val *spacing = call.find("spacing");
  if (!spacing || spacing->is<None>())
    return x.like(1).expand(shape);
  const Val &own = spacing->is<List>() ? spacing->as<List>()->elements[std::min(which, spacing->as<List>()->elements.size() - 1)] : *spacing;
  if (own.isNumber())
    return x.like(toDouble(own)).expand(shape);
  const auto *points = own.get<Tensor>();
  if (!points)
    return std::nullopt;
  Expr p = Expr(call, call.run.read(*points)).cast(x.dtype());
  return (butOne(call, p, 0, 1) - butOne(call, p, 0, 0)).reshape(shape);
}

static void convertGradient(Call &call) {
  Expr x = self(call);
  int64_t order = call.integer("edge_order", 1);
  std::vector<int64_t> dims = call.dimIndices("dim", x.rank());
  if (!call.failed() && llvm::SmallDenseSet<int64_t>(dims.begin(), dims.end()).size() != dims.size())
    return call.fail("gradient with a dim that occurs twice");
  if (call.failed() || order < 1 || order > 2)
    return call.fail("gradient with an edge order of " + Twine(order));
  if (!isFloat(x.dtype()))
    x = x.cast(ScalarType::F32);
  auto list = std::make_shared<ListValue>();
  for (auto [which, d] : llvm::enumerate(dims)) {
    std::optional<Expr> h = spacingAlong(call, x, d, which);
    if (!h || (x.dim(d).isConstant() && x.dim(d).getValue() <= order))
      return call.fail("gradient needs more than " + Twine(order) + " elements along a dim, and spacings that are numbers or points");
    list->elements.push_back(call.run.fresh(gradientAlong(call, x, d, *h, order)));
  }
  call.give(Val(list));
}

void builder::addStatistics(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"nansum", convertNansum},
                                                      {"nanmean", convertNanmean},
                                                      {"count_nonzero", convertCountNonzero},
                                                      {"aminmax", convertAminmax},
                                                      {"msort", convertMsort},
                                                      {"cov", convertCov},
                                                      {"corrcoef", convertCorrcoef},
                                                      {"trapezoid", convertTrapezoid},
                                                      {"trapz", convertTrapezoid},
                                                      {"cumulative_trapezoid", convertCumulativeTrapezoid},
                                                      {"gradient", convertGradient}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
