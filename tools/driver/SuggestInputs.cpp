// Guesses at a TorchScript method's arguments; see SuggestInputs.h. A tensor is followed through ops that keep its shape to the
// first convolution, linear, embedding or recurrent layer, whose weight's dims say the channels or features; else its rank and
// dims are what the program asks for (x.size(2), x.dim() == 3, x.size(1) == 40). An int is guessed from the constants it is
// compared with. Tensors in lists, tuples and dicts are named by their paths: xs.0, pair.1, batch.ids.
#include "tools/driver/SuggestInputs.h"
#include "frontend/torchscript/TracedInputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>
#include <set>

namespace graphc::driver {
namespace {

using namespace frontend;

/// Values of the method that are known from the module objects: submodules and their tensors.
class Attributes {
public:
  explicit Attributes(const SourceGraph &graph) : graph(graph) {
    if (graph.self && !graph.objects.empty())
      objects[*graph.self] = 0;
    collect(graph.body);
  }
  const TensorData *tensor(const Operand &operand) const {
    if (const Constant *constant = std::get_if<Constant>(&operand.value))
      return std::get_if<TensorData>(&constant->value);
    const ValueId *id = std::get_if<ValueId>(&operand.value);
    auto found = id ? tensors.find(*id) : tensors.end();
    return found == tensors.end() ? nullptr : found->second;
  }

private:
  void collect(const Block &block) {
    for (const Node &node : block.nodes) {
      if (node.op == "prim::GetAttr")
        getAttr(node);
      for (const Block &inner : node.blocks)
        collect(inner);
    }
  }
  void getAttr(const Node &node) {
    const ValueId *from = node.operands.empty() ? nullptr : std::get_if<ValueId>(&node.operands[0].value);
    auto name = node.attributes.find("name");
    if (!from || !objects.count(*from) || name == node.attributes.end() || node.results.empty())
      return;
    const std::string *text = std::get_if<std::string>(&name->second.value);
    for (const Attribute &attribute : graph.objects[objects[*from]].attributes) {
      if (!text || attribute.name != *text)
        continue;
      if (const ObjectRef *object = std::get_if<ObjectRef>(&attribute.value.value))
        objects[node.results[0]] = object->id;
      if (const TensorData *tensor = std::get_if<TensorData>(&attribute.value.value))
        tensors[node.results[0]] = tensor;
    }
  }

  const SourceGraph &graph;
  std::map<ValueId, ObjectId> objects;
  std::map<ValueId, const TensorData *> tensors;
};

const Operand *operandNamed(const Node &node, llvm::StringRef name) {
  auto found = llvm::find_if(node.operands, [&](const Operand &operand) { return operand.name == name; });
  return found == node.operands.end() ? nullptr : &*found;
}

bool usesValue(const Operand *operand, const std::set<ValueId> &values) {
  const ValueId *id = operand ? std::get_if<ValueId>(&operand->value) : nullptr;
  return id && values.count(*id);
}

std::optional<int64_t> integer(const Operand *operand) {
  const Constant *constant = operand ? std::get_if<Constant>(&operand->value) : nullptr;
  const int64_t *value = constant ? std::get_if<int64_t>(&constant->value) : nullptr;
  return value ? std::optional<int64_t>(*value) : std::nullopt;
}

bool keepsShape(llvm::StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"aten::to", "aten::contiguous", "aten::float", "aten::dropout", "aten::relu", "aten::clone", "aten::detach"},
             true)
      .Cases({"aten::mul", "aten::div", "aten::sub", "aten::add", "aten::neg", "aten::batch_norm", "aten::layer_norm"}, true)
      .Default(false);
}

InputSpec makeSpec(const std::string &name, ScalarType dtype, std::vector<int64_t> sizes) {
  InputSpec spec{name, dtype, {}};
  for (int64_t size : sizes)
    spec.dims.push_back({size, "", 1, std::nullopt});
  return spec;
}

