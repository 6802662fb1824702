// Loss functions: the formula for each element, then none, the mean or the sum of them.
//
// `aten::mse_loss(a, b, 1)` is mean((a - b)^2). A class target selects its score by a gather, so a class out of range is a run-time error.
#include "frontend/builder/Norms.h"
#include "ir/graph/Infer.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

namespace {
enum class Reduction { None, Mean, Sum };
} // namespace

static Reduction reductionOf(Call &call) {
  int64_t number = call.integer("reduction", 1);
  if (number < 0 || number > 2)
    call.fail("reduction " + Twine(number) + "; expected 0, 1 or 2");
  return Reduction(number);
}

/// `loss` is in a wide type; the result is rounded to `type`.
static void giveReduced(Call &call, const Expr &loss, ScalarType type) {
  Reduction reduction = reductionOf(call);
  if (call.failed())
    return;
  if (reduction == Reduction::None)
    return giveFormula(call, loss, type);
  Expr folded = reduction == Reduction::Mean ? mean(loss, allDims(loss.rank())) : sum(loss, allDims(loss.rank()));
  call.give(folded.cast(type));
}

namespace {
struct Operands {
  Expr x, target; // wide
  ScalarType type;
};
} // namespace

static Operands operandsOf(Call &call, StringRef first = "self", StringRef second = "target") {
  PromotedOperand lhs = promotedOperand(call, first), rhs = promotedOperand(call, second);
  ScalarType type = resultType({lhs, rhs});
  if (call.failed())
    return {Expr(call, {}), Expr(call, {}), type};
  return {Expr(call, promoted(call, lhs, wide(type))), Expr(call, promoted(call, rhs, wide(type))), type};
}

/// The same where a margin, which is a Python float, makes integers f32.
static Operands realOperandsOf(Call &call, StringRef first = "self", StringRef second = "target") {
  Operands o = operandsOf(call, first, second);
  if (isFloat(o.type))
    return o;
  return {o.x.cast(ScalarType::F32), o.target.cast(ScalarType::F32), ScalarType::F32};
}

static Expr optionalWeight(Call &call, StringRef name, ScalarType type) {
  return {call, call.given(name) ? call.e.cast(call.value(name), type) : Value()};
}

//===-- regression ---------------------------------------------------------------------------===//

static void convertMse(Call &call) {
  Operands o = operandsOf(call);
  Expr d = o.x - o.target;
  giveReduced(call, d * d, o.type);
}
static void convertL1(Call &call) {
  Operands o = operandsOf(call);
  giveReduced(call, abs(o.x - o.target), o.type);
}
static void convertSmoothL1(Call &call) {
  Operands o = operandsOf(call);
  double beta = call.number("beta", 1);
  Expr d = abs(o.x - o.target);
  giveReduced(call, beta == 0 ? d : where(d < beta, d * d * 0.5 / beta, d - 0.5 * beta), o.type);
}
static void convertHuber(Call &call) {
  Operands o = operandsOf(call);
  double delta = call.number("delta", 1);
  Expr d = abs(o.x - o.target);
  giveReduced(call, where(d <= delta, d * d * 0.5, (d - 0.5 * delta) * delta), o.type);
}
static void convertPoissonNll(Call &call) {
  Operands o = operandsOf(call, "input");
  if (call.failed())
    return;
  ScalarType type = floatDtype(o.type);
  Expr x = o.x.cast(wide(type)), t = o.target.cast(wide(type)), product = (o.target * o.x).cast(wide(type)); // of integers in their own dtype
  Expr loss = call.boolean("log_input", true) ? exp(x) - product : x - t * log(x + call.number("eps", 1e-8));
  if (call.boolean("full", false))
    loss = loss + where(t <= 1.0, 0.0, t * log(t) - t + 0.5 * log(t * (2 * M_PI)));
  giveReduced(call, loss, type);
}
static void convertKlDiv(Call &call) {
  Operands o = operandsOf(call);
  Expr t = o.target;
  bool isLog = call.boolean("log_target", false);
  Expr loss = isLog ? exp(t) * (t - o.x) : where(isNan(t), t, where(t == 0.0, 0.0, t * log(t))) - t * o.x;
  giveReduced(call, loss, o.type);
}

//===-- binary targets ---------------------------------------------------------------------------===//

