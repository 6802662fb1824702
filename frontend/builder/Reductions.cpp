// Reductions, scans and normalisations.
//
// Sums of integers are i64, means of integers an error, any and all give bool, as in eager PyTorch; no dims means all of them.
#include "frontend/builder/Promotion.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static Value selfValue(Call &call) { return call.value(call.node.operands[0].name); }

static std::vector<int64_t> sortedDims(Call &call, int64_t rank) {
  std::vector<int64_t> dims = call.dimIndices("dim", rank);
  llvm::sort(dims);
  if (std::unique(dims.begin(), dims.end()) != dims.end())
    call.fail("a dim occurs twice");
  return dims;
}

/// sum and prod: integers and bools accumulate in i64 unless a dtype is given.
template <class Op> static void accumulate(Call &call) {
  Value x = selfValue(call);
  if (!x)
    return;
  ScalarType type = call.dtype("dtype", isFloat(call.e.dtype(x)) ? call.e.dtype(x) : ScalarType::I64);
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<Op>(call.e.cast(x, type), dims, call.boolean("keepdim", false)));
}

static void convertMean(Call &call) {
  Value x = selfValue(call);
  if (!x)
    return;
  ScalarType type = call.dtype("dtype", call.e.dtype(x));
  if (!isFloat(type))
    return call.fail("the mean of integers (eager refuses it too); give a float dtype");
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<graph::MeanOp>(call.e.cast(x, type), dims, call.boolean("keepdim", false)));
}

template <class Op> static void extreme(Call &call) {
  Value x = selfValue(call);
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<Op>(x, dims, call.boolean("keepdim", false)));
}

template <class Op> static void truth(Call &call) {
  Value x = call.e.cast(selfValue(call), ScalarType::Bool);
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<Op>(x, dims, call.boolean("keepdim", false)));
}
/// any and all give bool, except of u8, which stays u8.
template <class Op> static void convertTruth(Call &call) {
  Value x = selfValue(call);
  bool byte = x && call.e.dtype(x) == ScalarType::U8;
  truth<Op>(call);
  if (byte && !call.failed() && call.results.size() == 1 && call.results[0].is<Tensor>()) {
    Value result = call.e.cast(call.run.read(call.results[0].as<Tensor>()), ScalarType::U8);
    call.results.clear();
    call.give(result);
  }
}

/// max(x), or max(x, dim), which gives values and positions.
template <class Whole, class Along> static void convertExtreme(Call &call) {
  if (!call.find("dim"))
    return extreme<Whole>(call);
  Value x = selfValue(call);
  int64_t d = call.dimIndex("dim", call.e.rank(x));
  if (call.failed())
    return;
  if (call.e.rank(x) == 0) {
    call.give(x);
    return call.give(call.e.constant(ScalarType::I64, 0.0));
  }
  Operation *op = call.e.createOp<Along>(x, d, call.boolean("keepdim", false));
  call.give(op ? op->getResult(0) : Value());
  call.give(op ? op->getResult(1) : Value());
}

template <class Op> static void positionOf(Call &call) {
  Value x = selfValue(call);
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<Op>(x, dims, call.boolean("keepdim", false)));
}

/// Variance, standard deviation, with or without the mean beside it.
static void variance(Call &call, bool root, bool withMean) {
  Value x = selfValue(call);
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  double correction = call.boolean("unbiased", true) ? call.number("correction", 1) : 0;
  if (call.failed() || !x || !isFloat(call.e.dtype(x)))
    return call.fail("variance of integers (eager refuses it too)");
  bool keep = call.boolean("keepdim", false);
  Value result = call.e.create<graph::VarOp>(x, dims, keep, APFloat(correction));
  call.give(root ? call.e.create<graph::SqrtOp>(result) : result);
  if (withMean)
    call.give(call.e.create<graph::MeanOp>(x, dims, keep));
}
static void convertVar(Call &call) { variance(call, false, false); }
static void convertStd(Call &call) { variance(call, true, false); }
static void convertVarMean(Call &call) { variance(call, false, true); }
static void convertStdMean(Call &call) { variance(call, true, true); }

