// Orders and counts: median, kthvalue, mode, quantile, searchsorted, histograms, sums that skip NaN.
//
// A rank is a place in the sorted row: `aten::kthvalue(x, k)` is element k - 1 of graph.sort's results. A place in a sorted sequence is found by binary search,
// unrolled into gathers.
#include "frontend/builder/Orders.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

/// Gives the picks [.., 1, ..] along dim d, without that dim unless it is kept.
static void givePicked(Call &call, const Expr &values, const Expr &indices, int64_t d, bool keepdim) {
  call.give(keepdim ? values : values.squeeze(d));
  call.give(keepdim ? indices : indices.squeeze(d));
}

/// Element `rank` (i64, [.., 1, ..] along d) of each sorted row, with its position.
static void giveRanked(Call &call, const Expr &x, const Expr &rank, int64_t d) {
  auto [values, order] = sorted(x, d);
  givePicked(call, gather(values, rank, d), gather(order, rank, d), d, call.boolean("keepdim", false));
}

static bool giveScalarOrder(Call &call, const Expr &x) {
  if (!Value(x) || x.rank() != 0)
    return false;
  call.give(x);
  call.give(call.e.constant(ScalarType::I64, 0.0));
  return true;
}

static SmallVector<DimAttr> withUnit(Call &call, const Expr &x, int64_t d) {
  SmallVector<DimAttr> shape = x.dims();
  if (d < int64_t(shape.size()))
    shape[d] = call.e.dim(int64_t(1));
  return shape;
}

static void convertKthvalue(Call &call) {
  Expr x = self(call);
  int64_t d = call.dimIndex("dim", x.rank(), -1), k = call.integer("k");
  if (!call.failed() && x.rank() == 0 && k != 1)
    return call.fail("kthvalue with k = " + Twine(k) + " of a 0-d tensor");
  if (call.failed() || giveScalarOrder(call, x))
    return;
  if (k < 1 || (x.dim(d).isConstant() && k > x.dim(d).getValue()))
    return call.fail("kthvalue with k = " + Twine(k) + " of " + x.dim(d).str() + " elements");
  auto [values, order] = sorted(x, d);
  DimAttr at = call.e.dim(k - 1), one = call.e.dim(int64_t(1));
  givePicked(call, values.slice(d, at, one), order.slice(d, at, one), d, call.boolean("keepdim", false));
}

/// i64 [.., 1, ..]: how many elements along d are not NaN.
static Expr countNumbers(Call &call, const Expr &x, int64_t d) {
  if (isFloat(x.dtype()))
    return sum((!isNan(x)).cast(ScalarType::I64), {d}, true);
  return Expr(call, call.e.dimTensor(x.dim(d), ScalarType::I64)).expand(withUnit(call, x, d));
}

/// The lower of two middle elements. NaN is the median of what has one (`ignoreNan`: of what has nothing else): in the order it comes last.
static void medianAlong(Call &call, const Expr &x, int64_t d, bool ignoreNan) {
  Expr count = countNumbers(call, x, d), size(call, call.e.dimTensor(x.dim(d), ScalarType::I64));
  Expr rank = divFloor(max(count, 1.0) - 1.0, count.like(2));
  if (!ignoreNan && isFloat(x.dtype()))
    rank = where(count == size, rank, count); // the first NaN
  giveRanked(call, x, rank, d);
}

static void median(Call &call, bool ignoreNan) {
  Expr x = self(call);
  if (call.failed())
    return;
  if (call.find("dim")) {
    int64_t d = call.dimIndex("dim", x.rank());
    if (!call.failed() && !giveScalarOrder(call, x))
      medianAlong(call, x, d, ignoreNan);
    return;
  }
  medianAlong(call, x.reshape({graph::getNumElements(call.e.type(x))}), 0, ignoreNan);
  if (!call.results.empty())
    call.results.pop_back();
}
static void convertMedian(Call &call) { median(call, false); }
static void convertNanMedian(Call &call) { median(call, true); }