/// Usual extents: an image's side, a second of audio, a short volume, a sentence.
constexpr int64_t imageSide = 224, audioSamples = 16000, volumeSide = 32, sentence = 128;

std::optional<InputSpec> convolutionSpec(const std::string &name, const Node &node, const TensorData &weight) {
  std::vector<int64_t> sizes = {1, weight.sizes[1] * integer(operandNamed(node, "groups")).value_or(1)};
  size_t spatial = weight.sizes.size() - 2;
  int64_t extent = spatial == 1 ? audioSamples : spatial == 2 ? imageSide : volumeSide;
  sizes.insert(sizes.end(), spatial, extent);
  return makeSpec(name, weight.dtype, sizes);
}

/// The argument's spec where this node tells it.
std::optional<InputSpec> specFrom(const std::string &name, const Node &node, const Attributes &attributes,
                                  const std::set<ValueId> &values) {
  const Operand *weightOperand = operandNamed(node, "weight");
  const TensorData *weight = weightOperand ? attributes.tensor(*weightOperand) : nullptr;
  llvm::StringRef op(node.op);
  if (!weight)
    return std::nullopt;
  if (op == "aten::embedding" && usesValue(operandNamed(node, "indices"), values))
    return makeSpec(name, ScalarType::I64, {1, sentence});
  if (!usesValue(operandNamed(node, "input"), values))
    return std::nullopt;
  if ((op.starts_with("aten::conv") || op == "aten::_convolution") && weight->sizes.size() >= 3 &&
      !op.contains("transpose"))
    return convolutionSpec(name, node, *weight);
  if (op == "aten::linear" && weight->sizes.size() == 2)
    return makeSpec(name, weight->dtype, {1, weight->sizes[1]});
  return std::nullopt;
}

std::optional<InputSpec> guessTensor(const std::string &name, const Block &block, const Attributes &attributes,
                                     std::set<ValueId> &values) {
  for (const Node &node : block.nodes) {
    if (std::optional<InputSpec> spec = specFrom(name, node, attributes, values))
      return spec;
    bool follows = llvm::any_of(node.operands, [&](const Operand &operand) { return usesValue(&operand, values); });
    if (follows && keepsShape(node.op))
      values.insert(node.results.begin(), node.results.end());
    for (const Block &inner : node.blocks)
      if (std::optional<InputSpec> spec = guessTensor(name, inner, attributes, values))
        return spec;
  }
  return std::nullopt;
}

/// What the file was traced with.
InputSpec tracedSpec(const std::string &name, const ValueInfo::TensorMeta &meta) {
  std::vector<int64_t> sizes;
  for (const auto &size : meta.sizes)
    sizes.push_back(std::get<int64_t>(size));
  return makeSpec(name, meta.dtype, sizes);
}

/// A constant that the value is compared with, anywhere in the method.
std::optional<int64_t> comparedWith(const Block &block, ValueId value) {
  for (const Node &node : block.nodes) {
    bool compares = node.op == "aten::eq" || node.op == "aten::ne" || node.op == "aten::remainder";
    if (compares && node.operands.size() == 2 && usesValue(&node.operands[0], {value}))
      if (std::optional<int64_t> constant = integer(&node.operands[1]))
        return constant;
    for (const Block &inner : node.blocks)
      if (std::optional<int64_t> constant = comparedWith(inner, value))
        return constant;
  }
  return std::nullopt;
}

