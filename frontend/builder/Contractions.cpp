// Matrix products, convolutions, attention.
//
// `aten::matmul` of 1-d operands is a matmul between reshapes; `aten::addmm(b, x, w.t())` is graph.linear; 'same' padding is
// numbers, with a graph.pad where the sides differ.
#include "frontend/builder/Contractions.h"
#include "frontend/builder/Orders.h"

#include <cmath>

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static DimAttr unit(Call &call) { return call.e.dim(int64_t(1)); }

/// The last dims of lhs and the matching one of rhs must be equal.
static void unifyInner(Call &call, Value lhs, Value rhs) {
  int64_t r = call.e.rank(rhs);
  if (call.e.rank(lhs) && r)
    unifyDims(call, call.e.dim(lhs, call.e.rank(lhs) - 1), call.e.dim(rhs, r >= 2 ? r - 2 : 0));
}

Value builder::matmul(Call &call, Value lhs, Value rhs) {
  int64_t a = call.e.rank(lhs), b = call.e.rank(rhs);
  if (!lhs || !rhs || a == 0 || b == 0) {
    call.fail("a matrix product of a 0-d tensor");
    return {};
  }
  if (call.e.dtype(lhs) != call.e.dtype(rhs)) {
    call.fail("a matrix product of different dtypes (eager refuses it too)");
    return {};
  }
  unifyInner(call, lhs, rhs);
  if (call.run.stopped())
    return {};
  if (a == 1)
    lhs = call.e.reshape(lhs, {unit(call), call.e.dim(lhs, 0)});
  if (b == 1)
    rhs = call.e.reshape(rhs, {call.e.dim(rhs, 0), unit(call)});
  Value product = call.e.create<graph::MatmulOp>(lhs, rhs);
  SmallVector<DimAttr> shape = call.e.dims(product);
  if (!product)
    return {};
  if (b == 1)
    shape.pop_back();
  if (a == 1)
    shape.erase(shape.end() - (b == 1 ? 1 : 2));
  return call.e.reshape(product, shape);
}

static void convertMatmul(Call &call) {
  Value lhs = call.value("self"), rhs = call.value(call.find("other") ? "other" : call.find("mat2") ? "mat2" : call.find("vec") ? "vec" : "tensor");
  if (!call.failed())
    call.give(matmul(call, lhs, rhs));
}

static void convertLinear(Call &call) {
  Value x = call.value("input"), weight = call.value("weight");
  OptionalOperand bias = call.optionalValue("bias");
  if (call.failed())
    return;
  if (call.e.rank(weight) == 1) {
    Value product = matmul(call, x, weight);
    return call.give(bias.value ? call.e.create<graph::AddOp>(product, bias.value) : product);
  }
  unifyDims(call, call.e.dim(x, call.e.rank(x) - 1), call.e.dim(weight, 1));
  if (!call.run.stopped())
    call.give(call.e.create<graph::LinearOp>(x, weight, bias));
}

/// mat2 transposed: the source of a transposition where it is one.
static Value transposed(Call &call, Value x) {
  auto permute = x ? x.getDefiningOp<graph::PermuteOp>() : graph::PermuteOp();
  if (permute && permute.getDims() == ArrayRef<int64_t>{1, 0})
    return permute.getX();
  return call.e.permute(x, {1, 0});
}

/// beta * self + alpha * product
static void addScaled(Call &call, Value self, Value product) {
  if (!self || !product)
    return call.give(Value());
  ScalarType type = call.e.dtype(product);
  double beta = call.number("beta", 1), alpha = call.number("alpha", 1);
  if (alpha != 1)
    product = call.e.create<graph::MulOp>(product, call.e.constant(type, *call.find("alpha")));
  if (beta == 0) // self is ignored, NaN included
    return call.give(product);
  if (beta != 1)
    self = call.e.create<graph::MulOp>(self, call.e.constant(type, *call.find("beta")));
  call.give(broadcast<graph::AddOp>(call, product, self));
}

