// Norms by channel that keep running statistics: batch_norm and instance_norm, in inference and in training mode.
//
// Training mode normalises by the batch's own mean and variance and writes the running averages to the buffers: running = (1 - momentum) running + momentum batch.
#include "frontend/builder/Expression.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

namespace {
struct Norm {
  Value x;
  OptionalOperand weight, bias;
  double eps, momentum;
};
} // namespace

static Norm normOf(Call &call) {
  return {call.value("input"), call.optionalValue("weight"), call.optionalValue("bias"), call.number("eps", 1e-5), call.number("momentum", 0.1)};
}

static Expr variance(const Expr &x, ArrayRef<int64_t> dims, double correction) {
  return {x.owner(), x.owner().e.create<graph::VarOp>(Value(x), dims, false, APFloat(correction))};
}

/// The new running average: written to the buffer of that name where it is given, or a result, as decomposed programs have it.
static void updateRunning(Call &call, StringRef name, const Expr &batch, double momentum) {
  if (!call.given(name))
    return;
  Tensor running = call.tensor(name);
  Expr old(call, call.run.read(running));
  Expr updated = old * (1 - momentum) + batch.cast(old.dtype()) * momentum;
  if (call.op().ends_with("_functional"))
    call.give(Value(updated));
  else if (Value(updated))
    call.run.write(running, updated);
}

static Value normalized(Call &call, const Norm &n, Value mean, Value var) {
  return call.e.create<graph::BatchNormOp>(n.x, mean, var, n.weight, n.bias, APFloat(n.eps));
}

/// All dims but the channels'.
static SmallVector<int64_t> otherDims(int64_t rank) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (d != 1)
      dims.push_back(d);
  return dims;
}

/// What the native forms give beside the result: statistics that the backward pass reads, and a reserve. Of half types with f32 parameters they are f32.
static void giveSaved(Call &call, const Norm &n, std::optional<Expr> mean, std::optional<Expr> var) {
  if (call.node.results.size() == 1)
    return;
  ScalarType type = call.e.dtype(n.x);
  for (StringRef name : {"weight", "bias", "running_mean", "running_var"})
    if (call.given(name))
      type = promoteTypes(type, call.e.dtype(call.value(name)));
  Value none = call.e.constant({0}, type, {});
  call.give(mean ? Value(mean->cast(type)) : none);
  call.give(var ? Value((1.0 / sqrt(*var + n.eps)).cast(type)) : none);
  if (call.node.results.size() == 4)
    call.give(call.e.constant({0}, ScalarType::U8, {}));
}

static void convertBatchNorm(Call &call) {
  Norm n = normOf(call);
  bool withUpdate = call.op() == "aten::_batch_norm_with_update";
  bool training = withUpdate || call.boolean("training", false) || !call.given("running_mean");
  if (call.failed() || call.e.rank(n.x) < 2)
    return call.fail("batch_norm needs [n, c, ...]");
  if (!training) {
    call.give(normalized(call, n, call.value("running_mean"), call.value("running_var")));
    return giveSaved(call, n, std::nullopt, std::nullopt);
  }
  Expr x(call, n.x), wideX = x.cast(wide(x.dtype()));
  SmallVector<int64_t> dims = otherDims(x.rank());
  Expr mean = builder::mean(wideX, dims), var = variance(wideX, dims, 0);
  Norm inner = n;
  inner.x = wideX;
  auto widened = [&](OptionalOperand operand) { return OptionalOperand{operand.value ? call.e.cast(operand.value, wideX.dtype()) : Value()}; };
  inner.weight = widened(n.weight), inner.bias = widened(n.bias);
  call.give(call.e.cast(normalized(call, inner, mean, var), x.dtype()));
  giveSaved(call, n, mean, var);
  updateRunning(call, "running_mean", mean, n.momentum);
  updateRunning(call, "running_var", variance(wideX, dims, 1), n.momentum);
}

/// (x - mean) / sqrt(var + eps) over the spatial dims of each channel, of which there are a symbolic number.
static Value normalizedChannels(Call &call, const Norm &n, ArrayRef<int64_t> spatial) {
  Expr given(call, n.x), x = given.cast(wide(given.dtype())), centered = x - mean(x, spatial, true);
  Expr y = centered / sqrt(mean(centered * centered, spatial, true) + n.eps);
  SmallVector<DimAttr> channels(x.rank() - 1, call.e.dim(1));
  channels[0] = x.dim(1);
  auto perChannel = [&](Value parameter) { return Expr(call, parameter).cast(x.dtype()).reshape(channels); };
  if (n.weight.value)
    y = y * perChannel(n.weight.value);
  if (n.bias.value)
    y = y + perChannel(n.bias.value);
  return y.cast(given.dtype());
}

/// On its own statistics: a group norm with a group for each channel. Running statistics are averages over the batch.
static void convertInstanceNorm(Call &call) {
  Norm n = normOf(call);
  if (call.failed() || call.e.rank(n.x) < 3)
    return call.fail("instance_norm needs [n, c, ...] with spatial dims");
  if (!call.boolean("use_input_stats", true))
    return call.give(normalized(call, n, call.value("running_mean"), call.value("running_var")));
  Expr x(call, n.x);
  SmallVector<int64_t> spatial;
  for (int64_t d = 2; d < x.rank(); ++d)
    spatial.push_back(d);
  if (x.dim(1).isConstant())
    call.give(call.e.create<graph::GroupNormOp>(n.x, n.weight, n.bias, x.dim(1).getValue(), APFloat(n.eps)));
  else
    call.give(normalizedChannels(call, n, spatial));
  updateRunning(call, "running_mean", mean(mean(x, spatial), {0}), n.momentum);
  updateRunning(call, "running_var", mean(variance(x, spatial, 1), {0}), n.momentum);
}

void builder::addBatchNorms(ConversionTable &table) {
  for (StringRef name : {"batch_norm", "native_batch_norm", "cudnn_batch_norm", "_native_batch_norm_legit_no_training", "_native_batch_norm_legit", "_native_batch_norm_legit_functional",
                         "_batch_norm_with_update", "_batch_norm_no_update"})
    table.add(("aten::" + name).str(), convertBatchNorm);
  table.add("aten::instance_norm", convertInstanceNorm);
}
