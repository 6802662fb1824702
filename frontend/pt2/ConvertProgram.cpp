// The frame of an exported program: version, signature, inputs and outputs by their pytree paths, symbols, guards.
//
// Parameters, buffers and constants become attributes of one root object, read by prim::GetAttr at the start of the body;
// mutations that only the signature tells are written back at its end: buffers by prim::SetAttr, inputs by aten::copy_.
#include "frontend/pt2/ConvertProgram.h"

#include "frontend/Location.h"
#include "frontend/pt2/PyTree.h"
#include "frontend/pt2/SymbolicExpression.h"

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr int64_t supportedMajor = 8;

NamedTupleFields namedTupleFields(const json::Object &module) {
  NamedTupleFields result;
  for (const auto &entry : objectOf(&module, "treespec_namedtuple_fields"))
    for (const json::Value &field : arrayOf(entry.second.getAsObject(), "field_names"))
      result[StringRef(entry.first)].push_back(field.getAsString().value_or("").str());
  return result;
}

/// The call signature of the root module; nullptr when the file has none.
const json::Object *rootSignature(const json::Object &module) {
  for (const json::Value &value : arrayOf(&module, "module_call_graph")) {
    const json::Object *call = value.getAsObject();
    if (call && call->getString("fqn") == StringRef(""))
      return call->getObject("signature");
  }
  return nullptr;
}

/// Whether an input spec stands for a leaf of the inputs' pytree.
bool isUserLeaf(StringRef kind) { return kind == "user_input" || kind == "constant_input"; }

} // namespace

Error ProgramConverter::checkVersion(const Object &program) {
  const json::Object *version = program.getObject("schema_version");
  std::optional<int64_t> major = version ? version->getInteger("major") : std::nullopt;
  std::optional<int64_t> minor = version ? version->getInteger("minor") : std::nullopt;
  if (!major || !minor)
    return failure("the program has no schema version");
  if (*major != supportedMajor)
    return failure("schema version " + std::to_string(*major) + "." + std::to_string(*minor) + "; version " +
                   std::to_string(supportedMajor) + ".x can be read");
  graph.producer = "torch.export, schema " + std::to_string(*major) + "." + std::to_string(*minor);
  if (StringRef torch = stringOf(&program, "torch_version"); !torch.empty())
    graph.producer += ", torch " + torch.str();
  return Error::success();
}

Error ProgramConverter::run(const Value &value) {
  const json::Object *program = value.getAsObject();
  if (!program)
    return failure("the program isn't a JSON object");
  if (Error error = checkVersion(*program))
    return error;
  const json::Object *module = program->getObject("graph_module");
  const json::Object *body = module ? module->getObject("graph") : nullptr;
  if (!body || !module->getObject("signature"))
    return failure("the program has no graph or no signature");
  graph.locations.emplace_back();
  graph.objects.push_back({"torch.export.ExportedProgram", "", {}, false});
  graph.self = addValue("self", "Module");
  top.graph = body;
  if (Error error = convertInputs(*module))
    return error;
  if (Error error = convertNodes(*body, top))
    return error;
  if (Error error = convertOutputs(*module))
    return error;
  for (Node &mutation : mutations)
    graph.body.nodes.push_back(std::move(mutation));
  if (Error error = convertGuards(*program))
    return error;
  addSymbols(*program);
  fillLocations();
  return Error::success();
}

/// Names of the user's inputs or outputs in order; empty when the file doesn't say.
std::vector<std::string> ProgramConverter::pathsOf(const Object &module, bool ofInputs) const {
  const json::Object *signature = rootSignature(module);
  StringRef spec = stringOf(signature, ofInputs ? "in_spec" : "out_spec");
  if (spec.empty())
    return {};
  NamedTupleFields fields = namedTupleFields(module);
  std::vector<std::string> names;
  for (const Value &name : arrayOf(signature, "forward_arg_names"))
    names.push_back(name.getAsString().value_or("").str());
  Expected<std::vector<std::string>> paths =
      ofInputs ? inputLeafPaths(spec, names, fields) : leafPaths(spec, fields);
  if (paths)
    return std::move(*paths);
  llvm::consumeError(paths.takeError()); // names are a convenience: the program's own serve as well
  return {};
}

