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
  if (aliasOf)
    text += (sharesMemory ? " sharing memory with " : " same as ") + std::to_string(aliasOf->object) + "." + aliasOf->name;
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

static bool isSmall(const TensorData &data) {
  int64_t count = 1;
  for (int64_t size : data.sizes)
    count *= size;
  return count <= 64;
}

/// Its value as a graph.constant, where the tensor is first read, instead of a graph.get.
void Run::loadAsConstant(const Tensor &tensor, const TensorData &data, const std::string &name) {
  tensor->storage->load = [this, data, name](Emitter &emitter) -> Value {
    return graph::ConstantOp::create(emitter.builder, emitter.loc, elementsOf(program.context, data, name));
  };
}

/// The number that a 0-d tensor holds until it is written.
static void setKnown(Run &run, const Tensor &tensor, const TensorData &data) {
  if (!data.sizes.empty())
    return;
  if (auto elements = run.e.denseElements(elementsOf(run.program.context, data, "")))
    tensor->known = elements->front();
}

/// A tensor that the program itself holds: a number where it is 0-d, a graph.constant where it is small.
Tensor Run::programConstant(const TensorData &data, const std::string &name) {
  Tensor tensor = constantTensor(data, name);
  if (!isSmall(data))
    return tensor;
  loadAsConstant(tensor, data, name);
  setKnown(*this, tensor, data);
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
  bool isShared = tensor->storage->origin == StorageCell::Origin::Attribute;
  // A constant of an exported program, a tensor that nobody registered, or integers that sizes may be made of (a kernel size as a buffer).
  using Role = frontend::Attribute::Role;
  bool isConstant = attribute.role == Role::Plain || (attribute.role == Role::Buffer && !isFloat(data.dtype));
  if (isConstant && isSmall(data)) {
    if (!isShared)
      loadAsConstant(tensor, data, path);
    setKnown(*this, tensor, data);
  }
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

/// The tensor that a state attribute holds when the run starts; attributes that are one tensor object share it.
Tensor Run::stateTensor(const AttributeKey &key, const frontend::Attribute &attribute, const StateValue &start) {
  if (auto found = stateAtStart.find(key); found != stateAtStart.end())
    return found->second;
  if (start.aliasOf && !start.sharesMemory)
    return stateAtStart[key] = stateTensor(*start.aliasOf, *program.findAttribute(*start.aliasOf), initial.at(*start.aliasOf));
  auto tensor = std::make_shared<TensorState>();
  tensor->storage = std::make_shared<StorageCell>();
  tensor->storage->origin = StorageCell::Origin::Attribute;
  tensor->storage->name = key.name;
  tensor->storage->object = key.object;
  if (start.sharesMemory)
    tensor->storage->sharedWith = program.attributePath(*start.aliasOf);
  tensor->type = start.tensor;
  if (start.dynamic)
    tensor->type = RankedTensorType::get({}, elementType(program.context, start.known.is<double>() ? ScalarType::F64
                                                                         : start.known.is<bool>() ? ScalarType::Bool
                                                                                                  : ScalarType::I64));
  tensor->offset = e.dim(int64_t(0));
  contiguousStrides(graph::getDims(tensor->type), tensor->strides);
  FlatSymbolRefAttr symbol = program.stateSymbol(key, attribute.value, tensor->type.getElementType());
  tensor->storage->load = [symbol, type = tensor->type](Emitter &emitter) -> Value {
    return graph::ReadStateOp::create(emitter.builder, emitter.loc, type, symbol);
  };
  return stateAtStart[key] = tensor;
}

Val Run::loadState(const AttributeKey &key, const frontend::Attribute &attribute, const StateValue &start) {
  if (!start.tensor && !start.dynamic)
    return start.known;
  Tensor tensor = stateTensor(key, attribute, start);
  if (!start.dynamic)
    return alias(tensor);
  auto kind = start.known.is<double>() ? TensorScalar::Kind::Float
              : start.known.is<bool>() ? TensorScalar::Kind::Bool
                                       : TensorScalar::Kind::Int;
  return TensorScalar{alias(tensor), kind};
}

/// A copy whose lists and dicts are its own; tensors and objects stay the same ones.
static Val copyContainers(const Val &value) {
  if (const auto *list = value.get<List>()) {
    auto copy = std::make_shared<ListValue>(**list);
    for (Val &element : copy->elements)
      element = copyContainers(element);
    return copy;
  }
  if (const auto *dict = value.get<Dict>()) {
    auto copy = std::make_shared<DictValue>(**dict);
    for (auto &[key, element] : copy->entries)
      element = copyContainers(element);
    return copy;
  }
  return value;
}

static bool sameContents(const Val &a, const Val &b) {
  if (a.v.index() != b.v.index())
    return false;
  if (const auto *tensor = a.get<Tensor>())
    return *tensor == b.as<Tensor>() && (*tensor)->storage->version == 0;
  if (const auto *list = a.get<List>()) {
    const std::vector<Val> &other = b.as<List>()->elements;
    return llvm::equal((*list)->elements, other, sameContents);
  }
  if (const auto *dict = a.get<Dict>())
    return llvm::equal((*dict)->entries, b.as<Dict>()->entries, [](const auto &x, const auto &y) {
      return sameContents(x.first, y.first) && sameContents(x.second, y.second);
    });
  return equal(a, b).value_or(false);
}

/// Lists and dicts that the program changed would have to be kept until the next run.
void Run::checkContainers() {
  for (const auto &[key, atStart] : containersAtStart) {
    auto now = attributes.find(key);
    bool assigned = program.state.count(key);
    if (!assigned && now != attributes.end() && !sameContents(atStart, now->second))
      program.stop("attribute '" + program.attributePath(key) + "' is a " + kindOf(atStart) +
                   " that the program changes; it would have to be kept from run to run, which is only supported for tensors, numbers, strings "
                   "and None: keep it as attributes of those kinds");
  }
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
  if (value.is<List>() || value.is<Dict>())
    containersAtStart[key] = copyContainers(value);
  attributes[key] = value;
  return value;
}

void Run::noteState(const AttributeKey &key) {
  if (program.state.insert(key).second)
    program.restart = true;
}

/// A write into an attribute's storage: it is state, and so is every attribute that is the same tensor.
void Run::noteWrite(const StorageCell &cell) {
  if (cell.origin != StorageCell::Origin::Attribute)
    return;
  AttributeKey key{cell.object, cell.name};
  std::string other = cell.sharedWith;
  if (std::optional<AttributeKey> shared = program.overlapping(key))
    other = program.attributePath(*shared);
  if (!other.empty())
    return e.fail("writes to attribute '" + program.attributePath(key) + "', which shares its memory with attribute '" + other +
                  "' in another shape or place");
  if (program.writtenInPlace.insert(key).second)
    program.restart = true;
  noteState(key);
  for (const AttributeKey &same : program.sameBytes(key))
    noteState(same);
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
  if (key.object < program.source.objects.size()) {
    attribute(key); // what it was: another attribute may be the same tensor
    noteState(key);
  }
  attributes[key] = evaluate(node.operands[1]);
}

/// The type of a tensor that is kept, with a symbol of its own for each size that varies: the next run may come with other ones.
static RankedTensorType stateType(Run &run, const std::string &path, RankedTensorType type) {
  Program &program = run.program;
  SmallVector<DimAttr> dims = graph::getDims(type);
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (dim.isConstant())
      continue;
    std::string name = path + "_dim" + std::to_string(d);
    std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c) && c != '_'; }, '_');
    int64_t min = run.proved(graph::DimPredicate::Ge, dim, run.e.dim(int64_t(1))) == true;
    if (!program.equalities.count(name) && program.ranges.try_emplace(name, Program::Range{min, {}}).second) {
      OpBuilder builder(program.context);
      builder.setInsertionPointToStart(program.module->getBody());
      graph::SymbolOp::create(builder, program.module->getLoc(), builder.getStringAttr(name), builder.getI64IntegerAttr(min), IntegerAttr(),
                              builder.getStringAttr("attribute " + path + ", dim " + std::to_string(d)));
    }
    dim = program.resolve(DimAttr::symbol(program.context, name));
  }
  return graph::getTensorType(dims, type.getElementType());
}