static void convertAddmm(Call &call) {
  Value self = call.value("self"), lhs = call.value("mat1"), rhs = call.value("mat2");
  if (call.failed())
    return;
  bool plain = call.number("beta", 1) == 1 && call.number("alpha", 1) == 1;
  if (plain && call.e.rank(self) == 1 && call.e.dim(self, 0) == call.e.dim(rhs, 1))
    return call.give(call.e.create<graph::LinearOp>(lhs, transposed(call, rhs), OptionalOperand{self}));
  addScaled(call, self, matmul(call, lhs, rhs));
}
static void convertBaddbmm(Call &call) { addScaled(call, call.value("self"), matmul(call, call.value("batch1"), call.value("batch2"))); }
static void convertAddmv(Call &call) { addScaled(call, call.value("self"), matmul(call, call.value("mat"), call.value("vec"))); }
static void convertAddbmm(Call &call) {
  Value products = matmul(call, call.value("batch1"), call.value("batch2"));
  addScaled(call, call.value("self"), call.e.create<graph::SumOp>(products, SmallVector<int64_t>{0}, false));
}

/// Row s of `rows` [S, K] times the matrix of its group, of `matrices` [G, K, N]: group g's rows end before ends[g]; rows past all groups give 0.
/// Every row reads its matrix inside one sum of products, in f32 at least: the matrices aren't copied.
static void giveGrouped(Call &call, const Expr &rows, const Expr &matrices, const Expr &ends) {
  if (rows.rank() != 2 || matrices.rank() != 3 || ends.rank() != 1)
    return call.fail("groups of rows: operands of ranks " + Twine(rows.rank()) + ", " + Twine(matrices.rank()) + " and " + Twine(ends.rank()) + ", expected 2, 3 and 1");
  if (rows.dtype() != matrices.dtype() || !isFloat(rows.dtype()) || (ends.dtype() != ScalarType::I32 && ends.dtype() != ScalarType::I64))
    return call.fail("groups of rows: rows and matrices of one float dtype and ends of i32 or i64 are expected");
  unifyDims(call, rows.dim(1), matrices.dim(1));
  unifyDims(call, ends.dim(0), matrices.dim(0));
  if (call.run.stopped())
    return;
  Expr group = searchSorted(call, ends.cast(ScalarType::I64), positions(call, rows.dim(0), 0, 1), /*right=*/true);
  Expr count(call, call.e.dimTensor(matrices.dim(0), ScalarType::I64)), place = min(group, count - 1.0);
  Expr own(call, call.e.create<graph::IndexSelectOp>(Value(matrices), Value(place), int64_t(0)));
  ScalarType type = wide(rows.dtype());
  Expr products = sum(rows.cast(type).unsqueeze(2) * own.cast(type), {1});
  call.give(where((group < count).unsqueeze(1), products, 0.0).cast(rows.dtype()));
}

static void convertGroupedMm(Call &call) {
  Expr lhs = self(call), rhs(call, call.value("mat2"));
  OptionalOperand ends = call.optionalValue("offs");
  if (call.failed())
    return;
  if (call.given("bias") || call.dtype("out_dtype", lhs.dtype()) != lhs.dtype())
    return call.fail("grouped_mm with a bias or another dtype for the result (eager refuses it too)");
  if (ends.value)
    return giveGrouped(call, lhs, rhs, Expr(call, ends.value));
  if (lhs.rank() != 3 || rhs.rank() != 3)
    return call.fail("grouped_mm without offs: operands of ranks " + Twine(lhs.rank()) + " and " + Twine(rhs.rank()) + ", expected 3 and 3");
  call.give(matmul(call, lhs, rhs));
}

/// What transformers exports for mixtures of experts where torch.export doesn't take grouped_mm.
static void convertGroupedFallback(Call &call) {
  Expr rows(call, call.value("input")), matrices(call, call.value("weight")), ends(call, call.value("offs"));
  if (!call.failed())
    giveGrouped(call, rows, matrices, ends);
}

static void convertOuter(Call &call) {
  Value a = call.value("self"), b = call.value("vec2");
  Value column = call.e.reshape(a, {call.e.dim(a, 0), unit(call)});
  call.give(call.e.create<graph::MulOp>(column, b));
}

namespace {
struct ConvolutionArguments {
  Value x, weight;
  OptionalOperand bias;
  std::vector<int64_t> stride, padding, dilation, outputPadding;
  int64_t groups = 1;
  size_t spatial = 0;
  bool batchAdded = false;
};
} // namespace