/// Grows `sizes` by what the program asks about the tensor's rank and dims; 0: a dim that it only reads.
void askedSizes(const SourceGraph &graph, const Block &block, ValueId tensor, std::vector<int64_t> &sizes) {
  for (const Node &node : block.nodes) {
    bool asks = !node.operands.empty() && usesValue(&node.operands[0], {tensor}) && !node.results.empty();
    std::optional<int64_t> constant = asks ? comparedWith(graph.body, node.results[0]) : std::nullopt;
    if (asks && node.op == "aten::dim" && constant && *constant > 0 && *constant <= 8)
      sizes.resize(std::max<size_t>(sizes.size(), *constant));
    if (asks && node.op == "aten::size" && node.operands.size() == 2)
      if (std::optional<int64_t> dim = integer(&node.operands[1]); dim && *dim >= 0 && *dim < 8) {
        sizes.resize(std::max<size_t>(sizes.size(), *dim + 1));
        sizes[*dim] = constant.value_or(sizes[*dim]);
      }
    for (const Block &inner : node.blocks)
      askedSizes(graph, inner, tensor, sizes);
  }
}

InputSpec suggestTensor(const SourceGraph &graph, const Input &input, const Attributes &attributes) {
  std::set<ValueId> values = {input.value};
  if (std::optional<InputSpec> spec = guessTensor(input.name, graph.body, attributes, values))
    return *spec;
  llvm::StringRef name(input.name);
  if (name.contains("ids") || name.contains("token"))
    return makeSpec(input.name, ScalarType::I64, {1, sentence});
  if (name.contains("mask"))
    return makeSpec(input.name, ScalarType::Bool, {1, sentence});
  std::vector<int64_t> sizes;
  askedSizes(graph, graph.body, input.value, sizes);
  if (sizes.empty())
    sizes = {1, 512};
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 0)
      sizes[i] = i == 0 ? 1 : sentence;
  return makeSpec(input.name, ScalarType::F32, sizes);
}

std::string suggestBind(const SourceGraph &graph, const Input &input) {
  std::string value = llvm::StringSwitch<std::string>(input.type)
                          .Case("int", std::to_string(comparedWith(graph.body, input.value).value_or(1)))
                          .Case("float", "1.0")
                          .Case("bool", "True")
                          .Case("List[int]", "[1,1]")
                          .Case("List[float]", "[1.0,1.0]")
                          .Default("VALUE");
  return input.name + "=" + value;
}

/// Whether the argument holds tensors inside: they are given one by one, under their paths.
bool isNested(const Input &input) {
  llvm::StringRef type(input.type);
  return type.contains("Tensor") && type != "Tensor" && type != "Optional[Tensor]";
}

/// The keys by which the program reads the dict, anywhere in the method.
void keysOf(const Block &block, ValueId dict, std::vector<std::string> &keys) {
  for (const Node &node : block.nodes) {
    bool reads = (node.op == "aten::__getitem__" || node.op == "aten::get") && node.operands.size() >= 2;
    const Constant *key = reads && usesValue(&node.operands[0], {dict}) ? std::get_if<Constant>(&node.operands[1].value) : nullptr;
    const std::string *text = key ? std::get_if<std::string>(&key->value) : nullptr;
    if (text && !llvm::is_contained(keys, *text))
      keys.push_back(*text);
    for (const Block &inner : node.blocks)
      keysOf(inner, dict, keys);
  }
}

/// " --input 'pair.0=f32[1,512]' --input 'pair.1=f32[1,512]'"; the method says which elements there are as far as it does.
std::string suggestNested(const SourceGraph &graph, const Input &input) {
  std::vector<std::string> paths;
  if (llvm::StringRef(input.type).starts_with("Dict"))
    keysOf(graph.body, input.value, paths);
  else if (llvm::StringRef(input.type).starts_with("Tuple"))
    for (size_t i = 0; i < llvm::StringRef(input.type).count("Tensor"); ++i)
      paths.push_back(std::to_string(i));
  if (paths.empty())
    paths = {llvm::StringRef(input.type).starts_with("Dict") ? "KEY" : "0"};
  std::string text;
  for (const std::string &path : paths)
    text += " --input '" + input.name + "." + path + "=f32[1,512]'";
  return text;
}

bool isNumber(const Input &input) { return input.type == "int" || input.type == "float" || input.type == "bool"; }

