// Loads a TorchScript file with LibTorch and converts the inlined method node by node.
//
// Input: path and method name. Output: ImportResult, through the C symbol at the end of this file. Of LibTorch's optimiser only Inline runs: what it would fold or
// rewrite is graphc's to decide. prim::Constant nodes become inline constants; everything else stays as the file has it.
#include "frontend/torchscript/Import.h"

#include "frontend/torchscript/ConvertFile.h"
#include "frontend/torchscript/ConvertValues.h"
#include "frontend/torchscript/Locator.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/serialization/import.h>

#include <tuple>

using namespace graphc::frontend;
using namespace graphc::frontend::torchscript;
namespace jit = torch::jit;

namespace {

void collectAttributeNames(jit::Block *block, std::set<std::string> &names) {
  for (jit::Node *node : block->nodes()) {
    if (node->kind() == c10::prim::GetAttr || node->kind() == c10::prim::SetAttr)
      names.insert(node->s(c10::attr::name));
    for (jit::Block *inner : node->blocks())
      collectAttributeNames(inner, names);
  }
}

class GraphConverter {
public:
  GraphConverter(SourceGraph &result, jit::Graph &graph, ValueConverter &values, Locator &locator)
      : result(result), graph(graph), values(values), locator(locator) {
    result.locations.emplace_back();
  }

  void run(const c10::FunctionSchema &schema) {
    result.self = addValue(graph.inputs()[0]);
    for (size_t i = 1; i < graph.inputs().size(); ++i)
      addInput(graph.inputs()[i], schema.arguments().at(i));
    result.body.nodes = convertNodes(graph.block());
    for (jit::Value *output : graph.outputs()) {
      result.body.outputs.push_back(operandFor(output, "", nullptr));
      flattenOutput(output, "");
    }
  }

  std::unordered_map<const jit::Value *, ValueId> takeIds() { return std::move(ids); }

private:
  ValueId addValue(jit::Value *value) {
    ValueId id = static_cast<ValueId>(result.values.size());
    ids[value] = id;
    result.values.push_back({value->debugName(), value->type()->annotation_str(), std::nullopt});
    return id;
  }

  /// As annotations spell it, but with the fields of named tuples: "NamedTuple[x: Tensor, n: int]".
  static std::string typeText(const c10::TypePtr &type) {
    auto tuple = type->cast<c10::TupleType>();
    if (!tuple || !tuple->schema())
      return type->annotation_str();
    std::string text;
    for (const c10::Argument &field : tuple->schema()->arguments())
      text += (text.empty() ? "" : ", ") + field.name() + ": " + typeText(field.type());
    return "NamedTuple[" + text + "]";
  }

  void addInput(jit::Value *value, const c10::Argument &argument) {
    Input input;
    input.name = argument.name();
    input.value = addValue(value);
    input.type = typeText(value->type());
    if (argument.default_value())
      input.defaultValue = values.convert(*argument.default_value(), "the default of argument " + input.name);
    result.inputs.push_back(std::move(input));
  }

  std::vector<Node> convertNodes(jit::Block *block) {
    std::vector<Node> nodes;
    for (jit::Node *node : block->nodes())
      if (!isInlineConstant(node))
        nodes.push_back(convertNode(node));
    return nodes;
  }

  /// Constants of a function type (what Inline leaves of a call that it resolved) have no value; nothing may use them.
  static bool isInlineConstant(jit::Node *node) {
    return node->kind() == c10::prim::Constant &&
           (jit::toIValue(node->output()).has_value() || !node->output()->hasUses());
  }

