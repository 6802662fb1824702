// Reductions, scans and normalisations.
//
// Sums of integers are i64, means of integers an error, any and all give bool, as in eager PyTorch; no dims means all of them.
#include "frontend/builder/Expression.h"
#include "frontend/builder/Promotion.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static Value selfValue(Call &call) { return call.value(call.first()); }

/// sum and prod: integers and bools accumulate in i64 unless a dtype is given.
template <class Op> static void accumulate(Call &call) {
  Value x = selfValue(call);
  if (!x)
    return;
  ScalarType type = call.dtype("dtype", sumDtype(call.e.dtype(x)));
  std::vector<int64_t> dims = call.sortedDims("dim", call.e.rank(x));
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
  std::vector<int64_t> dims = call.sortedDims("dim", call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<graph::MeanOp>(call.e.cast(x, type), dims, call.boolean("keepdim", false)));
}

template <class Op> static void extreme(Call &call) {
  Value x = selfValue(call);
  std::vector<int64_t> dims = call.sortedDims("dim", call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<Op>(x, dims, call.boolean("keepdim", false)));
}

template <class Op> static void truth(Call &call) {
  Value x = call.e.cast(selfValue(call), ScalarType::Bool);
  std::vector<int64_t> dims = call.sortedDims("dim", call.e.rank(x));
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
  std::vector<int64_t> dims = call.sortedDims("dim", call.e.rank(x));
  if (!call.failed())
    call.give(call.e.create<Op>(x, dims, call.boolean("keepdim", false)));
}

/// Variance, standard deviation, with or without the mean beside it.
static void variance(Call &call, bool root, bool withMean) {
  Value x = selfValue(call);
  std::vector<int64_t> dims = call.sortedDims("dim", call.e.rank(x));
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
  std::vector<int64_t> dims = call.sortedDims("dim", call.e.rank(x));
  if (x && !isFloat(call.e.dtype(x)))
    x = call.e.cast(x, ScalarType::F32);
  if (!call.failed())
    call.give(call.e.create<graph::LogsumexpOp>(x, dims, call.boolean("keepdim", false)));
}