Error ProgramConverter::convertInputs(const Object &module) {
  const json::Array *specs = module.getObject("signature")->getArray("input_specs");
  if (!specs)
    return failure("the signature has no input_specs");
  size_t leaves = 0, next = 0;
  for (const Value &spec : *specs)
    leaves += isUserLeaf(unionOf(&spec).first);
  inputPaths = pathsOf(module, /*ofInputs=*/true);
  if (inputPaths.size() != leaves)
    inputPaths.assign(leaves, "");
  // The user's inputs come first, so that their values have the smallest ids whatever the number of parameters.
  for (const Value &spec : *specs)
    if (isUserLeaf(unionOf(&spec).first))
      if (Error error = convertInput(spec, inputPaths[next++]))
        return error;
  for (const Value &spec : *specs)
    if (!isUserLeaf(unionOf(&spec).first))
      if (Error error = convertInput(spec, ""))
        return error;
  return Error::success();
}

Error ProgramConverter::convertInput(const Value &spec, StringRef path) {
  auto [kind, payload] = unionOf(&spec);
  const json::Object *object = payload ? payload->getAsObject() : nullptr;
  if (!object)
    return failure("malformed input spec");
  if (kind == "parameter")
    return addParameter(*object, "parameter_name", Attribute::Role::Parameter);
  if (kind == "buffer")
    return addParameter(*object, "buffer_name", Attribute::Role::Buffer);
  if (kind == "tensor_constant")
    return addParameter(*object, "tensor_constant_name", Attribute::Role::Plain);
  if (kind == "constant_input") // exporting has built its value in
    return Error::success();
  if (kind == "user_input" && object->get("arg"))
    return convertUserInput(*object->get("arg"), path);
  if (kind == "custom_obj")
    return failure("the custom object " + stringOf(object, "custom_obj_name").str() + " can't be compiled");
  return failure("an input of the kind \"" + kind.str() + "\", which graphc doesn't support");
}

Error ProgramConverter::addParameter(const Object &spec, StringRef nameKey, Attribute::Role role) {
  StringRef name = stringOf(&spec, nameKey), argument = stringOf(spec.getObject("arg"), "name");
  if (name.empty() || argument.empty())
    return failure("malformed input spec for a " + nameKey.str());
  Expected<TensorData> tensor = archive.tensor(name);
  if (!tensor)
    return tensor.takeError();
  Attribute attribute;
  attribute.name = name.str();
  attribute.type = "Tensor";
  attribute.role = role;
  attribute.persistent = spec.getBoolean("persistent").value_or(true);
  attribute.value.value = std::move(*tensor);
  Expected<ValueId> id = addTensorValue(argument, top);
  if (!id)
    return id.takeError();
  if (graph.values[*id].tensor)
    attribute.requiresGrad = graph.values[*id].tensor->requiresGrad;
  graph.objects[0].attributes.push_back(std::move(attribute));
  top.names[argument] = {"", *id};
  Node node;
  node.op = "prim::GetAttr";
  node.operands.push_back({"", *graph.self});
  node.results.push_back(*id);
  node.attributes["name"].value = name.str();
  SourceLocation location;
  location.modulePath = name.contains('.') ? name.rsplit('.').first.str() : "";
  node.location = static_cast<LocationId>(graph.locations.size());
  graph.locations.push_back(std::move(location));
  graph.body.nodes.push_back(std::move(node));
  return Error::success();
}

Error ProgramConverter::convertUserInput(const Value &argument, StringRef path) {
  auto [kind, payload] = unionOf(&argument);
  const json::Object *object = payload ? payload->getAsObject() : nullptr;
  Input input;
  StringRef name = stringOf(object, kind == "as_tensor" ? "name" : "as_name");
  if (name.empty()) // a number or None that exporting has built in
    return kind == "as_custom_obj" ? failure("an input is a custom object, which can't be compiled")
                                   : Error::success();
  input.name = path.empty() ? name.str() : path.str();
  if (kind == "as_tensor") {
    Expected<ValueId> id = addTensorValue(name, top);
    if (!id)
      return id.takeError();
    input.value = *id;
    input.type = "Tensor";
    if (!graph.values[*id].tensor)
      return failure("the input " + input.name + " has a dtype that graphc doesn't have (complex or 8-bit float)");
  } else {
    input.type = kind == "as_sym_float" ? "float" : kind == "as_sym_bool" ? "bool" : "int";
    input.value = addValue(name, input.type);
    const json::Object *symbols = top.graph->getObject("sym_int_values");
    if (const Value *expression = symbols && input.type == "int" ? symbols->get(name) : nullptr) {
      Expected<std::variant<int64_t, std::string>> size = symbolicSize(*expression);
      if (!size)
        return size.takeError();
      if (const auto *text = std::get_if<std::string>(&*size))
        input.symbol = *text;
    }
  }
  top.names[name] = {"", input.value};
  graph.inputs.push_back(std::move(input));
  return Error::success();
}

