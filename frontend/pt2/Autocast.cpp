// Autocast regions of an exported program: the casts that torch.autocast("cpu") makes before an operator.
//
// Exporting records a region as it is written (wrap_with_autocast), so its operators still lack the casts. What is cast is the
// dispatcher's to say, by operator: `torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCPU")` lists those of torch 2.15. In a
// region of bf16, linear(x: f32, w: f32) becomes linear(to(x, bf16), to(w, bf16)).
#include "frontend/pt2/ConvertProgram.h"

#include "llvm/ADT/StringSwitch.h"

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;
using llvm::Error;
using llvm::StringRef;

namespace {

enum class Rule {
  Keep,      // operands as they are
  Low,       // cast to the region's dtype
  Full,      // cast to f32
  Widest,    // cast to the widest operand's
  Composite, // what it calls is cast inside: refused
};

Rule ruleOf(const Node &node) {
  StringRef op = node.op;
  if (!op.consume_front("aten::"))
    return Rule::Keep;
  if (op.starts_with("fft_") || (op.starts_with("linalg_") && op != "linalg_vecdot" && op != "linalg_vector_norm" && op != "linalg_matmul"))
    return Rule::Full;
  return llvm::StringSwitch<Rule>(op)
      .Cases({"linear", "matmul", "linalg_matmul", "mm", "bmm", "addmm", "addbmm", "baddbmm", "linalg_vecdot", "prelu", "_addmm_activation"}, Rule::Low)
      .Cases({"conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}, Rule::Low)
      .Cases({"scaled_dot_product_attention", "_native_multi_head_attention", "mkldnn_rnn_layer"}, Rule::Low)
      .Cases({"cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "index_copy"}, Rule::Widest)
      .Cases({"avg_pool3d", "adaptive_avg_pool3d", "max_pool3d", "adaptive_max_pool3d", "max_unpool2d", "max_unpool3d"}, Rule::Full)
      .Cases({"fractional_max_pool2d", "fractional_max_pool3d", "reflection_pad1d", "reflection_pad2d"}, Rule::Full)
      .Cases({"replication_pad1d", "replication_pad2d", "replication_pad3d"}, Rule::Full)
      .Cases({"grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "cdist", "prod", "quantile", "nanquantile", "trace", "polar"}, Rule::Full)
      .Cases({"binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy_loss", "ctc_loss"}, Rule::Full)
      .Cases({"hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "multi_margin_loss"}, Rule::Full)
      .Cases({"multilabel_margin_loss", "nll_loss", "nll_loss2d", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss"}, Rule::Full)
      .Cases({"triplet_margin_loss", "inverse", "pinverse", "cholesky_inverse", "cholesky_solve", "stft", "svd", "triangular_solve"}, Rule::Full)
      .Cases({"lstm", "gru", "rnn_tanh", "rnn_relu", "einsum", "tensordot", "bilinear", "inner", "chain_matmul", "nll_loss_nd"}, Rule::Composite)
      .Cases({"pad", "cov", "corrcoef", "matrix_power", "istft", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"}, Rule::Composite)
      .Default(Rule::Keep);
}

bool isFloating(ScalarType type) {
  return type == ScalarType::F16 || type == ScalarType::BF16 || type == ScalarType::F32 || type == ScalarType::F64;
}

/// Calls visit on each tensor value among the operands.
template <class Visit> void forEachTensor(OperandList &operands, const SourceGraph &graph, Visit visit) {
  for (Operand &operand : operands) {
    if (auto *list = std::get_if<OperandList>(&operand.value))
      forEachTensor(*list, graph, visit);
    else if (const auto *id = std::get_if<ValueId>(&operand.value); id && graph.values[*id].tensor)
      visit(operand, *id);
  }
}

const char *textOf(ScalarType type) { return type == ScalarType::F16 ? "float16" : type == ScalarType::BF16 ? "bfloat16" : "float32"; }

/// pad in the mode "constant", which calls nothing that autocast knows.
bool padsByConstant(const Node &node) {
  for (const Operand &operand : node.operands)
    if (const auto *constant = std::get_if<Constant>(&operand.value); constant && operand.name == "mode")
      if (const auto *mode = std::get_if<std::string>(&constant->value))
        return node.op == "aten::pad" && *mode == "constant";
  return node.op == "aten::pad";
}

} // namespace

ValueId ProgramConverter::castTo(ValueId value, ScalarType type, LocationId location) {
  Node node;
  node.op = "aten::to";
  node.overload = "dtype";
  node.operands = {{"self", value},
                   {"dtype", Constant{EnumConstant{EnumConstant::Kind::ScalarType, textOf(type)}}},
                   {"non_blocking", Constant{false}},
                   {"copy", Constant{false}},
                   {"memory_format", Constant{}}};
  ValueId result = addValue("", "Tensor");
  graph.values[result].tensor = graph.values[value].tensor;
  graph.values[result].tensor->dtype = type;
  node.results.push_back(result);
  node.location = location;
  graph.body.nodes.push_back(std::move(node));
  return result;
}

Error ProgramConverter::applyAutocast(Node &node, ScalarType low) {
  Rule rule = ruleOf(node);
  if (rule == Rule::Keep || padsByConstant(node))
    return Error::success();
  if (rule == Rule::Composite)
    return failure("in an autocast region; which of its steps run in " + std::string(scalarTypeName(low)) + " isn't known: take it out of the region");
  ScalarType target = rule == Rule::Full ? ScalarType::F32 : low;
  if (rule == Rule::Widest)
    forEachTensor(node.operands, graph, [&](Operand &, ValueId id) { target = graph.values[id].tensor->dtype == ScalarType::F32 ? ScalarType::F32 : target; });
  forEachTensor(node.operands, graph, [&](Operand &operand, ValueId id) {
    ScalarType type = graph.values[id].tensor->dtype;
    if (isFloating(type) && type != ScalarType::F64 && type != target)
      operand.value = castTo(id, target, node.location);
  });
  return Error::success();
}
