// Attributes of module objects: parameters, buffers, plain values, and the ones that are state (DESIGN section 9).
//
// An attribute that the method assigns or changes in place is state. A run that finds a new one asks for a restart, so that
// the next run reads it by graph.read_state from the start.
#include "frontend/builder/Run.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

std::string StateValue::text() const {
  if (dynamic)
    return "number";
  if (!tensor)
    return kindOf(known) + " " + toText(known);
  std::string text;
  llvm::raw_string_ostream(text) << tensor;
  return text;
}

std::string builder::stateText(const State &state) {
  std::string text;
  for (const auto &[key, value] : state)
    text += std::to_string(key.object) + "." + key.name + "=" + value.text() + ";";
  return text;
}

Val Run::convert(const Constant &constant, const std::string &name) {
  return std::visit(
      [&](const auto &value) -> Val {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return None();
        else if constexpr (std::is_same_v<T, TensorData>)
          return programConstant(value, name);
        else if constexpr (std::is_same_v<T, SymbolicInt>) {
          std::string error;
          DimAttr dim = DimAttr::parseInfix(program.context, value.expression, error);
          if (!dim)
            e.fail("can't read the symbolic size '" + value.expression + "': " + error);
          return dim ? dimValue(dim) : Val(int64_t(0));
        } else if constexpr (std::is_same_v<T, EnumConstant>) {
          if (value.kind == EnumConstant::Kind::Device)
            return DeviceValue{value.text};
          if (value.kind == EnumConstant::Kind::ScalarType) {
            std::optional<ScalarType> type = scalarTypeFromText(value.text);
            return type ? Val(numberOf(*type)) : Val(EnumValue{value.text});
          }
          if (value.kind == EnumConstant::Kind::MemoryFormat)
            return int64_t(llvm::StringSwitch<int>(value.text)
                               .Case("contiguous_format", 0)
                               .Case("preserve_format", 1)
                               .Case("channels_last", 2)
                               .Default(3));
          if (value.kind == EnumConstant::Kind::Layout)
            return int64_t(value.text == "strided" ? 0 : 1);
          return EnumValue{value.text};
        } else if constexpr (std::is_same_v<T, ConstantList>) {
          if (value.kind == ConstantList::Kind::Dict) {
            auto dict = std::make_shared<DictValue>();
            for (size_t i = 0; i + 1 < value.elements.size(); i += 2)
              dict->entries.emplace_back(convert(value.elements[i], name), convert(value.elements[i + 1], name));
            return dict;
          }
          auto list = std::make_shared<ListValue>();
          list->kind = value.kind;
          list->fieldNames = value.fieldNames;
          for (size_t i = 0; i < value.elements.size(); ++i)
            list->elements.push_back(convert(value.elements[i], name + "." + std::to_string(i)));
          return list;
        } else
          return value;
      },
      constant.value);
}

/// A tensor that the program itself holds: a number where it is 0-d, a graph.constant where it is small.
Tensor Run::programConstant(const TensorData &data, const std::string &name) {
  int64_t count = 1;
  for (int64_t size : data.sizes)
    count *= size;
  Tensor tensor = constantTensor(data, name);
  if (count > 64)
    return tensor;
  tensor->storage->load = [this, data, name](Emitter &emitter) -> Value {
    return graph::ConstantOp::create(emitter.builder, emitter.loc, elementsOf(program.context, data, name));
  };
  if (data.sizes.empty())
    if (auto elements = e.denseElements(elementsOf(program.context, data, name)))
      tensor->known = elements->front();
  // `x * 2.5` is traced with the constant as a f64 tensor (ints: i64). The file can't tell it from a tensor of the program's own, and
  // LibTorch takes both for numbers.
  tensor->isNumber = data.sizes.empty() && (data.dtype == ScalarType::F64 || data.dtype == ScalarType::I64);
  return tensor;
}

static RankedTensorType typeOf(MLIRContext *context, const TensorData &data) {
  return RankedTensorType::get(data.sizes, elementType(context, data.dtype));
}