/// What `value` is between runs; null tensor and poison where it can't be kept.
StateValue builder::abstractValue(Run &run, const AttributeKey &key, const Val &value) {
  StateValue result;
  std::string path = run.program.attributePath(key);
  bool dynamic = run.program.dynamicNumbers.count(key);
  if (const auto *tensor = value.get<Tensor>()) {
    result.tensor = stateType(run, path, (*tensor)->type);
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

/// Tells which attributes hold one tensor, or share memory in another way, when the run ends.
void Run::findAliases(State &state) {
  for (auto &[key, value] : state) {
    if (!value.tensor)
      continue;
    const Tensor tensor = attribute(key).as<Tensor>();
    for (const auto &[other, otherValue] : state) {
      if (other == key)
        break;
      bool matters = program.writtenInPlace.count(key) || program.writtenInPlace.count(other);
      if (!matters || !otherValue.tensor || otherValue.aliasOf)
        continue;
      const Tensor first = attribute(other).as<Tensor>();
      if (first->storage != tensor->storage)
        continue;
      value.aliasOf = other;
      value.sharesMemory = !(tensor->steps.empty() && first->steps.empty() && tensor->type == first->type);
      break;
    }
  }
}

State Run::finalState() {
  State state;
  for (const AttributeKey &key : program.state)
    state[key] = abstractValue(*this, key, attribute(key));
  if (!program.stopped())
    findAliases(state);
  return state;
}

void Run::writeStates() {
  for (const AttributeKey &key : program.state) {
    Val value = attribute(key);
    const frontend::Attribute *declared = program.findAttribute(key);
    if (program.dynamicNumbers.count(key) && value.isNumber())
      value = TensorScalar{fresh(e.constant(numberType(value), value))};
    Tensor tensor = value.is<Tensor>() ? value.as<Tensor>() : value.is<TensorScalar>() ? value.as<TensorScalar>().tensor : Tensor();
    if (!tensor || !declared)
      continue;
    auto start = stateAtStart.find(key);
    // The tensor that was there at the start, untouched: nothing to write. What shares another attribute's memory is written all the same.
    bool isOwn = tensor->storage->object == key.object && tensor->storage->name == key.name;
    if (isOwn && start != stateAtStart.end() && start->second->storage == tensor->storage && tensor->storage->version == 0 && tensor->steps.empty())
      continue;
    FlatSymbolRefAttr symbol = program.stateSymbol(key, declared->value, tensor->type.getElementType());
    graph::WriteStateOp::create(e.builder, e.loc, symbol, read(tensor));
  }
}