static void convertBce(Call &call) {
  Operands o = operandsOf(call);
  Expr weight = optionalWeight(call, "weight", wide(o.type));
  // As eager: logarithms are at least -100.
  Expr loss = (o.target - 1.0) * max(log1p(-o.x), -100.0) - o.target * max(log(o.x), -100.0);
  giveReduced(call, Value(weight) ? loss * weight : loss, o.type);
}
static void convertBceWithLogits(Call &call) {
  Operands o = operandsOf(call);
  Expr weight = optionalWeight(call, "weight", wide(o.type)), positive = optionalWeight(call, "pos_weight", wide(o.type));
  Expr negLogSigmoid = log1p(exp(-abs(o.x))) - min(o.x, 0.0);
  Expr scale = Value(positive) ? (positive - 1.0) * o.target + 1.0 : o.x.like(1);
  Expr loss = (1.0 - o.target) * o.x + scale * negLogSigmoid;
  giveReduced(call, Value(weight) ? loss * weight : loss, o.type);
}
static void convertSoftMargin(Call &call) {
  Operands o = operandsOf(call);
  giveReduced(call, log1p(exp(-(o.target * o.x))), o.type);
}
static void convertMarginRanking(Call &call) {
  Operands o = operandsOf(call, "input1", "input2");
  Expr target(call, call.e.cast(call.value("target"), wide(o.type)));
  if (call.failed())
    return;
  Expr product = -target * (o.x - o.target); // of integers in their own dtype, before the margin makes them f32
  ScalarType type = floatDtype(o.type);
  giveReduced(call, max(product.cast(wide(type)) + call.number("margin", 0), 0.0), type);
}
static void convertHingeEmbedding(Call &call) {
  Operands o = realOperandsOf(call);
  Expr above = where(o.target != 1.0, max(call.number("margin", 1) - o.x, 0.0), 0.0);
  giveReduced(call, above + where(o.target != -1.0, o.x, 0.0), o.type);
}
static void convertCosineEmbedding(Call &call) {
  Operands o = operandsOf(call, "input1", "input2");
  Expr target(call, call.value("target"));
  if (call.failed())
    return;
  int64_t d = target.rank();
  ScalarType type = floatDtype(o.type);
  auto dot = [&](const Expr &a, const Expr &b) { // integers multiply in their own dtype and sum in i64
    Expr products = a * b;
    return sum(products.cast(sumDtype(o.type)), {d}).cast(wide(type));
  };
  Expr cosine = dot(o.x, o.target) / sqrt((dot(o.x, o.x) + 1e-12) * (dot(o.target, o.target) + 1e-12));
  Expr same = where(target == 1.0, 1.0 - cosine, 0.0);
  giveReduced(call, same + where(target == -1.0, max(cosine - call.number("margin", 0), 0.0), 0.0), type);
}
static void convertTripletMargin(Call &call) {
  Expr anchor(call, call.value("anchor")), positive(call, call.value("positive")), negative(call, call.value("negative"));
  double p = call.number("p", 2), eps = call.number("eps", 1e-6);
  if (call.failed())
    return;
  ScalarType type = floatDtype(anchor.dtype());
  Expr near = pairwiseDistance(call, anchor, positive, p, eps, false), far = pairwiseDistance(call, anchor, negative, p, eps, false);
  if (call.boolean("swap", false))
    far = min(far, pairwiseDistance(call, positive, negative, p, eps, false));
  giveReduced(call, max(near - far + call.number("margin", 1), 0.0), type);
}

//===-- class targets ------------------------------------------------------------------------------===//

namespace {
/// Scores of the target classes. Ignored targets have weight 0.
struct Classes {
  Expr picked, weights; // of the target's shape
};
} // namespace

/// scores [n, c, …] (or [c]) at targets [n, …] (or []).
static Classes pickClasses(Call &call, const Expr &scores, const Expr &targets, const Expr &weight, int64_t ignored) {
  int64_t d = scores.rank() == 1 ? 0 : 1;
  Expr isIgnored = targets == double(ignored), index = where(isIgnored, 0.0, targets).cast(ScalarType::I64);
  Expr picked = gather(scores, index.unsqueeze(d), d).squeeze(d);
  Expr weights = scores.like(1).expand(index.dims());
  if (Value(weight))
    weights = Expr(call, call.e.create<graph::EmbeddingOp>(Value(weight), Value(index)));
  weights = where(isIgnored, 0.0, weights);
  return {where(isIgnored, 0.0, picked), weights};
}

