// Nodes of an exported program: targets, arguments, results, source lines.
//
// A node of the file becomes a Node with all arguments of its ATen schema, in order, defaults filled in. A result that is a
// list of tensors becomes one list value and a prim::ListUnpack, as TorchScript writes it. wrap_with_set_grad_enabled and
// wrap_with_autocast are inlined; other higher-order operators stay as nodes of that name, which the builder reports.
#include "frontend/pt2/ConvertProgram.h"

#include "frontend/Location.h"
#include "frontend/aten/AtenSchema.h"
#include "frontend/pt2/SymbolicExpression.h"

#include "llvm/ADT/StringSwitch.h"

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr unsigned maxSubgraphDepth = 50;

/// The name in {"as_tensor": {"name": …}} or {"as_sym_int": {"as_name": …}}; empty for constants.
StringRef nameOf(const json::Value &argument) {
  auto [kind, payload] = unionOf(&argument);
  const json::Object *object = payload ? payload->getAsObject() : nullptr;
  return stringOf(object, kind == "as_tensor" ? "name" : "as_name");
}

/// Pieces between `separator`s that aren't inside brackets or quotes.
std::vector<StringRef> splitOutside(StringRef text, char separator) {
  std::vector<StringRef> pieces;
  size_t start = 0;
  int brackets = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    brackets += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c != separator || brackets > 0)
      continue;
    pieces.push_back(text.slice(start, i));
    start = i + 1;
  }
  pieces.push_back(text.substr(start));
  return pieces;
}

/// The path of the innermost module out of "key,path,type;key,path,type".
std::string modulePath(StringRef stack) {
  std::vector<StringRef> fields = splitOutside(splitOutside(stack, ';').back(), ',');
  StringRef path = fields.size() > 1 ? fields[1] : "";
  if (path.starts_with("_empty_nn_module_stack"))
    return "";
  path.consume_front("L['self']");
  path.consume_front(".");
  return path.str();
}

EnumConstant memoryFormat(int64_t number) {
  static constexpr const char *names[] = {"contiguous_format", "channels_last", "channels_last_3d", "preserve_format"};
  bool isKnown = number >= 1 && number <= 4;
  return {EnumConstant::Kind::MemoryFormat, isKnown ? names[number - 1] : "memory_format " + std::to_string(number)};
}

EnumConstant layout(int64_t number) {
  return {EnumConstant::Kind::Layout, number == 7 ? "strided" : "layout " + std::to_string(number)};
}

EnumConstant device(const json::Object &object) {
  std::string text = stringOf(&object, "type").str();
  if (std::optional<int64_t> index = object.getInteger("index"))
    text += ":" + std::to_string(*index);
  return {EnumConstant::Kind::Device, text};
}

} // namespace

Expected<Operand> ProgramConverter::lookUp(StringRef name, const Scope &scope) const {
  auto it = scope.names.find(name);
  if (it == scope.names.end())
    return failure("the value \"" + name.str() + "\" is used before it is defined");
  return it->second;
}

std::string ProgramConverter::typeOf(const Operand &operand) const {
  if (const ValueId *id = std::get_if<ValueId>(&operand.value))
    return graph.values[*id].type;
  const Constant *constant = std::get_if<Constant>(&operand.value);
  if (!constant)
    return "";
  return std::holds_alternative<int64_t>(constant->value)  ? "int"
         : std::holds_alternative<double>(constant->value) ? "float"
         : std::holds_alternative<bool>(constant->value)   ? "bool"
                                                           : "";
}

ValueId ProgramConverter::addValue(StringRef name, StringRef type) {
  graph.values.push_back({name.str(), type.str(), std::nullopt});
  return static_cast<ValueId>(graph.values.size() - 1);
}