Tensor Run::attributeTensor(const AttributeKey &key, const frontend::Attribute &attribute, const TensorData &data) {
  std::string path = program.attributePath(key);
  std::string identity = std::to_string(reinterpret_cast<uintptr_t>(data.storage ? data.storage->data : nullptr)) + ":" +
                         std::to_string(data.offset);
  for (size_t d = 0; d < data.sizes.size(); ++d)
    identity += "," + std::to_string(data.sizes[d]) + "/" + std::to_string(data.strides[d]);
  Tensor tensor = constantTensor(data, path);
  if (data.storage && data.storage->size)
    if (std::shared_ptr<StorageCell> cell = parameterCells[identity].lock())
      tensor->storage = cell;
  parameterCells[identity] = tensor->storage;
  tensor->storage->origin = StorageCell::Origin::Attribute;
  tensor->storage->name = key.name;
  tensor->storage->object = key.object;
  tensor->requiresGrad = attribute.requiresGrad;
  return tensor;
}

/// A parameter (or a large constant) as a tensor whose graph.get appears where it is first read.
Tensor Run::constantTensor(const TensorData &data, const std::string &name) {
  auto tensor = std::make_shared<TensorState>();
  tensor->storage = std::make_shared<StorageCell>();
  tensor->storage->origin = StorageCell::Origin::Constant;
  tensor->type = typeOf(program.context, data);
  tensor->offset = e.dim(int64_t(0));
  for (int64_t stride : data.strides)
    tensor->strides.push_back(e.dim(stride));
  SmallVector<DimAttr> rowMajor;
  contiguousStrides(graph::getDims(tensor->type), rowMajor);
  tensor->storage->isContiguous = rowMajor == tensor->strides;
  tensor->storage->load = [this, data, name](Emitter &emitter) -> Value {
    RankedTensorType type = typeOf(program.context, data);
    FlatSymbolRefAttr symbol = program.parameter(data, name, false);
    return graph::GetOp::create(emitter.builder, emitter.loc, type, symbol);
  };
  return tensor;
}

Val Run::loadState(const AttributeKey &key, const frontend::Attribute &attribute, const StateValue &start) {
  if (!start.tensor && !start.dynamic)
    return start.known;
  auto tensor = std::make_shared<TensorState>();
  tensor->storage = std::make_shared<StorageCell>();
  tensor->storage->origin = StorageCell::Origin::Attribute;
  tensor->storage->name = key.name;
  tensor->storage->object = key.object;
  tensor->type = start.tensor;
  if (start.dynamic)
    tensor->type = RankedTensorType::get({}, elementType(program.context, start.known.is<double>() ? ScalarType::F64
                                                                         : start.known.is<bool>() ? ScalarType::Bool
                                                                                                  : ScalarType::I64));
  tensor->offset = e.dim(int64_t(0));
  contiguousStrides(graph::getDims(tensor->type), tensor->strides);
  FlatSymbolRefAttr symbol = program.stateSymbol(key, attribute.value);
  tensor->storage->load = [symbol, type = tensor->type](Emitter &emitter) -> Value {
    return graph::ReadStateOp::create(emitter.builder, emitter.loc, type, symbol);
  };
  stateAtStart[key] = tensor;
  if (!start.dynamic)
    return alias(tensor);
  auto kind = start.known.is<double>() ? TensorScalar::Kind::Float
              : start.known.is<bool>() ? TensorScalar::Kind::Bool
                                       : TensorScalar::Kind::Int;
  return TensorScalar{alias(tensor), kind};
}

Val Run::attribute(const AttributeKey &key) {
  auto found = attributes.find(key);
  if (found != attributes.end())
    return found->second;
  const frontend::Attribute *attribute = program.findAttribute(key);
  if (!attribute) {
    e.fail("the file has no attribute '" + program.attributePath(key) + "'");
    return Poison();
  }
  auto start = initial.find(key);
  Val value;
  if (start != initial.end())
    value = loadState(key, *attribute, start->second);
  else if (const auto *data = std::get_if<TensorData>(&attribute->value.value))
    value = attributeTensor(key, *attribute, *data);
  else
    value = convert(attribute->value, program.attributePath(key));
  attributes[key] = value;
  return value;
}