/// Gives losses of the target's shape; the mean is weighted. `withTotal`: and the sum of weights, as the *_forward operators do.
static void giveClassLoss(Call &call, const Expr &loss, const Expr &weights, ScalarType type, bool withTotal) {
  Reduction reduction = reductionOf(call);
  if (call.failed())
    return;
  SmallVector<int64_t> all = allDims(loss.rank());
  Expr total = sum(weights, all);
  if (reduction == Reduction::None)
    call.give(loss.cast(type));
  else
    call.give((reduction == Reduction::Sum ? sum(loss, all) : sum(loss, all) / total).cast(type));
  if (withTotal)
    call.give((reduction == Reduction::None ? total.like(0) : total).cast(type));
}

static void convertNll(Call &call) {
  Expr given(call, call.value("self")), target(call, call.value("target"));
  if (call.failed())
    return;
  ScalarType type = given.dtype();
  Classes classes = pickClasses(call, given.cast(wide(type)), target, optionalWeight(call, "weight", wide(type)), call.integer("ignore_index", -100));
  giveClassLoss(call, -classes.picked * classes.weights, classes.weights, type, call.op().ends_with("_forward"));
}

static Expr classCount(Call &call, const Expr &scores, int64_t d) { return {call, call.e.dimTensor(scores.dim(d), scores.dtype())}; }

/// Against probabilities of the classes.
static void crossEntropyOfProbabilities(Call &call, const Expr &scores, const Expr &target, double smoothing, ScalarType type) {
  int64_t d = scores.rank() == 1 ? 0 : 1;
  Expr weight = optionalWeight(call, "weight", scores.dtype()), wanted = target.cast(scores.dtype());
  if (smoothing > 0)
    wanted = wanted * (1 - smoothing) + smoothing / classCount(call, scores, d);
  Expr terms = -scores * wanted;
  if (Value(weight)) {
    SmallVector<DimAttr> shape(scores.rank() - d, call.e.dim(int64_t(1)));
    shape[0] = scores.dim(d);
    terms = terms * weight.reshape(shape);
  }
  giveReduced(call, sum(terms, {d}), type);
}

static void convertCrossEntropy(Call &call) {
  Expr given(call, call.value("self")), target(call, call.value("target"));
  double smoothing = call.number("label_smoothing", 0);
  if (call.failed() || given.rank() == 0)
    return call.fail("cross_entropy of a 0-d tensor");
  ScalarType type = given.dtype();
  int64_t d = given.rank() == 1 ? 0 : 1;
  Expr scores(call, call.e.create<graph::LogSoftmaxOp>(Value(given.cast(wide(type))), d));
  if (isFloat(target.dtype()))
    return crossEntropyOfProbabilities(call, scores, target, smoothing, type);
  Expr weight = optionalWeight(call, "weight", wide(type));
  Classes classes = pickClasses(call, scores, target, weight, call.integer("ignore_index", -100));
  Expr loss = -classes.picked * classes.weights;
  if (smoothing > 0) {
    SmallVector<DimAttr> shape(scores.rank() - d, call.e.dim(int64_t(1)));
    shape[0] = scores.dim(d);
    Expr all = -sum(Value(weight) ? scores * weight.reshape(shape) : scores, {d});
    Expr ignored = target == double(call.integer("ignore_index", -100));
    loss = loss * (1 - smoothing) + where(ignored, 0.0, all) * (smoothing / classCount(call, scores, d));
  }
  giveClassLoss(call, loss, classes.weights, type, false);
}

/// x as [n, c] and targets as [n, …] with a batch dim, which eager lets be absent.
static void addBatch(Expr &x, Expr &target, int64_t targetRank) {
  while (x.rank() < 2)
    x = x.unsqueeze(0);
  while (target.rank() < targetRank)
    target = target.unsqueeze(0);
}

/// Reduces the losses [n] of x; without a batch dim they are a 0-d tensor.
static void giveBatchLoss(Call &call, const Expr &loss, bool hadBatch, ScalarType type) {
  if (!hadBatch && reductionOf(call) == Reduction::None)
    return call.give(loss.squeeze(0).cast(type));
  giveReduced(call, loss, type);
}