Expected<std::variant<int64_t, std::string>> ProgramConverter::symbolicSize(const Value &size) {
  using Size = std::variant<int64_t, std::string>;
  auto [kind, payload] = unionOf(&size);
  if (kind == "as_int" && payload->getAsInteger())
    return Size(*payload->getAsInteger());
  const json::Object *object = kind == "as_expr" ? payload->getAsObject() : nullptr;
  if (!object || !object->getString("expr_str"))
    return failure("a size is neither a number nor an expression");
  Expected<SymbolicTree> tree = parseSympy(*object->getString("expr_str"));
  if (!tree)
    return tree.takeError();
  if (tree->kind == SymbolicTree::Kind::Rational && tree->denominator == 1)
    return Size(tree->numerator);
  std::vector<DimGuard> guards;
  Expected<std::string> text = infixOf(*tree, guards);
  if (!text)
    return text.takeError();
  for (DimGuard &guard : guards)
    addGuard(std::move(guard));
  forEachSymbol(*tree, [&](const SymbolicTree &symbol) { symbolsSeen[symbol.name] |= symbol.isNonNegative; });
  return Size(std::move(*text));
}

Expected<ValueInfo::TensorMeta> ProgramConverter::tensorMeta(const Object &meta, ScalarType dtype) {
  ValueInfo::TensorMeta result{dtype, {}, {}, meta.getBoolean("requires_grad").value_or(false)};
  for (auto [key, target] : {std::pair("sizes", &result.sizes), std::pair("strides", &result.strides)}) {
    const json::Array *sizes = meta.getArray(key);
    if (!sizes)
      return failure(std::string("its meta has no ") + key);
    for (const Value &size : *sizes) {
      Expected<std::variant<int64_t, std::string>> converted = symbolicSize(size);
      if (!converted)
        return converted.takeError();
      target->push_back(std::move(*converted));
    }
  }
  return result;
}

/// Tensors of dtypes that SourceGraph doesn't have (complex, 8-bit floats) get no meta: what makes them is reported as an
/// unsupported operator.
Expected<ValueId> ProgramConverter::addTensorValue(StringRef name, const Scope &scope) {
  ValueId id = addValue(name, "Tensor");
  const json::Object *metas = scope.graph->getObject("tensor_values");
  const json::Object *meta = metas ? metas->getObject(name) : nullptr;
  std::optional<int64_t> number = meta ? meta->getInteger("dtype") : std::nullopt;
  std::optional<ScalarType> dtype = number ? scalarTypeFromSchema(*number) : std::nullopt;
  if (!dtype)
    return id;
  Expected<ValueInfo::TensorMeta> converted = tensorMeta(*meta, *dtype);
  if (!converted)
    return failure("the tensor \"" + name.str() + "\": " + llvm::toString(converted.takeError()));
  graph.values[id].tensor = std::move(*converted);
  return id;
}

Expected<Operand> ProgramConverter::convertScalar(StringRef kind, const Value &payload, Scope &scope) {
  const json::Object *object = payload.getAsObject();
  auto constant = [](auto value) { return Operand{"", Constant{std::move(value)}}; };
  if (kind == "as_none")
    return Operand{"", Constant{}};
  if (kind == "as_tensor" && object)
    return lookUp(stringOf(object, "name"), scope);
  if (kind == "as_bool" && payload.getAsBoolean())
    return constant(*payload.getAsBoolean());
  if (kind == "as_int" && payload.getAsInteger())
    return constant(*payload.getAsInteger());
  if (kind == "as_float" && floatOf(payload))
    return constant(*floatOf(payload));
  if (kind == "as_string" && payload.getAsString())
    return constant(payload.getAsString()->str());
  if (kind == "as_name" && payload.getAsString())
    return lookUp(*payload.getAsString(), scope);
  if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool" || kind == "as_optional_tensor") {
    auto [innerKind, inner] = unionOf(&payload);
    if (!inner || innerKind.starts_with("as_sym") || innerKind == "as_optional_tensor")
      return failure("malformed argument " + kind.str());
    return convertScalar(innerKind, *inner, scope);
  }
  if (kind == "as_scalar_type" && payload.getAsInteger())
    return constant(EnumConstant{EnumConstant::Kind::ScalarType, scalarTypeTextFromSchema(*payload.getAsInteger())});
  if (kind == "as_memory_format" && payload.getAsInteger())
    return constant(memoryFormat(*payload.getAsInteger()));
  if (kind == "as_layout" && payload.getAsInteger())
    return constant(layout(*payload.getAsInteger()));
  if (kind == "as_device" && object)
    return constant(device(*object));
  if (kind == "as_graph" && object)
    return constant(EnumConstant{EnumConstant::Kind::Other, "graph " + stringOf(object, "name").str()});
  if (kind == "as_operator" && payload.getAsString())
    return constant(EnumConstant{EnumConstant::Kind::Other, "operator " + payload.getAsString()->str()});
  if (kind == "as_custom_obj" && object)
    return failure("it takes the custom object " + stringOf(object, "class_fqn").str() +
                   ", which graphc can't compile");
  return failure("an argument of the unknown kind \"" + kind.str() + "\"");
}