static void convertLogsumexp(Call &call) {
  Value x = selfValue(call);
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  if (x && !isFloat(call.e.dtype(x)))
    x = call.e.cast(x, ScalarType::F32);
  if (!call.failed())
    call.give(call.e.create<graph::LogsumexpOp>(x, dims, call.boolean("keepdim", false)));
}

/// The p-norm over dims, for p = 0, 1, 2, inf, -inf and others.
static void convertNorm(Call &call) {
  Value x = selfValue(call);
  double p = call.find("ord") ? call.number("ord", 2) : call.number("p", 2);
  std::vector<int64_t> dims = sortedDims(call, call.e.rank(x));
  bool keep = call.boolean("keepdim", false);
  if (call.failed() || !x)
    return;
  ScalarType type = call.dtype("dtype", call.e.dtype(x));
  if (!isFloat(type))
    return call.fail("a norm of integers (eager refuses it too)");
  x = call.e.cast(x, type);
  Value size = call.e.create<graph::AbsOp>(x);
  if (std::isinf(p))
    return call.give(p > 0 ? call.e.create<graph::AmaxOp>(size, dims, keep) : call.e.create<graph::AminOp>(size, dims, keep));
  if (p == 0)
    return call.give(call.e.create<graph::SumOp>(call.e.cast(call.e.create<graph::NeOp>(x, call.e.constant(type, 0.0)), type), dims, keep));
  if (p == 1)
    return call.give(call.e.create<graph::SumOp>(size, dims, keep));
  if (p == 2)
    return call.give(call.e.create<graph::SqrtOp>(call.e.create<graph::SumOp>(call.e.create<graph::MulOp>(x, x), dims, keep)));
  Value powers = call.e.create<graph::SumOp>(call.e.create<graph::PowOp>(size, call.e.constant(type, p)), dims, keep);
  call.give(call.e.create<graph::PowOp>(powers, call.e.constant(type, 1 / p)));
}

template <class Op> static void scan(Call &call) {
  Value x = selfValue(call);
  int64_t d = call.dimIndex("dim", call.e.rank(x));
  if (call.failed() || !x)
    return;
  ScalarType type = call.dtype("dtype", isFloat(call.e.dtype(x)) ? call.e.dtype(x) : ScalarType::I64);
  x = call.e.cast(x, type);
  call.give(call.e.rank(x) ? call.e.create<Op>(x, d) : x);
}

/// softmax in the given dtype, or f32 for integers.
template <class Op> static void softmax(Call &call) {
  Value x = selfValue(call);
  int64_t d = call.dimIndex("dim", call.e.rank(x));
  if (call.failed() || !x)
    return;
  ScalarType type = call.dtype("dtype", call.e.dtype(x));
  if (call.boolean("half_to_float", false))
    type = ScalarType::F32;
  if (!isFloat(type))
    return call.fail("softmax of integers (eager refuses it too)");
  x = call.e.cast(x, type);
  if (call.e.rank(x) == 0) {
    Value row = call.e.create<Op>(call.e.reshape(x, {call.e.dim(int64_t(1))}), int64_t(0));
    return call.give(call.e.reshape(row, {}));
  }
  call.give(call.e.create<Op>(x, d));
}

/// Statistics that eager's native norms return beside the result; only the backward pass reads them.
static void giveNormStatistics(Call &call, Value x, ArrayRef<int64_t> dims, double eps) {
  Value mean = call.e.create<graph::MeanOp>(x, dims, true);
  Value var = call.e.create<graph::VarOp>(x, dims, true, APFloat(0.0));
  call.give(mean);
  Value shifted = call.e.create<graph::AddOp>(var, call.e.constant(call.e.dtype(x), eps));
  call.give(call.e.create<graph::RsqrtOp>(shifted));
}

static void convertLayerNorm(Call &call) {
  Value x = call.value("input");
  int64_t normalized = int64_t(call.dims("normalized_shape").size());
  OptionalOperand weight = call.optionalValue("weight"), bias = call.optionalValue("bias");
  double eps = call.number("eps", 1e-5);
  if (call.failed())
    return;
  call.give(call.e.create<graph::LayerNormOp>(x, weight, bias, normalized, APFloat(eps)));
  if (call.op() != "aten::native_layer_norm")
    return;
  SmallVector<int64_t> dims;
  for (int64_t d = call.e.rank(x) - normalized; d < call.e.rank(x); ++d)
    dims.push_back(d);
  giveNormStatistics(call, x, dims, eps);
}