/// sum over classes i other than the target y of max(0, margin - x[y] + x[i])^p / c.
static void convertMultiMargin(Call &call) {
  Expr x(call, call.value("self")), target(call, call.value("target"));
  double p = call.number("p", 1), margin = call.number("margin", 1);
  if (call.failed())
    return;
  ScalarType type = x.dtype();
  bool hadBatch = x.rank() == 2;
  x = x.cast(wide(type));
  addBatch(x, target, 1);
  unifyShapes(call, target.dims(), {x.dim(0)});
  if (call.failed() || call.run.stopped())
    return;
  Expr weight = optionalWeight(call, "weight", wide(type)), index = target.cast(ScalarType::I64).unsqueeze(1);
  Expr gap = max(margin - gather(x, index, 1) + x, 0.0);
  gap = p == 2 ? gap * gap : gap;
  if (Value(weight))
    gap = gap * Expr(call, call.e.create<graph::EmbeddingOp>(Value(weight), Value(index)));
  Expr terms = where(positions(call, x.dim(1), 1, 2) == index, 0.0, gap);
  giveBatchLoss(call, sum(terms, {1}) / classCount(call, x, 1), hadBatch, type);
}

/// sum over targets y (up to the first -1) and other classes i of max(0, 1 - x[y] + x[i]) / c.
static void convertMultilabelMargin(Call &call) {
  Expr x(call, call.value("self")), target(call, call.value("target"));
  if (call.failed())
    return;
  ScalarType type = x.dtype();
  bool hadBatch = x.rank() == 2;
  if (x.rank() > 2 || (hadBatch ? target.rank() != 2 : target.rank() > x.rank()) || (x.rank() && graph::isConstant(x.dim(x.rank() - 1), 0)))
    return call.fail("multilabel_margin_loss of scores of shape " + graph::dimsText(x.dims()) + " for targets of shape " + graph::dimsText(target.dims()) +
                     "; expected two of [n, classes] or [classes], with classes");
  x = x.cast(wide(type));
  addBatch(x, target, 2);
  unifyShapes(call, target.dims(), x.dims());
  if (call.failed() || call.run.stopped())
    return;
  Expr wanted = target.cast(ScalarType::I64);
  Expr valid(call, call.e.create<graph::CumprodOp>(Value((wanted >= 0.0).cast(ScalarType::I64)), int64_t(1)));
  valid = valid != 0.0;
  Expr chosen = gather(x, where(valid, wanted, 0.0), 1);
  Expr match = positions(call, x.dim(1), 2, 3) == wanted.unsqueeze(2) && valid.unsqueeze(2); // [n, target, class]
  Expr isTarget = any(match, {1});
  Expr gap = max(1.0 - chosen.unsqueeze(2) + x.unsqueeze(1), 0.0);
  Expr terms = where(valid.unsqueeze(2) && !isTarget.unsqueeze(1), gap, 0.0);
  giveBatchLoss(call, sum(terms, {1, 2}) / classCount(call, x, 1), hadBatch, type);
  if (call.op().ends_with("_forward"))
    call.give(isTarget.cast(type));
}

void builder::addLosses(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {{"mse_loss", convertMse},
                                                      {"l1_loss", convertL1},
                                                      {"smooth_l1_loss", convertSmoothL1},
                                                      {"huber_loss", convertHuber},
                                                      {"poisson_nll_loss", convertPoissonNll},
                                                      {"kl_div", convertKlDiv},
                                                      {"binary_cross_entropy", convertBce},
                                                      {"binary_cross_entropy_with_logits", convertBceWithLogits},
                                                      {"soft_margin_loss", convertSoftMargin},
                                                      {"margin_ranking_loss", convertMarginRanking},
                                                      {"hinge_embedding_loss", convertHingeEmbedding},
                                                      {"cosine_embedding_loss", convertCosineEmbedding},
                                                      {"triplet_margin_loss", convertTripletMargin},
                                                      {"nll_loss", convertNll},
                                                      {"nll_loss_nd", convertNll},
                                                      {"nll_loss2d", convertNll},
                                                      {"nll_loss_forward", convertNll},
                                                      {"nll_loss2d_forward", convertNll},
                                                      {"cross_entropy_loss", convertCrossEntropy},
                                                      {"multi_margin_loss", convertMultiMargin},
                                                      {"multilabel_margin_loss", convertMultilabelMargin},
                                                      {"multilabel_margin_loss_forward", convertMultilabelMargin}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