/// Whether a spec names a part of the argument, "xs.0".
bool describesInside(const CompileOptions &options, const Input &input) {
  auto isInside = [&](const std::string &name) { return llvm::StringRef(name).starts_with(input.name + "."); };
  return llvm::any_of(options.inputs, [&](const InputSpec &spec) { return isInside(spec.name); }) ||
         llvm::any_of(options.binds, [&](const BindSpec &bind) { return isInside(bind.name); });
}

template <typename Spec> const Spec *specFor(const std::vector<Spec> &specs, const Input &input, size_t position) {
  auto found = llvm::find_if(specs, [&](const Spec &spec) {
    return spec.name == input.name || spec.name == "in" + std::to_string(position);
  });
  return found == specs.end() ? nullptr : &*found;
}

/// " --input 'xs.0=…'" for what is given of a nested argument; empty: nothing.
std::string givenInside(const std::vector<InputSpec> &specs, const Input &input) {
  std::string text;
  for (const InputSpec &spec : specs)
    if (isNested(input) && llvm::StringRef(spec.name).starts_with(input.name + "."))
      text += " --input '" + toString(spec) + "'";
  return text;
}

/// " There is no argument z, w." for names in `specs` that are no argument's.
template <typename Spec> std::string unknownNames(const SourceGraph &graph, const std::vector<Spec> &specs) {
  std::string names;
  for (const Spec &spec : specs) {
    bool known = false;
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      known |= spec.name == graph.inputs[i].name || spec.name == "in" + std::to_string(i) ||
               llvm::StringRef(spec.name).starts_with(graph.inputs[i].name + ".");
    if (!known)
      names += (names.empty() ? "" : ", ") + spec.name;
  }
  return names.empty() ? "" : " There is no argument " + names + ".";
}

} // namespace

std::optional<std::string> suggestInputs(const SourceGraph &graph, const CompileOptions &options) {
  Attributes attributes(graph);
  std::vector<std::optional<ValueInfo::TensorMeta>> traced = readTracedInputs(options.path, options.method);
  std::string missing, line = "graphc " + options.path;
  if (options.method != "forward")
    line += " --method " + options.method;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Input &input = graph.inputs[i];
    const InputSpec *spec = specFor(options.inputs, input, i);
    const BindSpec *bind = specFor(options.binds, input, i);
    std::string inside = givenInside(options.inputs, input);
    line += inside;
    if (!inside.empty())
      continue;
    if (spec)
      line += " --input '" + toString(*spec) + "'";
    else if (bind)
      line += " --bind '" + bind->name + "=" + bind->text + "'";
    else if (input.defaultValue || (input.value < graph.values.size() && graph.values[input.value].tensor))
      continue; // a .pt2 records its tensors' dtypes and dims
    else if (i < traced.size() && traced[i])
      line += " --input '" + toString(tracedSpec(input.name, *traced[i])) + "'";
    else if (input.type == "Tensor" || input.type == "Optional[Tensor]")
      line += " --input '" + toString(suggestTensor(graph, input, attributes)) + "'";
    else if (isNumber(input) && !comparedWith(graph.body, input.value))
      continue; // an input of the program, unless something needs its value
    else if (isNested(input))
      line += describesInside(options, input) ? "" : suggestNested(graph, input);
    else
      line += " --bind " + suggestBind(graph, input);
    if (!spec && !bind && !(isNumber(input) && !options.inputs.empty()) && !describesInside(options, input))
      missing += (missing.empty() ? "" : ", ") + input.name + " (" + input.type + ")";
  }
  if (missing.empty())
    return std::nullopt;
  return "'" + options.path + "' does not say what it is called with: " + missing + "." +
         unknownNames(graph, options.inputs) + unknownNames(graph, options.binds) +
         " Type, with your dims (a number, or a letter for one that varies):\n  " + line;
}

} // namespace graphc::driver