static void convertRmsNorm(Call &call) {
  Value x = call.value("input");
  int64_t normalized = int64_t(call.dims("normalized_shape").size());
  OptionalOperand weight = call.optionalValue("weight");
  ScalarType type = call.e.dtype(x);
  double eps = call.number("eps", type == ScalarType::F64 ? 0x1p-52 : type == ScalarType::F16 ? 0x1p-10 : type == ScalarType::BF16 ? 0x1p-7 : 0x1p-23);
  if (!call.failed())
    call.give(call.e.create<graph::RmsNormOp>(x, weight, normalized, APFloat(eps)));
}

static void convertGroupNorm(Call &call) {
  Value x = call.value("input");
  int64_t groups = call.find("num_groups") ? call.integer("num_groups") : call.integer("group");
  OptionalOperand weight = call.optionalValue("weight"), bias = call.optionalValue("bias");
  double eps = call.number("eps", 1e-5);
  if (call.failed() || !x)
    return;
  Value result = call.e.create<graph::GroupNormOp>(x, weight, bias, groups, APFloat(eps));
  call.give(result);
  if (call.op() == "aten::native_group_norm") { // [n, groups] means and reciprocal deviations
    DimAttr channels = call.e.dim(x, 1);
    SmallVector<DimAttr> shape{call.e.dim(x, 0), call.e.dim(groups)};
    DimAttr rest = graph::floorDiv(channels, std::max<int64_t>(groups, 1));
    for (int64_t d = 2; d < call.e.rank(x); ++d)
      rest = rest * call.e.dim(x, d);
    shape.push_back(rest);
    Value rows = call.e.reshape(x, shape);
    Value mean = call.e.create<graph::MeanOp>(rows, SmallVector<int64_t>{2}, false);
    Value var = call.e.create<graph::VarOp>(rows, SmallVector<int64_t>{2}, false, APFloat(0.0));
    call.give(mean);
    call.give(call.e.create<graph::RsqrtOp>(call.e.create<graph::AddOp>(var, call.e.constant(call.e.dtype(x), eps))));
  }
}

/// instance_norm on its own statistics is a group norm with a group for each channel.
static void convertInstanceNorm(Call &call) {
  Value x = call.value("input");
  OptionalOperand weight = call.optionalValue("weight"), bias = call.optionalValue("bias");
  double eps = call.number("eps", 1e-5);
  if (call.failed() || !x)
    return;
  if (!call.boolean("use_input_stats", true))
    return call.give(call.e.create<graph::BatchNormOp>(x, call.value("running_mean"), call.value("running_var"), weight, bias, APFloat(eps)));
  if (call.given("running_mean"))
    return call.fail("instance_norm that updates running statistics");
  DimAttr channels = call.e.dim(x, 1);
  if (!channels.isConstant())
    return call.fail("instance_norm of a symbolic number of channels");
  call.give(call.e.create<graph::GroupNormOp>(x, weight, bias, channels.getValue(), APFloat(eps)));
}

/// Batch statistics, and their running averages written to the buffers, as training mode does.
static void trainingBatchNorm(Call &call, Value x, OptionalOperand weight, OptionalOperand bias, double eps) {
  SmallVector<int64_t> dims;
  DimAttr count = call.e.dim(int64_t(1));
  for (int64_t d = 0; d < call.e.rank(x); ++d)
    if (d != 1) {
      dims.push_back(d);
      count = count * call.e.dim(x, d);
    }
  Value mean = call.e.create<graph::MeanOp>(x, dims, false), var = call.e.create<graph::VarOp>(x, dims, false, APFloat(0.0));
  call.give(call.e.create<graph::BatchNormOp>(x, mean, var, weight, bias, APFloat(eps)));
  double momentum = call.number("momentum", 0.1);
  auto update = [&](StringRef name, Value batch) {
    if (!call.given(name))
      return;
    Tensor running = call.tensor(name);
    ScalarType type = scalarType(running->type.getElementType());
    Value kept = call.e.create<graph::MulOp>(call.run.read(running), call.e.constant(type, 1 - momentum));
    Value added = call.e.create<graph::MulOp>(call.e.cast(batch, type), call.e.constant(type, momentum));
    Value sum = call.e.create<graph::AddOp>(kept, added);
    if (sum)
      call.run.write(running, sum);
  };
  update("running_mean", mean);
  update("running_var", call.e.create<graph::VarOp>(x, dims, false, APFloat(1.0)));
}

