// Implements ConvertValues.h: IValue to Constant, module objects to Objects, tensors to TensorData over shared storages.
#include "frontend/torchscript/ConvertValues.h"

#include "frontend/TensorBounds.h"

using namespace graphc::frontend;
using namespace graphc::frontend::torchscript;

namespace {

std::optional<ScalarType> convertScalarType(c10::ScalarType type) {
  return scalarTypeFromInteger(static_cast<int64_t>(type));
}

std::string dtypeText(c10::ScalarType type) {
  switch (type) {
  case c10::ScalarType::Byte:
    return "uint8";
  case c10::ScalarType::Char:
    return "int8";
  case c10::ScalarType::Short:
    return "int16";
  case c10::ScalarType::Int:
    return "int32";
  case c10::ScalarType::Long:
    return "int64";
  case c10::ScalarType::Half:
    return "float16";
  case c10::ScalarType::Float:
    return "float32";
  case c10::ScalarType::Double:
    return "float64";
  case c10::ScalarType::ComplexHalf:
    return "complex32";
  case c10::ScalarType::ComplexFloat:
    return "complex64";
  case c10::ScalarType::ComplexDouble:
    return "complex128";
  case c10::ScalarType::Bool:
    return "bool";
  case c10::ScalarType::BFloat16:
    return "bfloat16";
  default:
    return c10::toString(type);
  }
}

std::string layoutText(int64_t layout) {
  switch (static_cast<c10::Layout>(layout)) {
  case c10::Layout::Strided:
    return "strided";
  case c10::Layout::Sparse:
    return "sparse_coo";
  default:
    return "layout" + std::to_string(layout);
  }
}

std::string memoryFormatText(int64_t format) {
  switch (static_cast<c10::MemoryFormat>(format)) {
  case c10::MemoryFormat::Contiguous:
    return "contiguous_format";
  case c10::MemoryFormat::Preserve:
    return "preserve_format";
  case c10::MemoryFormat::ChannelsLast:
    return "channels_last";
  case c10::MemoryFormat::ChannelsLast3d:
    return "channels_last_3d";
  default:
    return "memory_format" + std::to_string(format);
  }
}

} // namespace

std::optional<EnumConstant> graphc::frontend::torchscript::enumOfInteger(int64_t number, const c10::TypePtr &type) {
  if (auto optional = type->cast<c10::OptionalType>())
    return enumOfInteger(number, optional->getElementType());
  switch (type->kind()) {
  case c10::TypeKind::ScalarTypeType:
    if (number < 0 || number >= static_cast<int64_t>(c10::ScalarType::NumOptions))
      throw ReadError("the model has a dtype number " + std::to_string(number) + ", which torch doesn't define");
    return EnumConstant{EnumConstant::Kind::ScalarType, dtypeText(static_cast<c10::ScalarType>(number))};
  case c10::TypeKind::LayoutType:
    return EnumConstant{EnumConstant::Kind::Layout, layoutText(number)};
  case c10::TypeKind::MemoryFormatType:
    return EnumConstant{EnumConstant::Kind::MemoryFormat, memoryFormatText(number)};
  default:
    return std::nullopt;
  }
}

TensorData ValueConverter::convertTensor(const at::Tensor &tensor, const std::string &what) {
  if (!tensor.defined())
    throw ReadError(what + " is an undefined tensor");
  std::optional<ScalarType> dtype = convertScalarType(tensor.scalar_type());
  if (!dtype)
    throw ReadError(what + " has dtype " + dtypeText(tensor.scalar_type()) +
                    "; expected a real floating point, integer or bool tensor");
  if (tensor.layout() != c10::kStrided || !tensor.device().is_cpu() || tensor.is_quantized())
    throw ReadError(what + " is a " + c10::toString(tensor.key_set()) + " tensor; expected a plain strided CPU tensor");
  at::Tensor plain = tensor.is_neg() ? tensor.resolve_neg() : tensor;
  TensorData data;
  data.dtype = *dtype;
  data.sizes = plain.sizes().vec();
  data.strides = plain.strides().vec();
  data.offset = plain.storage_offset();
  const c10::Storage &source = plain.storage();
  auto [it, inserted] = storages.try_emplace(source.unsafeGetStorageImpl());
  if (inserted) {
    auto storage = std::make_shared<Storage>();
    storage->data = static_cast<const std::byte *>(source.data());
    storage->size = source.nbytes();
    storage->keepAlive = std::make_shared<c10::Storage>(source);
    it->second = std::move(storage);
  }
  data.storage = it->second;
  std::optional<int64_t> bytes = bytesReached(data);
  if (!bytes || static_cast<uint64_t>(*bytes) > data.storage->size)
    throw ReadError(what + " reaches beyond its storage of " + std::to_string(data.storage->size) +
                    " bytes: the file is damaged");
  return data;
}