Expected<Operand> ProgramConverter::convertList(StringRef kind, const Value &payload, Scope &scope) {
  const json::Array *elements = payload.getAsArray();
  if (!elements)
    return failure("malformed argument " + kind.str());
  // Elements of as_ints are bare numbers, those of as_tensors bare {"name"}, those of as_sym_ints unions.
  StringRef bare = llvm::StringSwitch<StringRef>(kind)
                       .Case("as_tensors", "as_tensor")
                       .Case("as_ints", "as_int")
                       .Case("as_floats", "as_float")
                       .Case("as_bools", "as_bool")
                       .Case("as_strings", "as_string")
                       .Case("as_int_lists", "as_ints")
                       .Case("as_float_lists", "as_floats")
                       .Case("as_nested_tensors", "as_tensors")
                       .Default("");
  OperandList operands;
  ConstantList constants;
  for (const Value &element : *elements) {
    std::pair<StringRef, const Value *> item{bare, &element};
    if (bare.empty())
      item = unionOf(&element);
    if (!item.second)
      return failure("malformed element of " + kind.str());
    bool isList = item.first.ends_with("s") && item.first != "as_tensor";
    Expected<Operand> operand =
        isList ? convertList(item.first, *item.second, scope) : convertScalar(item.first, *item.second, scope);
    if (!operand)
      return operand;
    if (const Constant *constant = std::get_if<Constant>(&operand->value))
      constants.elements.push_back(*constant);
    operands.push_back(std::move(*operand));
  }
  if (constants.elements.size() == operands.size())
    return Operand{"", Constant{std::move(constants)}};
  return Operand{"", std::move(operands)};
}

Expected<Operand> ProgramConverter::convertArgument(const Value &argument, Scope &scope) {
  auto [kind, payload] = unionOf(&argument);
  if (!payload)
    return failure("malformed argument");
  bool isList = llvm::StringSwitch<bool>(kind)
                    .Cases({"as_tensors", "as_ints", "as_floats", "as_bools", "as_strings"}, true)
                    .Cases({"as_sym_ints", "as_sym_floats", "as_sym_bools", "as_optional_tensors"}, true)
                    .Cases({"as_int_lists", "as_float_lists", "as_nested_tensors"}, true)
                    .Default(false);
  return isList ? convertList(kind, *payload, scope) : convertScalar(kind, *payload, scope);
}

LocationId ProgramConverter::addLocation(const Object &node) {
  const json::Object *metadata = node.getObject("metadata");
  std::vector<SourceLocation> frames = parseTraceback(stringOf(metadata, "stack_trace").str());
  SourceLocation location;
  if (std::optional<SourceLocation> frame = innermostUserFrame(frames))
    location = std::move(*frame);
  location.modulePath = modulePath(stringOf(metadata, "nn_module_stack"));
  graph.locations.push_back(std::move(location));
  return static_cast<LocationId>(graph.locations.size() - 1);
}

Error ProgramConverter::convertNodes(const Object &graphObject, Scope &scope) {
  const json::Array *nodes = graphObject.getArray("nodes");
  if (!nodes)
    return failure("the program has no nodes");
  for (const Value &value : *nodes) {
    const json::Object *node = value.getAsObject();
    if (!node)
      return failure("a node isn't an object");
    if (Error error = convertNode(*node, scope))
      return error;
  }
  return Error::success();
}

Error ProgramConverter::convertNode(const Object &node, Scope &scope) {
  StringRef target = stringOf(&node, "target");
  Error error = target == "torch.ops.higher_order.wrap_with_set_grad_enabled" ? inlineSubgraph(node, scope, scope.autocast)
                : target == "torch.ops.higher_order.wrap_with_autocast"       ? inlineAutocast(node, scope)
                                                                              : convertOperation(node, scope);
  if (!error)
    return Error::success();
  std::string what = llvm::toString(std::move(error));
  if (StringRef(what).starts_with("node "))
    return failure(what);
  std::optional<SourceLocation> frame =
      innermostUserFrame(parseTraceback(stringOf(node.getObject("metadata"), "stack_trace").str()));
  std::string where = frame ? " at " + frame->file + ":" + std::to_string(frame->line) : "";
  return failure("node " + stringOf(&node, "name").str() + " (" + target.str() + ")" + where + ": " + what);
}