  Node convertNode(jit::Node *node) {
    Node out;
    out.op = node->kind().toQualString();
    const c10::FunctionSchema *schema = node->maybeSchema();
    if (schema)
      out.overload = schema->overload_name();
    out.location = addLocation(locator.locate(node));
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const c10::Argument *argument =
          schema && i < schema->arguments().size() ? &schema->arguments()[i] : nullptr;
      out.operands.push_back(operandFor(node->inputs()[i], argument ? argument->name() : "", argument));
    }
    convertAttributes(node, out);
    for (jit::Block *inner : node->blocks()) {
      Block block;
      for (jit::Value *input : inner->inputs())
        block.inputs.push_back(addValue(input));
      block.nodes = convertNodes(inner);
      for (jit::Value *output : inner->outputs())
        block.outputs.push_back(operandFor(output, "", nullptr));
      out.blocks.push_back(std::move(block));
    }
    for (jit::Value *output : node->outputs())
      out.results.push_back(addValue(output));
    return out;
  }

  Operand operandFor(jit::Value *value, const std::string &name, const c10::Argument *argument) {
    Operand operand;
    operand.name = name;
    if (value->node()->kind() != c10::prim::Constant) {
      operand.value = ids.at(value);
      return operand;
    }
    std::optional<c10::IValue> constant = jit::toIValue(value);
    if (!constant)
      throw ReadError("the constant %" + value->debugName() + " of type " + value->type()->annotation_str() +
                      " can't be used as a value");
    if (argument && constant->isInt())
      if (std::optional<EnumConstant> named = enumOfInteger(constant->toInt(), argument->real_type())) {
        operand.value = Constant{std::move(*named)};
        return operand;
      }
    operand.value = values.convert(*constant, "the constant %" + value->debugName());
    return operand;
  }

  void convertAttributes(jit::Node *node, Node &out) {
    for (c10::Symbol name : node->attributeNames()) {
      Constant &target = out.attributes[name.toUnqualString()];
      switch (node->kindOf(name)) {
      case jit::AttributeKind::s:
        target.value = node->s(name);
        break;
      case jit::AttributeKind::i:
        target.value = node->i(name);
        break;
      case jit::AttributeKind::f:
        target.value = node->f(name);
        break;
      case jit::AttributeKind::ty:
        target.value = node->ty(name)->annotation_str();
        break;
      case jit::AttributeKind::tys:
        target.value = typeNames(node->tys(name));
        break;
      default: // subgraphs of fork, tensors of optimised graphs: the builder refuses such nodes by name
        target.value = EnumConstant{EnumConstant::Kind::Other, jit::toString(node->kindOf(name))};
      }
    }
  }

  static ConstantList typeNames(const std::vector<c10::TypePtr> &types) {
    ConstantList list;
    for (const c10::TypePtr &type : types)
      list.elements.push_back({type->annotation_str()});
    return list;
  }

  LocationId addLocation(SourceLocation location) {
    auto key = std::make_tuple(location.file, location.line, location.column, location.modulePath);
    auto [it, inserted] = locationIds.try_emplace(key, static_cast<LocationId>(result.locations.size()));
    if (inserted)
      result.locations.push_back(std::move(location));
    return it->second;
  }

  /// Tuples, lists and dicts built right where they are returned, as long as nothing else can change them.
  void flattenOutput(jit::Value *value, const std::string &path) {
    jit::Node *node = value->node();
    auto child = [&](const std::string &name) { return path.empty() ? name : path + "." + name; };
    bool atTop = node->owningBlock() == graph.block();
    bool unchanged = value->uses().size() == 1;
    if (atTop && node->kind() == c10::prim::TupleConstruct) {
      auto type = value->type()->cast<c10::TupleType>();
      for (size_t i = 0; i < node->inputs().size(); ++i)
        flattenOutput(node->inputs()[i],
                      child(type && type->schema() ? type->schema()->arguments()[i].name() : std::to_string(i)));
    } else if (atTop && unchanged && node->kind() == c10::prim::ListConstruct) {
      for (size_t i = 0; i < node->inputs().size(); ++i)
        flattenOutput(node->inputs()[i], child(std::to_string(i)));
    } else if (atTop && unchanged && node->kind() == c10::prim::DictConstruct && hasStringKeys(node)) {
      for (size_t i = 0; i + 1 < node->inputs().size(); i += 2)
        flattenOutput(node->inputs()[i + 1], child(jit::toIValue(node->inputs()[i])->toStringRef()));
    } else {
      result.outputs.push_back({path, operandFor(value, "", nullptr)});
    }
  }