template <class Op> static void scan(Call &call) {
  Value x = selfValue(call);
  int64_t d = call.dimIndex("dim", call.e.rank(x));
  if (call.failed() || !x)
    return;
  ScalarType type = call.dtype("dtype", sumDtype(call.e.dtype(x)));
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

/// softmax that gives zeros where all of a row is -inf.
static void convertSafeSoftmax(Call &call) {
  softmax<graph::SoftmaxOp>(call);
  if (call.failed() || call.results.size() != 1)
    return;
  Value result = call.run.read(call.results[0].as<Tensor>()), x = call.e.cast(selfValue(call), call.e.dtype(result));
  if (call.e.rank(x) == 0)
    return;
  SmallVector<int64_t> dims{call.dimIndex("dim", call.e.rank(x))};
  Value isLowest = call.e.create<graph::EqOp>(x, call.e.constant(call.e.dtype(x), -HUGE_VAL));
  Value zero = call.e.constant(call.e.dtype(x), 0.0);
  call.results.clear();
  call.give(call.e.create<graph::WhereOp>(call.e.create<graph::AllOp>(isLowest, dims, true), zero, result));
}

/// Statistics that eager's native norms return beside the result, means and reciprocal deviations; only the backward pass reads them. Of 16-bit floats
/// they are computed in f32.
static void giveNormStatistics(Call &call, Value given, ArrayRef<int64_t> dims, bool keepDims, double eps) {
  ScalarType type = call.e.dtype(given), compute = wide(type);
  Value x = call.e.cast(given, compute);
  Value var = call.e.create<graph::VarOp>(x, dims, keepDims, APFloat(0.0));
  call.give(call.e.cast(call.e.create<graph::MeanOp>(x, dims, keepDims), type));
  call.give(call.e.cast(call.e.create<graph::RsqrtOp>(call.e.create<graph::AddOp>(var, call.e.constant(compute, eps))), type));
}

/// How many dims `normalized_shape` names; fails where they aren't x's last ones.
static int64_t normalizedDims(Call &call, Value x) {
  std::vector<DimAttr> shape = call.dims("normalized_shape");
  SmallVector<DimAttr> dims = x ? call.e.dims(x) : SmallVector<DimAttr>();
  auto fits = [](auto pair) { return !std::get<0>(pair).isConstant() || !std::get<1>(pair).isConstant() || std::get<0>(pair) == std::get<1>(pair); };
  if (call.failed() || shape.empty() || shape.size() > dims.size() || !llvm::all_of(llvm::zip(llvm::reverse(shape), llvm::reverse(dims)), fits))
    call.fail("a normalized_shape other than the last dims of the input");
  else
    unifyShapes(call, ArrayRef(dims).take_back(shape.size()), shape);
  return int64_t(shape.size());
}

static void convertLayerNorm(Call &call) {
  Value x = call.value("input");
  int64_t normalized = normalizedDims(call, x);
  OptionalOperand weight = call.optionalValue("weight"), bias = call.optionalValue("bias");
  double eps = call.number("eps", 1e-5);
  if (call.failed() || call.run.stopped())
    return;
  call.give(call.e.create<graph::LayerNormOp>(x, weight, bias, normalized, APFloat(eps)));
  if (call.op() != "aten::native_layer_norm")
    return;
  SmallVector<int64_t> dims;
  for (int64_t d = call.e.rank(x) - normalized; d < call.e.rank(x); ++d)
    dims.push_back(d);
  giveNormStatistics(call, x, dims, true, eps);
}

static void convertRmsNorm(Call &call) {
  Value x = call.value("input");
  int64_t normalized = normalizedDims(call, x);
  OptionalOperand weight = call.optionalValue("weight");
  ScalarType type = call.e.dtype(x);
  double eps = call.number("eps", type == ScalarType::F64 ? 0x1p-52 : type == ScalarType::F16 ? 0x1p-10 : type == ScalarType::BF16 ? 0x1p-7 : 0x1p-23);
  if (!call.failed() && !call.run.stopped())
    call.give(call.e.create<graph::RmsNormOp>(x, weight, normalized, APFloat(eps)));
}

static void convertGroupNorm(Call &call) {
  Value x = call.value("input");
  int64_t groups = call.find("num_groups") ? call.integer("num_groups") : call.integer("group");
  OptionalOperand weight = call.optionalValue("weight"), bias = call.optionalValue("bias");
  double eps = call.number("eps", 1e-5);
  if (call.failed() || !x)
    return;
  if (hasZero(ArrayRef<DimAttr>(call.e.dims(x)).drop_front()))
    return call.fail("group_norm without channels or positions (eager refuses it too)");
  Value result = call.e.create<graph::GroupNormOp>(x, weight, bias, groups, APFloat(eps));
  call.give(result);
  if (call.op() == "aten::native_group_norm") { // [n, groups] means and reciprocal deviations
    DimAttr channels = call.e.dim(x, 1);
    SmallVector<DimAttr> shape{call.e.dim(x, 0), call.e.dim(groups)};
    DimAttr rest = graph::floorDiv(channels, std::max<int64_t>(groups, 1));
    for (int64_t d = 2; d < call.e.rank(x); ++d)
      rest = rest * call.e.dim(x, d);
    shape.push_back(rest);
    giveNormStatistics(call, call.e.reshape(x, shape), {2}, false, eps);
  }
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
      {"cumsum", scan<graph::CumsumOp>},
      {"cumprod", scan<graph::CumprodOp>},
      {"softmax", softmax<graph::SoftmaxOp>},
      {"_softmax", softmax<graph::SoftmaxOp>},
      {"special_softmax", softmax<graph::SoftmaxOp>},
      {"_safe_softmax", convertSafeSoftmax},
      {"log_softmax", softmax<graph::LogSoftmaxOp>},
      {"_log_softmax", softmax<graph::LogSoftmaxOp>},
      {"layer_norm", convertLayerNorm},
      {"native_layer_norm", convertLayerNorm},
      {"rms_norm", convertRmsNorm},
      {"group_norm", convertGroupNorm},
      {"native_group_norm", convertGroupNorm}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
}