/// The most frequent element, the smallest of several, and its last position. Runs of equal elements are found in sorted order.
static void convertMode(Call &call) {
  Expr x = self(call);
  int64_t d = call.dimIndex("dim", x.rank(), -1);
  if (call.failed() || giveScalarOrder(call, x))
    return;
  auto [values, order] = sorted(x, d);
  DimAttr n = x.dim(d), one = call.e.dim(int64_t(1)), zero = call.e.dim(int64_t(0));
  Expr place = positions(call, n, d, x.rank());
  Expr before = values.slice(d, zero, n - 1), after = values.slice(d, one, n - 1);
  Expr first(call, call.e.expand(call.e.constant(ScalarType::Bool, 1.0), withUnit(call, x, d)));
  Expr starts(call, call.e.concat({Value(first), Value(before != after)}, d));
  Expr start = cumulativeMax(where(starts, place, 0.0), d).first; // of the run that an element is in
  Expr length = place - start;
  Operation *longest = call.e.createOp<graph::MaxDimOp>(Value(length), d, true);
  Expr end(call, longest ? longest->getResult(1) : Value());
  // max_dim gives the first of equal lengths, that is the end of the first longest run: the smallest element.
  givePicked(call, gather(values, end, d), gather(order, end, d), d, call.boolean("keepdim", false));
}

template <class Op> static std::pair<Expr, Expr> extremeScan(const Expr &x, int64_t d) {
  Operation *op = x.owner().e.createOp<Op>(Value(x), d);
  return {Expr(x.owner(), op ? op->getResult(0) : Value()), Expr(x.owner(), op ? op->getResult(1) : Value())};
}
std::pair<Expr, Expr> builder::cumulativeMax(const Expr &x, int64_t d) { return extremeScan<graph::CummaxOp>(x, d); }

template <class Op> static void convertExtremeScan(Call &call) {
  Expr x = self(call);
  int64_t d = call.dimIndex("dim", x.rank());
  if (call.failed() || giveScalarOrder(call, x))
    return;
  auto [values, positions] = extremeScan<Op>(x, d);
  call.give(values);
  call.give(positions);
}

static void convertLogcumsumexp(Call &call) {
  Expr x = self(call);
  int64_t d = call.dimIndex("dim", x.rank());
  if (call.failed() || !isFloat(x.dtype()))
    return call.fail("logcumsumexp of integers (eager refuses it too)");
  call.give(x.rank() ? call.e.create<graph::LogcumsumexpOp>(Value(x), d) : Value(x));
}

//===-- quantiles ---------------------------------------------------------------------------------===//

namespace {
struct Quantile {
  Expr x;   // the dim that is reduced is last
  Expr q;   // 1-d
  bool ignoreNan;
  std::string interpolation;
};
} // namespace

/// [.., q] quantiles of the last dim.
static Expr quantilesOfRows(Call &call, const Quantile &a) {
  int64_t last = a.x.rank() - 1;
  Expr order = sorted(a.x, last).first, count = countNumbers(call, a.x, last).cast(a.x.dtype());
  Expr size(call, call.e.dimTensor(a.x.dim(last), a.x.dtype()));
  Expr rank = a.q * max((a.ignoreNan ? count : size) - 1.0, 0.0); // [.., q]
  if (!a.ignoreNan)
    rank = where(count == size, rank, size - 1.0); // rows with NaN: the last element, which is one
  SmallVector<DimAttr> shape = a.x.dims();
  shape[last] = a.q.dim(0);
  rank = rank.expand(shape);
  Expr low = floor(rank), high(call, call.e.create<graph::CeilOp>(Value(rank)));
  auto at = [&](const Expr &place) { return gather(order, place.cast(ScalarType::I64), last); };
  if (a.interpolation == "lower")
    return at(low);
  if (a.interpolation == "higher")
    return at(high);
  if (a.interpolation == "nearest")
    return at(round(rank));
  Expr below = at(low), above = at(high), weight = a.interpolation == "midpoint" ? rank.like(0.5) : rank - low;
  Expr near = below + weight * (above - below), far = above - (above - below) * (1.0 - weight);
  return where(weight < 0.5, near, far);
}