Error ProgramConverter::convertOutputs(const Object &module) {
  const json::Array *specs = module.getObject("signature")->getArray("output_specs");
  if (!specs)
    return failure("the signature has no output_specs");
  size_t leaves = 0, next = 0;
  for (const Value &spec : *specs)
    leaves += unionOf(&spec).first == "user_output";
  std::vector<std::string> paths = pathsOf(module, /*ofInputs=*/false);
  if (paths.size() != leaves)
    paths.assign(leaves, "");
  for (const Value &spec : *specs) {
    auto [kind, payload] = unionOf(&spec);
    const json::Object *object = payload ? payload->getAsObject() : nullptr;
    if (!object || !object->get("arg"))
      return failure("malformed output spec");
    if (Error error = convertOutput(kind, *object, paths, next))
      return error;
  }
  return Error::success();
}

Error ProgramConverter::convertOutput(StringRef kind, const Object &payload, std::vector<std::string> &paths,
                                      size_t &nextPath) {
  // A mutation's argument is a bare {"name": …}, an output's is a union.
  const json::Object *bare = payload.getObject("arg");
  Expected<Operand> value =
      bare && bare->getString("name") ? lookUp(*bare->getString("name"), top) : convertArgument(*payload.get("arg"), top);
  if (!value)
    return failure("an output: " + llvm::toString(value.takeError()));
  if (kind == "user_output") {
    graph.outputs.push_back({paths[nextPath++], *value});
    graph.body.outputs.push_back(std::move(*value));
    return Error::success();
  }
  Node node;
  if (kind == "buffer_mutation" || kind == "parameter_mutation") {
    node.op = "prim::SetAttr";
    node.operands = {{"", *graph.self}, std::move(*value)};
    node.attributes["name"].value =
        stringOf(&payload, kind == "buffer_mutation" ? "buffer_name" : "parameter_name").str();
  } else if (kind == "user_input_mutation") {
    Expected<Operand> input = lookUp(stringOf(&payload, "user_input_name"), top);
    if (!input)
      return input.takeError();
    node.op = "aten::copy_";
    node.operands = {std::move(*input), std::move(*value), {"non_blocking", Constant{false}}};
    node.operands[0].name = "self";
    node.operands[1].name = "src";
    node.results.push_back(addValue("", "Tensor"));
  } else {
    return failure("an output of the kind \"" + kind.str() +
                   "\", which graphc doesn't support; expected an inference program");
  }
  node.location = static_cast<LocationId>(graph.locations.size());
  graph.locations.emplace_back();
  mutations.push_back(std::move(node));
  return Error::success();
}

Error ProgramConverter::convertGuards(const Object &program) {
  auto sizeOf = [&](StringRef path, std::optional<uint64_t> dim) -> std::optional<std::string> {
    size_t leaf = 0; // a strict export numbers the leaves of the inputs instead
    if (path.consume_front("flat_args.") && !path.getAsInteger(10, leaf) && leaf < inputPaths.size())
      path = inputPaths[leaf];
    std::string asName = path.str(); // of *inputs: L['inputs'][0] is the placeholder inputs_0
    std::replace(asName.begin(), asName.end(), '.', '_');
    for (const Input &input : graph.inputs) {
      const auto &tensor = graph.values[input.value].tensor;
      if (input.name != path && input.name != asName)
        continue;
      if (!dim && !input.symbol.empty())
        return input.symbol;
      if (!dim || !tensor || *dim >= tensor->sizes.size())
        continue;
      const auto &size = tensor->sizes[*dim];
      return std::holds_alternative<int64_t>(size) ? std::to_string(std::get<int64_t>(size))
                                                   : std::get<std::string>(size);
    }
    return std::nullopt;
  };
  for (const Value &value : arrayOf(&program, "guards_code")) {
    std::string text = value.getAsString().value_or("").str();
    Expected<SymbolicTree> tree = parsePythonGuard(text, sizeOf);
    Expected<std::vector<DimGuard>> converted = tree ? guardsOf(*tree) : tree.takeError();
    if (!converted)
      return failure("the program is valid only where " + text + ", which graphc can't check: " +
                     llvm::toString(converted.takeError()));
    for (DimGuard &guard : *converted) {
      if (guard.text.empty())
        guard.text = text;
      addGuard(std::move(guard));
    }
  }
  return Error::success();
}