static std::vector<int64_t> perDim(Call &call, StringRef name, size_t spatial, int64_t fallback) {
  return call.given(name) ? call.integers(name, spatial) : std::vector<int64_t>(spatial, fallback);
}

/// padding='same': numbers, and a pad op where the two sides differ or the kernel is symbolic.
static void padSame(Call &call, ConvolutionArguments &a) {
  SmallVector<DimAttr> low(call.e.rank(a.x), call.e.dim(int64_t(0))), high = low;
  bool uneven = false;
  for (size_t i = 0; i < a.spatial; ++i) {
    DimAttr total = (call.e.dim(a.weight, int64_t(i) + 2) - 1) * a.dilation[i], half = graph::floorDiv(total, 2);
    if (total.isConstant()) {
      a.padding[i] = half.getValue();
      high[i + 2] = call.e.dim(total.getValue() % 2);
    } else {
      low[i + 2] = half;
      high[i + 2] = total - half;
    }
    uneven |= !graph::isConstant(high[i + 2], 0);
  }
  if (uneven)
    a.x = call.e.create<graph::PadOp>(a.x, call.e.constant(call.e.dtype(a.x), 0.0), call.e.dimArray(low), call.e.dimArray(high));
}

static ConvolutionArguments convolutionArguments(Call &call) {
  ConvolutionArguments a;
  a.x = call.value("input");
  a.weight = call.value("weight");
  a.bias = call.optionalValue("bias");
  if (!a.x || !a.weight || call.e.rank(a.weight) < 3) {
    call.fail("a convolution needs a weight [o, c, kernel...]");
    return a;
  }
  a.spatial = size_t(call.e.rank(a.weight)) - 2;
  if (call.e.rank(a.x) == int64_t(a.spatial) + 1) {
    SmallVector<DimAttr> shape = call.e.dims(a.x);
    shape.insert(shape.begin(), unit(call));
    a.x = call.e.reshape(a.x, shape);
    a.batchAdded = true;
  }
  a.stride = perDim(call, "stride", a.spatial, 1);
  a.dilation = perDim(call, "dilation", a.spatial, 1);
  a.outputPadding = perDim(call, "output_padding", a.spatial, 0);
  a.groups = call.integer("groups", 1);
  const Val *padding = call.find("padding");
  bool named = padding && padding->is<std::string>();
  a.padding = named ? std::vector<int64_t>(a.spatial, 0) : perDim(call, "padding", a.spatial, 0);
  if (named && padding->as<std::string>() == "same" && !call.failed()) {
    if (llvm::any_of(a.stride, [](int64_t stride) { return stride != 1; }))
      call.fail("padding 'same' with a stride (eager refuses it too)");
    padSame(call, a);
  }
  return a;
}

static void giveConvolution(Call &call, const ConvolutionArguments &a, Value result) {
  if (result && a.batchAdded)
    result = call.e.reshape(result, ArrayRef<DimAttr>(call.e.dims(result)).drop_front());
  call.give(result);
}

/// Channels, outputs and bias must fit, which symbolic sizes leave open.
static void unifyChannels(Call &call, const ConvolutionArguments &a, bool transposedConvolution) {
  DimAttr outer = call.e.dim(a.weight, 0), inner = call.e.dim(a.weight, 1) * a.groups;
  unifyDims(call, call.e.dim(a.x, 1), transposedConvolution ? outer : inner);
  if (a.bias.value && call.e.rank(a.bias.value) == 1)
    unifyDims(call, call.e.dim(a.bias.value, 0), transposedConvolution ? inner : outer);
  DimAttr rest = DimAttr::binary(graph::DimKind::Mod, outer, call.e.dim(a.groups));
  if (!rest.isConstant() && !call.run.stopped() && !call.failed())
    call.run.guard(rest, "==", call.e.dim(int64_t(0)), outer.str() + " channels must be a multiple of the " + std::to_string(a.groups) + " groups");
}