static void quantile(Call &call, bool ignoreNan) {
  Expr x = self(call);
  PromotedOperand operand = promotedOperand(call, "q");
  std::string interpolation = call.text("interpolation", "linear");
  bool keepdim = call.boolean("keepdim", false), whole = !call.given("dim");
  if (call.failed() || !isFloat(x.dtype()))
    return call.fail("quantile of integers (eager refuses it too)");
  Expr q(call, promoted(call, operand, x.dtype()));
  int64_t rank = x.rank(), d = whole ? 0 : call.dimIndex("dim", rank);
  bool isList = q.rank() == 1;
  q = isList ? q : q.reshape({call.e.dim(int64_t(1))});
  Expr rows = whole || rank == 0 ? x.reshape({graph::getNumElements(call.e.type(x))}) : x.move(d, rank - 1);
  Expr found = quantilesOfRows(call, {rows, q, ignoreNan, interpolation}).move(rows.rank() - 1, 0); // [q, ..]
  SmallVector<DimAttr> shape;
  if (isList)
    shape.push_back(q.dim(0));
  for (int64_t i = 0; i < rank; ++i) {
    if (!whole && i != d)
      shape.push_back(x.dim(i));
    else if (keepdim)
      shape.push_back(call.e.dim(int64_t(1)));
  }
  call.give(found.reshape(shape));
}
static void convertQuantile(Call &call) { quantile(call, false); }
static void convertNanQuantile(Call &call) { quantile(call, true); }

//===-- places in sorted sequences ------------------------------------------------------------------===//

/// How many elements of the sorted last dim of `sequence` come before each of `values` ([.., m], leading dims equal): before those equal to it, or (`right`) after
/// them. NaN goes to the end.
static Expr placeIn(Call &call, const Expr &sequence, const Expr &values, bool right) {
  constexpr int64_t mostSteps = 31; // for symbolic sizes
  int64_t last = sequence.rank() - 1;
  DimAttr n = sequence.dim(last);
  Expr low = Expr(call, call.e.constant(ScalarType::I64, 0.0)).expand(values.dims());
  if (graph::isConstant(n, 0))
    return low;
  if (!n.isConstant())
    call.run.guard(n, "<", call.e.dim(int64_t(1) << mostSteps), "a sorted sequence has at most " + std::to_string((int64_t(1) << mostSteps) - 1) + " elements");
  Expr high = Expr(call, call.e.dimTensor(n, ScalarType::I64)).expand(values.dims()), lastPlace(call, call.e.dimTensor(n - 1, ScalarType::I64));
  // The middles are eager's, so that a NaN in the sequence sends the search where it goes there.
  for (int64_t i = n.isConstant() ? int64_t(llvm::Log2_64(n.getValue())) : mostSteps - 1; i >= 0; --i) {
    Expr middle = divFloor(low + high, low.like(2)), element = gather(sequence, min(middle, lastPlace), last);
    Expr isOpen = low < high, goesRight = right ? !(element > values) : !(element >= values);
    low = where(isOpen && goesRight, middle + 1.0, low);
    high = where(isOpen && !goesRight, middle, high);
  }
  return low;
}

Expr builder::searchSorted(Call &call, const Expr &sequence, const Expr &values, bool right) {
  if (sequence.rank() > 1)
    return placeIn(call, sequence, values, right);
  SmallVector<DimAttr> shape = values.dims();
  return placeIn(call, sequence, values.reshape({graph::getNumElements(call.e.type(values))}), right).reshape(shape);
}

static void convertSearchSorted(Call &call) {
  bool isBucketize = call.op() == "aten::bucketize";
  PromotedOperand sequenceOperand = promotedOperand(call, isBucketize ? "boundaries" : "sorted_sequence");
  PromotedOperand valueOperand = promotedOperand(call, "self");
  bool right = call.boolean("right", false) || call.text("side", "left") == "right";
  if (call.failed())
    return;
  ScalarType type = promoteTypes(sequenceOperand.dtype, valueOperand.isNumber ? sequenceOperand.dtype : valueOperand.dtype);
  if (valueOperand.isNumber && isFloat(valueOperand.dtype) && !isFloat(type))
    type = ScalarType::F32;
  Expr sequence(call, promoted(call, sequenceOperand, type)), values(call, promoted(call, valueOperand, type));
  if (call.given("sorter"))
    sequence = gather(sequence, Expr(call, call.value("sorter")), sequence.rank() - 1);
  if (sequence.rank() == 0)
    return call.fail("a sorted sequence of rank 0");
  Expr place = searchSorted(call, sequence, values, right);
  call.give(call.boolean("out_int32", false) ? place.cast(ScalarType::I32) : place);
}

//===-- histograms ------------------------------------------------------------------------------------===//