Error ProgramConverter::convertOperation(const Object &node, Scope &scope) {
  Node out;
  std::vector<std::string> types;
  const json::Array *inputs = node.getArray("inputs");
  if (!inputs)
    return failure("it has no inputs");
  for (const Value &value : *inputs) {
    const json::Object *input = value.getAsObject();
    const Value *argument = input ? input->get("arg") : nullptr;
    if (!argument)
      return failure("malformed input");
    Expected<Operand> operand = convertArgument(*argument, scope);
    if (!operand)
      return operand.takeError();
    operand->name = stringOf(input, "name").str();
    types.push_back(typeOf(*operand));
    out.operands.push_back(std::move(*operand));
  }
  const json::Array *outputs = node.getArray("outputs");
  StringRef resultKind = outputs && outputs->size() == 1 ? unionOf(&(*outputs)[0]).first : "";
  StringRef resultType = resultKind == "as_sym_int" ? "int" : resultKind == "as_sym_float" ? "float" : "";
  Target target = convertTarget(stringOf(&node, "target"), types, resultType);
  if (target.isAlias && out.operands.size() == 1 && resultKind.starts_with("as_sym")) {
    scope.names[nameOf((*outputs)[0])] = std::move(out.operands[0]);
    return Error::success();
  }
  out.op = std::move(target.op);
  out.overload = std::move(target.overload);
  out.location = addLocation(node);
  if (out.op == "prim::If")
    out = selectNode(std::move(out));
  else if (std::optional<AtenSchema> schema = findAtenSchema(out.op, out.overload))
    completeOperands(out, *schema);
  if (scope.autocast)
    if (Error error = applyAutocast(out, *scope.autocast))
      return error;
  return bindResults(node, out, scope);
}

/// torch.sym_ite(condition, a, b): an if whose branches are empty.
Node ProgramConverter::selectNode(Node &&out) {
  if (out.operands.size() != 3)
    return std::move(out);
  for (size_t i : {1, 2}) {
    Block block;
    out.operands[i].name.clear();
    block.outputs.push_back(out.operands[i]);
    out.blocks.push_back(std::move(block));
  }
  out.operands.resize(1);
  out.operands[0].name.clear();
  return std::move(out);
}

/// wrap_with_autocast(device, dtype, enabled, cache, graph, …). A region for another device changes nothing on the CPU.
Error ProgramConverter::inlineAutocast(const Object &node, Scope &scope) {
  const json::Array &inputs = arrayOf(&node, "inputs");
  auto argument = [&](size_t i) {
    const json::Object *input = i < inputs.size() ? inputs[i].getAsObject() : nullptr;
    return unionOf(input ? input->get("arg") : nullptr);
  };
  auto [deviceKind, device] = argument(0);
  auto [dtypeKind, dtype] = argument(1);
  auto [enabledKind, enabled] = argument(2);
  if (deviceKind != "as_string" || enabledKind != "as_bool" || !enabled->getAsBoolean())
    return failure("malformed autocast region");
  if (device->getAsString() != StringRef("cpu"))
    return inlineSubgraph(node, scope, scope.autocast);
  if (!*enabled->getAsBoolean())
    return inlineSubgraph(node, scope, std::nullopt);
  std::optional<ScalarType> low = ScalarType::BF16;
  if (dtypeKind == "as_scalar_type" && dtype->getAsInteger())
    low = scalarTypeFromSchema(*dtype->getAsInteger());
  if (low != ScalarType::BF16 && low != ScalarType::F16)
    return failure("autocast to a dtype other than bfloat16 and float16");
  return inlineSubgraph(node, scope, low);
}