static void convolve(Call &call, bool transposedConvolution) {
  ConvolutionArguments a = convolutionArguments(call);
  if (call.failed())
    return;
  unifyChannels(call, a, transposedConvolution);
  if (call.failed() || call.run.stopped())
    return;
  if (!transposedConvolution)
    return giveConvolution(call, a, call.e.create<graph::ConvolutionOp>(a.x, a.weight, a.bias, a.stride, a.padding, a.dilation, a.groups));
  giveConvolution(call, a,
                  call.e.create<graph::ConvTransposeOp>(a.x, a.weight, a.bias, a.stride, a.padding, a.dilation, a.outputPadding, a.groups));
}
static void convertConvolution(Call &call) { convolve(call, call.boolean("transposed", false)); }
static void convertConvTranspose(Call &call) { convolve(call, true); }

/// log(sum(exp(scores))) of each row, which the flash form gives beside the result.
static Value attentionLogsumexp(Call &call, const Expr &q, const Expr &k, const OptionalOperand &mask, bool causal, FloatAttr scale) {
  SmallVector<int64_t> swap = allDims(k.rank());
  std::swap(swap[k.rank() - 1], swap[k.rank() - 2]);
  Expr scores(call, matmul(call, q.cast(wide(q.dtype())), k.cast(wide(k.dtype())).permute(swap)));
  if (!Value(scores))
    return {};
  Expr features(call, call.e.dimTensor(q.dim(q.rank() - 1), wide(q.dtype())));
  scores = scale ? scores * scale.getValueAsDouble() : scores / sqrt(features);
  int64_t last = scores.rank() - 1;
  if (mask.value)
    scores = call.e.dtype(mask.value) == ScalarType::Bool ? where(Expr(call, mask.value), scores, -HUGE_VAL) : scores + Expr(call, call.e.cast(mask.value, scores.dtype()));
  if (causal)
    scores = where(positions(call, scores.dim(last), last, last + 1) <= positions(call, scores.dim(last - 1), last - 1, last + 1), scores, -HUGE_VAL);
  return call.e.create<graph::LogsumexpOp>(Value(scores), SmallVector<int64_t>{last}, false); // of half types f32
}

/// q [.., l, e], k [.., s, e], v [.., s, f], mask [.., l, s] or null: sizes that must be equal; the flash form doesn't broadcast or repeat heads.
static void unifyAttention(Call &call, Value q, Value k, Value v, Value mask) {
  if (call.failed() || llvm::any_of(ArrayRef<Value>{q, k, v}, [&](Value x) { return call.e.rank(x) < 2; }))
    return;
  auto fromEnd = [&](Value x, int64_t back) { return call.e.dim(x, call.e.rank(x) - back); };
  unifyDims(call, fromEnd(q, 1), fromEnd(k, 1));
  unifyDims(call, fromEnd(k, 2), fromEnd(v, 2));
  if (call.op() == "aten::_scaled_dot_product_flash_attention_for_cpu")
    for (int64_t d = 0; d + 2 < std::min({call.e.rank(q), call.e.rank(k), call.e.rank(v)}); ++d) {
      unifyDims(call, call.e.dim(q, d), call.e.dim(k, d));
      unifyDims(call, call.e.dim(k, d), call.e.dim(v, d));
    }
  if (mask)
    unifyExpand(call, call.e.dims(mask), {fromEnd(q, 2), fromEnd(k, 2)});
}

static void convertAttention(Call &call) {
  Value q = call.value("query"), k = call.value("key"), v = call.value("value");
  OptionalOperand mask = call.optionalValue("attn_mask");
  unifyAttention(call, q, k, v, mask.value);
  if (call.number("dropout_p", 0) != 0)
    return call.fail("attention with dropout needs random numbers, which are not supported");
  if (call.failed() || call.run.stopped())
    return;
  if (mask.value && call.e.dtype(mask.value) != ScalarType::Bool)
    mask.value = call.e.cast(mask.value, call.e.dtype(q));
  FloatAttr scale;
  if (call.given("scale"))
    scale = call.e.builder.getF64FloatAttr(call.number("scale"));
  bool causal = call.boolean("is_causal", false);
  call.give(call.e.create<graph::AttentionOp>(q, k, v, mask, causal, scale, call.boolean("enable_gqa", false)));
  if (call.node.results.size() == 1)
    return;
  call.give(attentionLogsumexp(call, Expr(call, q), Expr(call, k), mask, causal, scale));
}