void Run::noteState(const AttributeKey &key) {
  if (program.state.insert(key).second)
    program.restart = true;
}

void Run::getAttribute(const Node &node) {
  Val object = evaluate(node.operands[0]);
  auto name = node.attributes.find("name");
  const auto *text = name == node.attributes.end() ? nullptr : std::get_if<std::string>(&name->second.value);
  if (!object.is<ObjectRef>() || !text)
    return unsupported(node, "prim::GetAttr of a " + kindOf(object));
  set(node.results[0], attribute({object.as<ObjectRef>().id, *text}));
}

void Run::setAttribute(const Node &node) {
  Val object = evaluate(node.operands[0]);
  auto name = node.attributes.find("name");
  const auto *text = name == node.attributes.end() ? nullptr : std::get_if<std::string>(&name->second.value);
  if (!object.is<ObjectRef>() || !text)
    return unsupported(node, "prim::SetAttr of a " + kindOf(object));
  AttributeKey key{object.as<ObjectRef>().id, *text};
  Val value = evaluate(node.operands[1]);
  attributes[key] = value;
  noteState(key);
}

/// What `value` is between runs; null tensor and poison where it can't be kept.
static StateValue abstractValue(Run &run, const AttributeKey &key, const Val &value) {
  StateValue result;
  std::string path = run.program.attributePath(key);
  bool dynamic = run.program.dynamicNumbers.count(key);
  if (const auto *tensor = value.get<Tensor>()) {
    result.tensor = (*tensor)->type;
    if (!result.tensor.hasStaticShape())
      run.program.stop("attribute '" + path + "' keeps a tensor of the symbolic shape " + toText(Val(graph::getNumElements(result.tensor))) +
                       " (elements) from run to run, which is not supported; give that input fixed dims");
  } else if (value.is<TensorScalar>() || dynamic) {
    result.dynamic = true;
    run.program.dynamicNumbers.insert(key);
    result.known = value.is<TensorScalar>() ? (value.as<TensorScalar>().kind == TensorScalar::Kind::Float  ? Val(0.0)
                                               : value.as<TensorScalar>().kind == TensorScalar::Kind::Bool ? Val(false)
                                                                                                           : Val(int64_t(0)))
                                            : value;
  } else if (value.isNumber() || value.is<None>() || value.is<std::string>() || value.is<DeviceValue>()) {
    result.known = value;
  } else if (value.is<DimAttr>()) {
    run.program.stop("attribute '" + path + "' keeps the symbolic size " + toText(value) +
                     " from run to run, which is not supported; give that input fixed dims");
  } else {
    run.program.stop("attribute '" + path + "' keeps a " + kindOf(value) +
                     " from run to run; expected a tensor, a number, a string or None");
  }
  return result;
}

State Run::finalState() {
  State state;
  for (const AttributeKey &key : program.state)
    state[key] = abstractValue(*this, key, attribute(key));
  return state;
}

void Run::writeStates() {
  for (const AttributeKey &key : program.state) {
    Val value = attribute(key);
    const frontend::Attribute *declared = program.findAttribute(key);
    if (program.dynamicNumbers.count(key) && value.isNumber())
      value = TensorScalar{fresh(e.constant(value.is<double>() ? ScalarType::F64 : value.is<bool>() ? ScalarType::Bool : ScalarType::I64, value))};
    Tensor tensor = value.is<Tensor>() ? value.as<Tensor>() : value.is<TensorScalar>() ? value.as<TensorScalar>().tensor : Tensor();
    if (!tensor || !declared)
      continue;
    auto start = stateAtStart.find(key);
    // The tensor that was there at the start, untouched: nothing to write.
    if (start != stateAtStart.end() && start->second->storage == tensor->storage && tensor->storage->version == 0 && tensor->steps.empty())
      continue;
    Constant first = declared->value;
    graph::WriteStateOp::create(e.builder, e.loc, program.stateSymbol(key, first), read(tensor));
  }
}