  static bool hasStringKeys(jit::Node *dict) {
    for (size_t i = 0; i < dict->inputs().size(); i += 2) {
      std::optional<c10::IValue> key = jit::toIValue(dict->inputs()[i]);
      if (!key || !key->isString())
        return false;
    }
    return true;
  }

  SourceGraph &result;
  jit::Graph &graph;
  ValueConverter &values;
  Locator &locator;
  std::unordered_map<const jit::Value *, ValueId> ids;
  std::map<std::tuple<std::string, uint32_t, uint32_t, std::string>, LocationId> locationIds;
};

jit::Method findMethod(const jit::Module &module, const std::string &name) {
  if (std::optional<jit::Method> method = module.find_method(name))
    return *method;
  std::string known;
  for (const jit::Method &method : module.get_methods())
    known += (known.empty() ? "" : ", ") + method.name();
  throw ReadError("the module has no method \"" + name + "\"; " +
                  (known.empty() ? "it has none at all" : "it has: " + known));
}

} // namespace

ConvertedFile graphc::frontend::torchscript::convertFile(const std::string &path, const std::string &methodName) {
  ConvertedFile file{jit::load(path, c10::Device(c10::kCPU)), nullptr, {}, {}};
  file.module.eval();
  jit::Method method = findMethod(file.module, methodName);
  if (!file.module._ivalue()->type()->getForwardHooks().empty() ||
      !file.module._ivalue()->type()->getForwardPreHooks().empty())
    throw ReadError("the root module has forward hooks, which graphc doesn't run; save it without them");
  file.inlined = method.graph()->copy();
  jit::Inline(*file.inlined);

  file.source.fileName = path;
  file.source.method = methodName;
  std::set<std::string> attributesRead;
  collectAttributeNames(file.inlined->block(), attributesRead);
  ValueConverter values(file.source, std::move(attributesRead));
  values.addObject(file.module._ivalue(), "");
  Locator locator(values, file.module._ivalue().get(), path);
  GraphConverter converter(file.source, *file.inlined, values, locator);
  converter.run(method.function().getSchema());
  file.ids = converter.takeIds();
  return file;
}

namespace {

/// The first paragraph of torch's message: no C++ frames, no exception class, one trailing full stop less.
std::string cleaned(const std::string &message) {
  std::string text = message.substr(0, message.find("\nException raised from"));
  size_t last = text.find_last_not_of(" \n\t:");
  return last == std::string::npos ? "LibTorch gave no reason" : text.substr(0, last + 1);
}

std::string describe(const std::string &message) {
  std::string text = cleaned(message);
  for (const char *unknown : {"Unknown builtin op: ", "Unknown type name '__torch__.torch.classes."}) {
    size_t at = text.find(unknown);
    if (at == std::string::npos)
      continue;
    std::string name = text.substr(at + strlen(unknown));
    name = name.substr(0, name.find_first_of("'\n ("));
    while (!name.empty() && name.back() == '.')
      name.pop_back();
    return "the model uses the custom " + std::string(unknown[8] == 'b' ? "operator " : "class ") + name +
           ", which is registered by a library of its own; graphc compiles PyTorch's operators only";
  }
  return "LibTorch can't read it: " + text;
}

} // namespace

std::string graphc::frontend::torchscript::textOfThrown(const std::function<void()> &action) {
  try {
    action();
    return "";
  } catch (const ReadError &error) {
    return error.what();
  } catch (const c10::Error &error) {
    return describe(error.what_without_backtrace());
  } catch (const std::exception &error) {
    return describe(error.what());
  } catch (...) {
    return "LibTorch failed for an unknown reason";
  }
}

extern "C" __attribute__((visibility("default"))) void
graphcImportTorchScript(const std::string &path, const std::string &method, ImportResult &result) {
  result.error = textOfThrown([&] { result.graph = convertFile(path, method).source; });
}