/// A subgraph that only says under which mode it runs: its nodes take the node's place.
Error ProgramConverter::inlineSubgraph(const Object &node, Scope &scope, std::optional<ScalarType> autocast) {
  const json::Object *body = nullptr;
  std::vector<Operand> arguments;
  for (const Value &value : arrayOf(&node, "inputs")) {
    const json::Object *input = value.getAsObject();
    auto [kind, payload] = unionOf(input ? input->get("arg") : nullptr);
    if (!payload)
      return failure("malformed input");
    if (kind == "as_graph" && !body && payload->getAsObject()) {
      body = payload->getAsObject()->getObject("graph");
      continue;
    }
    if (!body)
      continue; // the mode
    Expected<Operand> operand = convertArgument(*input->get("arg"), scope);
    if (!operand)
      return operand.takeError();
    arguments.push_back(std::move(*operand));
  }
  const json::Array *formals = body ? body->getArray("inputs") : nullptr;
  const json::Array *results = body ? body->getArray("outputs") : nullptr;
  const json::Array *names = node.getArray("outputs");
  if (!formals || !results || !names || formals->size() != arguments.size() || results->size() != names->size())
    return failure("its subgraph doesn't fit its operands or results");
  if (++depth > maxSubgraphDepth)
    return failure("subgraphs nested deeper than " + std::to_string(maxSubgraphDepth));
  Scope inner;
  inner.graph = body;
  inner.autocast = autocast;
  for (size_t i = 0; i < arguments.size(); ++i)
    inner.names[nameOf((*formals)[i])] = std::move(arguments[i]);
  if (Error error = convertNodes(*body, inner))
    return error;
  --depth;
  for (size_t i = 0; i < results->size(); ++i) {
    Expected<Operand> result = convertArgument((*results)[i], inner);
    if (!result)
      return result.takeError();
    scope.names[nameOf((*names)[i])] = std::move(*result);
  }
  return Error::success();
}

Error ProgramConverter::bindResults(const Object &node, Node &out, Scope &scope) {
  const json::Array *outputs = node.getArray("outputs");
  if (!outputs)
    return failure("it has no outputs");
  std::vector<std::pair<ValueId, std::vector<ValueId>>> lists;
  for (const Value &value : *outputs) {
    auto [kind, payload] = unionOf(&value);
    if (!payload)
      return failure("malformed output");
    if (const json::Array *names = payload->getAsArray()) {
      if (Error error = bindList(*names, out, scope, lists))
        return error;
      continue;
    }
    const json::Object *object = payload->getAsObject();
    if (kind == "as_tensor" && object) {
      Expected<ValueId> id = addTensorValue(stringOf(object, "name"), scope);
      if (!id)
        return id.takeError();
      scope.names[stringOf(object, "name")] = {"", *id};
      out.results.push_back(*id);
      continue;
    }
    StringRef type = llvm::StringSwitch<StringRef>(kind)
                         .Case("as_sym_int", "int")
                         .Case("as_sym_float", "float")
                         .Case("as_sym_bool", "bool")
                         .Case("as_none", "NoneType")
                         .Default("");
    if (type.empty())
      return failure("an output of the unknown kind \"" + kind.str() + "\"");
    ValueId id = addValue(stringOf(object, "as_name"), type);
    if (object)
      scope.names[stringOf(object, "as_name")] = {"", id};
    out.results.push_back(id);
  }
  LocationId location = out.location;
  graph.body.nodes.push_back(std::move(out));
  for (auto &[list, elements] : lists) {
    Node unpack;
    unpack.op = "prim::ListUnpack";
    unpack.operands.push_back({"", list});
    unpack.results = std::move(elements);
    unpack.location = location;
    graph.body.nodes.push_back(std::move(unpack));
  }
  return Error::success();
}

Error ProgramConverter::bindList(const Array &names, Node &out, Scope &scope,
                                 std::vector<std::pair<ValueId, std::vector<ValueId>>> &lists) {
  ValueId list = addValue("", "List[Tensor]");
  std::vector<ValueId> elements;
  for (const Value &element : names) {
    const json::Object *object = element.getAsObject();
    if (!object || !object->getString("name"))
      return failure("an output that is a list of something else than tensors");
    Expected<ValueId> id = addTensorValue(*object->getString("name"), scope);
    if (!id)
      return id.takeError();
    scope.names[*object->getString("name")] = {"", *id};
    elements.push_back(*id);
  }
  out.results.push_back(list);
  lists.emplace_back(list, std::move(elements));
  return Error::success();
}