/// Rows [part * size, (part + 1) * size) of a packed projection weight or bias.
static Value packedPart(Call &call, Value packed, int64_t part, DimAttr size) {
  return call.e.slice(packed, 0, call.e.dim(part) * size, size);
}

/// [batch, length, heads * features] as [batch, heads, length, features].
static Value splitHeads(Call &call, Value x, int64_t heads) {
  DimAttr features = DimAttr::binary(graph::DimKind::FloorDiv, call.e.dim(x, 2), call.e.dim(heads));
  return call.e.permute(call.e.reshape(x, {call.e.dim(x, 0), call.e.dim(x, 1), call.e.dim(heads), features}), {0, 2, 1, 3});
}

/// What nn.MultiheadAttention runs in eval mode: packed projections, attention, output projection.
static void convertNativeAttention(Call &call) {
  Value sources[] = {call.value("query"), call.value("key"), call.value("value")};
  Value weight = call.value("qkv_weight"), bias = call.value("qkv_bias");
  Value outWeight = call.value("proj_weight"), outBias = call.value("proj_bias");
  int64_t heads = call.integer("num_head");
  if (call.given("mask") || call.boolean("need_weights", true))
    return call.fail("the fused multi-head attention with a mask or with its weights as a result; build the module with "
                     "torch.backends.mha.set_fastpath_enabled(False) and trace it again");
  if (call.failed() || heads <= 0)
    return call.fail("a number of heads that is not positive");
  DimAttr width = call.e.dim(sources[0], 2);
  Value packed = sources[0] == sources[1] && sources[0] == sources[2]
                     ? call.e.create<graph::LinearOp>(sources[0], weight, OptionalOperand{bias})
                     : Value();
  Value parts[3];
  for (int64_t i = 0; i < 3; ++i) {
    Value part = packed ? call.e.slice(packed, 2, call.e.dim(i) * width, width)
                        : call.e.create<graph::LinearOp>(sources[i], packedPart(call, weight, i, width),
                                                         OptionalOperand{packedPart(call, bias, i, width)});
    parts[i] = splitHeads(call, part, heads);
  }
  Value attended = call.e.create<graph::AttentionOp>(parts[0], parts[1], parts[2], OptionalOperand{}, false, FloatAttr(), false);
  Value joined = call.e.reshape(call.e.permute(attended, {0, 2, 1, 3}), call.e.dims(sources[0]));
  call.give(call.e.create<graph::LinearOp>(joined, outWeight, OptionalOperand{outBias}));
  call.give(Val(None{})); // no attention weights were asked for
}

void builder::addContractions(ConversionTable &table) {
  const std::pair<StringRef, Conversion> entries[] = {
      {"matmul", convertMatmul},
      {"linalg_matmul", convertMatmul},
      {"mm", convertMatmul},
      {"bmm", convertMatmul},
      {"mv", convertMatmul},
      {"dot", convertMatmul},
      {"linear", convertLinear},
      {"addmm", convertAddmm},
      {"baddbmm", convertBaddbmm},
      {"addmv", convertAddmv},
      {"addbmm", convertAddbmm},
      {"_grouped_mm", convertGroupedMm},
      {"outer", convertOuter},
      {"ger", convertOuter},
      {"einsum", convertEinsum},
      {"tensordot", convertTensordot},
      {"conv1d", convertConvolution},
      {"conv2d", convertConvolution},
      {"conv3d", convertConvolution},
      {"convolution", convertConvolution},
      {"_convolution", convertConvolution},
      {"_convolution_mode", convertConvolution},
      {"conv_transpose1d", convertConvTranspose},
      {"conv_transpose2d", convertConvTranspose},
      {"conv_transpose3d", convertConvTranspose},
      {"_native_multi_head_attention", convertNativeAttention},
      {"scaled_dot_product_attention", convertAttention},
      {"_scaled_dot_product_flash_attention_for_cpu", convertAttention}};
  for (const auto &[name, conversion] : entries)
    table.add(("aten::" + name).str(), conversion);
  table.add("transformers::grouped_mm_fallback", convertGroupedFallback);
}