ConstantList ValueConverter::convertList(const c10::IValue &value, const std::string &what) {
  ConstantList list;
  if (value.isGenericDict()) {
    list.kind = ConstantList::Kind::Dict;
    for (const auto &entry : value.toGenericDict()) {
      list.elements.push_back(convert(entry.key(), what));
      list.elements.push_back(convert(entry.value(), what));
    }
    return list;
  }
  if (value.isTuple()) {
    list.kind = ConstantList::Kind::Tuple;
    auto type = value.type()->expect<c10::TupleType>();
    if (type->schema()) {
      list.kind = ConstantList::Kind::NamedTuple;
      for (const c10::Argument &field : type->schema()->arguments())
        list.fieldNames.push_back(field.name());
    }
    for (const c10::IValue &element : value.toTupleRef().elements())
      list.elements.push_back(convert(element, what));
    return list;
  }
  const auto elements = value.toListRef();
  for (const c10::IValue &element : elements)
    list.elements.push_back(convert(element, what));
  return list;
}

Constant ValueConverter::convert(const c10::IValue &value, const std::string &what) {
  if (value.isNone())
    return {};
  if (value.isBool())
    return {value.toBool()};
  if (value.isInt())
    return {value.toInt()};
  if (value.isDouble())
    return {value.toDouble()};
  if (value.isString())
    return {value.toStringRef()};
  if (value.isDevice())
    return {EnumConstant{EnumConstant::Kind::Device, value.toDevice().str()}};
  if (value.isTensor())
    return {convertTensor(value.toTensor(), what)};
  if (value.isList() || value.isTuple() || value.isGenericDict())
    return {convertList(value, what)};
  if (value.isEnum()) {
    auto holder = value.toEnumHolder();
    return {EnumConstant{EnumConstant::Kind::Other, holder->qualifiedClassName() + "." + holder->name()}};
  }
  if (value.isObject() && !value.isCustomClass())
    return {ObjectRef{addObject(value.toObject(), what)}};
  throw ReadError(what + " is a custom object of type " + value.type()->annotation_str() +
                  ", which graphc can't compile; expected tensors, numbers, strings, lists, tuples, dicts or modules");
}

void ValueConverter::addAttribute(ObjectId id, const c10::ivalue::Object &object, size_t slot,
                                  const std::string &path) {
  const c10::ClassTypePtr type = object.type();
  Attribute attribute;
  attribute.name = type->getAttributeName(slot);
  attribute.type = type->getAttribute(slot)->annotation_str();
  if (type->is_parameter(slot))
    attribute.role = Attribute::Role::Parameter;
  else if (type->is_buffer(slot))
    attribute.role = Attribute::Role::Buffer;
  const c10::IValue &value = object.getSlot(slot);
  std::string attributePath = path.empty() ? attribute.name : path + "." + attribute.name;
  if (value.isObject() && !value.isCustomClass()) {
    attribute.value.value = ObjectRef{addObject(value.toObject(), attributePath)};
  } else {
    try {
      attribute.value = convert(value, "the attribute " + attributePath);
    } catch (const ReadError &) {
      if (attributesRead.count(attribute.name))
        throw;
      return;
    }
    attribute.requiresGrad = value.isTensor() && value.toTensor().requires_grad();
  }
  graph.objects[id].attributes.push_back(std::move(attribute));
}

ObjectId ValueConverter::addObject(const c10::intrusive_ptr<c10::ivalue::Object> &object, const std::string &path) {
  auto [it, inserted] = ids.try_emplace(object.get(), static_cast<ObjectId>(graph.objects.size()));
  ObjectId id = it->second;
  if (!inserted)
    return id;
  const c10::ClassTypePtr type = object->type();
  graph.objects.push_back({});
  graph.objects[id].className = type->name() ? type->name()->qualifiedName() : type->annotation_str();
  graph.objects[id].path = path;
  if (auto slot = type->findAttributeSlot("training"))
    graph.objects[id].training = object->getSlot(*slot).isBool() && object->getSlot(*slot).toBool();
  for (size_t slot = 0; slot < type->numAttributes(); ++slot)
    addAttribute(id, *object, slot, path);
  return id;
}

const c10::ivalue::Object *ValueConverter::findChild(const c10::ivalue::Object *object,
                                                     const std::string &name) const {
  auto slot = object->type()->findAttributeSlot(name);
  if (!slot || !object->getSlot(*slot).isObject())
    return nullptr;
  return &object->getSlot(*slot).toObjectRef();
}