/// Sums of `weights` (flat, zero where a bin is invalid) by `bins` (flat i64, in range).
static Expr sumsByBin(Call &call, const Expr &bins, const Expr &weights, int64_t count) {
  Expr empty = weights.like(0).expand({call.e.dim(count)});
  return {call, call.e.create<graph::ScatterOp>(Value(empty), Value(bins), Value(weights), int64_t(0), graph::ScatterReduce::sum, false)};
}

static void convertHistc(Call &call) {
  Expr x = self(call);
  int64_t bins = call.integer("bins", 100);
  double low = call.number("min", 0), high = call.number("max", 0);
  if (call.failed() || bins < 1 || high < low)
    return call.fail("histc needs at least one bin and min <= max");
  Expr flat = x.reshape({graph::getNumElements(call.e.type(x))}), from = flat.like(low), to = flat.like(high);
  if (low == high && !graph::isConstant(flat.dim(0), 0)) { // the range of the data
    from = amin(flat, {0}), to = amax(flat, {0});
    Expr isPoint = from == to;
    from = where(isPoint, from - 1.0, from), to = where(isPoint, to + 1.0, to);
  }
  Expr valid = flat >= from && flat <= to;
  Expr bin = ((flat - from) * double(bins) / (to - from)).cast(ScalarType::I64);
  bin = where(valid, min(max(bin, 0.0), double(bins - 1)), 0.0);
  call.give(sumsByBin(call, bin, valid.cast(x.dtype()), bins));
}

/// The edges [bins + 1] of histogram: given, or equally spaced over a range that is given or the data's.
static Expr histogramEdges(Call &call, const Expr &flat) {
  const Val *bins = call.find("bins");
  if (bins && bins->is<Tensor>())
    return {call, call.value("bins")};
  int64_t count = call.integer("bins", 100);
  std::vector<double> range = call.given("range") ? call.numbers("range") : std::vector<double>();
  Expr from = range.size() == 2 ? flat.like(range[0]) : amin(flat, {0}), to = range.size() == 2 ? flat.like(range[1]) : amax(flat, {0});
  Expr isPoint = from == to;
  Expr low = where(isPoint, from - 0.5, from), high = where(isPoint, to + 0.5, to);
  Expr i = positions(call, call.e.dim(count + 1), 0, 1).cast(flat.dtype());
  Expr step = (high - low) / double(count);
  return where(i < double((count + 1) / 2), low + step * i, high - step * (double(count) - i));
}

static void convertHistogram(Call &call) {
  Expr x = self(call);
  if (call.failed())
    return;
  Expr flat = x.reshape({graph::getNumElements(call.e.type(x))}), edges = histogramEdges(call, flat);
  if (call.failed() || edges.rank() != 1 || !edges.dim(0).isConstant() || edges.dim(0).getValue() < 2)
    return call.fail("histogram needs a constant number of bins");
  int64_t count = edges.dim(0).getValue() - 1;
  DimAttr one = call.e.dim(int64_t(1));
  Expr last = edges.slice(0, call.e.dim(count), one), valid = flat >= edges.slice(0, call.e.dim(int64_t(0)), one) && flat <= last;
  Expr place = searchSorted(call, edges, flat, true) - 1.0;
  Expr weights = valid.cast(x.dtype());
  if (call.given("weight"))
    weights = where(valid, Expr(call, call.value("weight")).reshape(flat.dims()), 0.0);
  Expr sums = sumsByBin(call, where(valid, min(max(place, 0.0), double(count - 1)), 0.0), weights, count);
  if (call.boolean("density", false)) {
    Expr widths = edges.slice(0, one, call.e.dim(count)) - edges.slice(0, call.e.dim(int64_t(0)), call.e.dim(count));
    sums = sums / widths / sum(sums, {0});
  }
  call.give(sums);
  call.give(edges);
}

void builder::addOrders(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"kthvalue", convertKthvalue},       {"median", convertMedian},       {"nanmedian", convertNanMedian},
                                                      {"mode", convertMode},               {"quantile", convertQuantile},   {"nanquantile", convertNanQuantile},
                                                      {"searchsorted", convertSearchSorted}, {"bucketize", convertSearchSorted}, {"histc", convertHistc},
                                                      {"histogram", convertHistogram},     {"cummax", convertExtremeScan<graph::CummaxOp>},
                                                      {"cummin", convertExtremeScan<graph::CumminOp>}, {"logcumsumexp", convertLogcumsumexp}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