static void convertBatchNorm(Call &call) {
  Value x = call.value("input");
  OptionalOperand weight = call.optionalValue("weight"), bias = call.optionalValue("bias");
  double eps = call.number("eps", 1e-5);
  bool training = call.boolean("training", false) || !call.given("running_mean");
  if (call.failed() || !x)
    return;
  if (training)
    return trainingBatchNorm(call, x, weight, bias, eps);
  call.give(call.e.create<graph::BatchNormOp>(x, call.value("running_mean"), call.value("running_var"), weight, bias, APFloat(eps)));
  if (call.node.results.size() == 1)
    return;
  for (int i = 0; i < 2; ++i) // saved statistics: empty in inference
    call.give(call.e.constant({0}, ScalarType::F32, {}));
}

/// x / max(norm(x), eps), as F.normalize and cosine_similarity need it, stays what the program says; only the norm is one op.
static void convertCosineSimilarity(Call &call) {
  Value a = call.value("x1"), b = call.value("x2");
  unifyBroadcast(call, {a, b});
  int64_t rank = std::max(call.e.rank(a), call.e.rank(b));
  SmallVector<int64_t> dims{call.dimIndex("dim", rank, 1)};
  double eps = call.number("eps", 1e-8);
  if (call.failed() || !a || !b)
    return;
  ScalarType type = call.e.dtype(a);
  auto norm = [&](Value x) {
    Value squares = call.e.create<graph::SumOp>(call.e.create<graph::MulOp>(x, x), dims, true);
    Value root = call.e.create<graph::SqrtOp>(squares);
    return call.e.create<graph::MaximumOp>(root, call.e.constant(type, eps));
  };
  Value product = call.e.create<graph::MulOp>(call.e.create<graph::DivOp>(a, norm(a)), call.e.create<graph::DivOp>(b, norm(b)));
  call.give(call.e.create<graph::SumOp>(product, dims, false));
}

void builder::addReductions(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"sum", accumulate<graph::SumOp>},
      {"prod", accumulate<graph::ProdOp>},
      {"mean", convertMean},
      {"amax", extreme<graph::AmaxOp>},
      {"amin", extreme<graph::AminOp>},
      {"max", convertExtreme<graph::AmaxOp, graph::MaxDimOp>},
      {"min", convertExtreme<graph::AminOp, graph::MinDimOp>},
      {"any", convertTruth<graph::AnyOp>},
      {"all", convertTruth<graph::AllOp>},
      {"argmax", positionOf<graph::ArgmaxOp>},
      {"argmin", positionOf<graph::ArgminOp>},
      {"var", convertVar},
      {"std", convertStd},
      {"var_mean", convertVarMean},
      {"std_mean", convertStdMean},
      {"logsumexp", convertLogsumexp},
      {"norm", convertNorm},
      {"linalg_vector_norm", convertNorm},
      {"linalg_norm", convertNorm},
      {"cumsum", scan<graph::CumsumOp>},
      {"cumprod", scan<graph::CumprodOp>},
      {"softmax", softmax<graph::SoftmaxOp>},
      {"_softmax", softmax<graph::SoftmaxOp>},
      {"special_softmax", softmax<graph::SoftmaxOp>},
      {"log_softmax", softmax<graph::LogSoftmaxOp>},
      {"_log_softmax", softmax<graph::LogSoftmaxOp>},
      {"layer_norm", convertLayerNorm},
      {"native_layer_norm", convertLayerNorm},
      {"rms_norm", convertRmsNorm},
      {"group_norm", convertGroupNorm},
      {"native_group_norm", convertGroupNorm},
      {"instance_norm", convertInstanceNorm},
      {"batch_norm", convertBatchNorm},
      {"_native_batch_norm_legit_no_training", convertBatchNorm},
      {"native_batch_norm", convertBatchNorm},
      {"cudnn_batch_norm", convertBatchNorm},
      {"cosine_similarity", convertCosineSimilarity}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