void ProgramConverter::addGuard(DimGuard guard) {
  bool isTrivial = guard.lhs == guard.rhs && guard.comparison.find('=') != std::string::npos && guard.comparison != "!=";
  bool isKnown = llvm::any_of(graph.guards, [&](const DimGuard &known) {
    return known.lhs == guard.lhs && known.comparison == guard.comparison && known.rhs == guard.rhs;
  });
  if (!isTrivial && !isKnown)
    graph.guards.push_back(std::move(guard));
}

void ProgramConverter::addSymbols(const Object &program) {
  const json::Object *ranges = program.getObject("range_constraints");
  constexpr int64_t unbounded = INT64_MAX - 1; // sympy's int_oo as the writer clamps it
  for (const auto &[name, isNonNegative] : symbolsSeen) {
    Symbol symbol;
    symbol.name = name;
    if (const json::Object *range = ranges ? ranges->getObject(name) : nullptr) {
      symbol.min = std::max<int64_t>(0, range->getInteger("min_val").value_or(0));
      symbol.max = range->getInteger("max_val");
      if (symbol.max && *symbol.max >= unbounded)
        symbol.max.reset();
    }
    for (const Input &input : graph.inputs) {
      const auto &tensor = graph.values[input.value].tensor;
      for (size_t dim = 0; tensor && dim < tensor->sizes.size() && symbol.origin.empty(); ++dim)
        if (const std::string *size = std::get_if<std::string>(&tensor->sizes[dim]); size && *size == name)
          symbol.origin = "input " + input.name + ", dim " + std::to_string(dim);
    }
    graph.symbols.push_back(std::move(symbol));
  }
}

/// Nodes whose own frames are all torch's take the line of a user, else of a producer, else of the node before them.
void ProgramConverter::fillLocations() {
  std::vector<LocationId> ofUser(graph.values.size(), 0), ofProducer(graph.values.size(), 0);
  auto isKnown = [&](LocationId id) { return !graph.locations[id].file.empty(); };
  auto borrow = [&](Node &node, LocationId from) {
    if (isKnown(node.location) || !isKnown(from))
      return;
    std::string path = graph.locations[node.location].modulePath;
    graph.locations[node.location] = graph.locations[from];
    graph.locations[node.location].modulePath = std::move(path);
  };
  auto forEachOperand = [](auto &self, const OperandList &operands, auto visit) -> void {
    for (const Operand &operand : operands) {
      if (const ValueId *id = std::get_if<ValueId>(&operand.value))
        visit(*id);
      else if (const OperandList *inner = std::get_if<OperandList>(&operand.value))
        self(self, *inner, visit);
    }
  };
  for (auto node = graph.body.nodes.rbegin(); node != graph.body.nodes.rend(); ++node) {
    for (ValueId result : node->results)
      borrow(*node, ofUser[result]);
    if (isKnown(node->location))
      forEachOperand(forEachOperand, node->operands, [&](ValueId id) { ofUser[id] = node->location; });
  }
  LocationId last = 0;
  for (Node &node : graph.body.nodes) {
    forEachOperand(forEachOperand, node.operands, [&](ValueId id) { borrow(node, ofProducer[id]); });
    borrow(node, last);
    if (!isKnown(node.location)) {
      graph.locations[node.location].file = graph.fileName;
      continue;
    }
    last = node.location;
    for (ValueId result : node.results)
      ofProducer[result] = node.location;
  }
}
