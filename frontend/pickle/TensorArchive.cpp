// Implements TensorArchive.h: _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks) and _rebuild_parameter.
#include "frontend/pickle/TensorArchive.h"

#include "frontend/TensorBounds.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace graphc::frontend;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using Kind = PickleValue::Kind;

namespace {

constexpr unsigned maxDepth = 100;
constexpr uint64_t maxPickleSize = uint64_t(1) << 28;
constexpr size_t maxRank = 64, maxConverted = 1'000'000;

Error failure(const std::string &what) { return createStringError(std::errc::invalid_argument, "%s", what.c_str()); }

} // namespace

std::optional<ScalarType> graphc::frontend::scalarTypeOfStorage(StringRef name) {
  return llvm::StringSwitch<std::optional<ScalarType>>(name)
      .Case("torch.FloatStorage", ScalarType::F32)
      .Case("torch.DoubleStorage", ScalarType::F64)
      .Case("torch.HalfStorage", ScalarType::F16)
      .Case("torch.BFloat16Storage", ScalarType::BF16)
      .Case("torch.LongStorage", ScalarType::I64)
      .Case("torch.IntStorage", ScalarType::I32)
      .Case("torch.ShortStorage", ScalarType::I16)
      .Case("torch.CharStorage", ScalarType::I8)
      .Case("torch.ByteStorage", ScalarType::U8)
      .Case("torch.BoolStorage", ScalarType::Bool)
      .Default(std::nullopt);
}

Expected<std::shared_ptr<const Storage>> graphc::frontend::readStorage(const std::shared_ptr<const ZipArchive> &zip,
                                                                      const ZipEntry &entry) {
  constexpr uintptr_t alignment = 16;
  auto storage = std::make_shared<Storage>();
  storage->size = entry.size;
  StringRef bytes;
  if (!entry.deflated) {
    if (Error error = zip->checkCrc(entry))
      return error;
    bytes = cantFail(zip->view(entry));
    storage->keepAlive = zip;
  }
  if (entry.deflated || reinterpret_cast<uintptr_t>(bytes.data()) % alignment != 0) {
    Expected<std::string> contents = zip->read(entry);
    if (!contents)
      return contents.takeError();
    auto copy = std::make_shared<std::vector<std::byte>>(contents->size());
    std::memcpy(copy->data(), contents->data(), contents->size());
    storage->data = copy->data();
    storage->keepAlive = copy;
    return storage;
  }
  storage->data = reinterpret_cast<const std::byte *>(bytes.data());
  return storage;
}

Expected<std::unique_ptr<TensorArchive>> TensorArchive::open(std::shared_ptr<const ZipArchive> zip,
                                                             const std::string &pickle, std::string storageFolder) {
  const ZipEntry *entry = zip->find(pickle);
  if (!entry)
    return failure("the entry " + pickle + " is missing");
  if (entry->size > maxPickleSize)
    return failure("the pickle " + pickle + " is too large");
  Expected<std::string> bytes = zip->read(*entry);
  if (!bytes)
    return bytes.takeError();
  Expected<PickleDocument> document = readPickle(*bytes);
  if (!document)
    return document.takeError();
  return std::unique_ptr<TensorArchive>(
      new TensorArchive(std::move(zip), std::move(storageFolder), std::move(*document)));
}

Expected<std::unique_ptr<TensorArchive>> TensorArchive::openSaved(std::shared_ptr<const ZipArchive> zip) {
  if (zip->entries().empty())
    return failure("an empty archive");
  StringRef first = zip->entries().front().name;
  std::string root = first.take_front(first.find('/') + 1).str();
  if (const ZipEntry *order = zip->find(root + "byteorder")) {
    Expected<std::string> text = zip->read(*order);
    if (!text)
      return text.takeError();
    if (*text != "little")
      return failure("the tensors' byte order is \"" + StringRef(*text).take_front(20).str() + "\"; expected little");
  }
  return open(std::move(zip), root + "data.pkl", root + "data/");
}

bool TensorArchive::isCallOf(const PickleValue &value, StringRef name) const {
  return value.kind == Kind::Call && document[value.children[0]].kind == Kind::Global &&
         document[value.children[0]].text == name && document[value.children[1]].kind == Kind::Tuple;
}

const PickleValue *TensorArchive::dictOf(PickleId id) const {
  static const PickleValue none;
  const PickleValue &value = document[id];
  if (value.kind == Kind::Dict)
    return &value;
  if (!isCallOf(value, "collections.OrderedDict"))
    return nullptr;
  for (PickleId state : llvm::ArrayRef(value.children).drop_front(2))
    if (document[state].kind == Kind::Dict)
      return &document[state];
  return &none;
}

/// Persistent id: ("storage", torch.FloatStorage, key, location, number of elements).
Error TensorArchive::fillStorage(TensorData &tensor, PickleId persistent) {
  const PickleValue &outer = document[persistent];
  const PickleValue *id = outer.kind == Kind::Persistent ? &document[outer.children[0]] : nullptr;
  if (!id || id->kind != Kind::Tuple || id->children.size() < 5 || document[id->children[0]].text != "storage")
    return failure("a tensor without a storage");
  StringRef type = document[id->children[1]].text, key = document[id->children[2]].text;
  std::optional<ScalarType> dtype = scalarTypeOfStorage(type);
  if (!dtype)
    return failure("a tensor of " + type.str() + ", which graphc doesn't have");
  tensor.dtype = *dtype;
  std::shared_ptr<const Storage> &storage = storages[key];
  if (!storage) {
    const ZipEntry *entry = zip->find(folder + key.str());
    if (!entry)
      return failure("the storage " + folder + key.str() + " is missing");
    Expected<std::shared_ptr<const Storage>> read = readStorage(zip, *entry);
    if (!read)
      return read.takeError();
    storage = std::move(*read);
  }
  tensor.storage = storage;
  return Error::success();
}

Expected<TensorData> TensorArchive::tensor(PickleId id, unsigned depth) {
  const PickleValue &value = document[id];
  TensorData result;
  if (depth > maxDepth)
    return failure("values nested too deeply");
  if (isCallOf(value, "torch._utils._rebuild_parameter")) {
    const PickleValue &arguments = document[value.children[1]];
    return arguments.children.empty() ? Expected<TensorData>(failure("a parameter of nothing"))
                                      : tensor(arguments.children[0], depth + 1);
  }
  if (!isCallOf(value, "torch._utils._rebuild_tensor_v2"))
    return result;
  const PickleValue &arguments = document[value.children[1]];
  if (arguments.children.size() < 4)
    return failure("a tensor with too few fields");
  if (Error error = fillStorage(result, arguments.children[0]))
    return error;
  result.offset = document[arguments.children[1]].integer;
  for (auto [from, to] : {std::pair(2, &result.sizes), std::pair(3, &result.strides)}) {
    const PickleValue &numbers = document[arguments.children[from]];
    if (numbers.kind != Kind::Tuple || numbers.children.size() > maxRank)
      return failure("a tensor whose sizes or strides aren't a tuple of numbers");
    for (PickleId number : numbers.children)
      to->push_back(document[number].kind == Kind::Integer ? document[number].integer : -1);
  }
  std::optional<int64_t> bytes = bytesReached(result);
  if (!bytes || uint64_t(*bytes) > result.storage->size)
    return failure("a tensor that reaches beyond its storage of " + std::to_string(result.storage->size) + " bytes");
  return result;
}

Expected<llvm::StringMap<TensorData>> TensorArchive::stateDict() {
  const PickleValue *dict = dictOf(document.root);
  if (!dict)
    return failure("a pickle that isn't a dict of tensors");
  llvm::StringMap<TensorData> result;
  for (size_t i = 0; i + 1 < dict->children.size(); i += 2) {
    const PickleValue &key = document[dict->children[i]];
    if (key.kind != Kind::String)
      return failure("a dict key that isn't a string");
    Expected<TensorData> value = tensor(dict->children[i + 1], 0);
    if (!value)
      return failure(key.text + ": " + llvm::toString(value.takeError()));
    if (!value->storage) {
      const PickleValue &other = document[dict->children[i + 1]];
      std::string what = other.kind == Kind::Call ? "is made by " + document[other.children[0]].text : "isn't a tensor";
      return failure(key.text + " " + what + "; expected a plain tensor");
    }
    result[key.text] = std::move(*value);
  }
  return result;
}

Expected<Constant> TensorArchive::constant() { return convert(document.root, 0); }

Expected<Constant> TensorArchive::convert(PickleId id, unsigned depth) {
  const PickleValue &value = document[id];
  if (depth > maxDepth || ++converted > maxConverted) // shared references can stand for exponentially many values
    return failure("values nested too deeply");
  switch (value.kind) {
  case Kind::None:
    return Constant{};
  case Kind::Bool:
    return Constant{value.integer != 0};
  case Kind::Integer:
    return Constant{value.integer};
  case Kind::Float:
    return Constant{value.number};
  case Kind::String:
    return Constant{value.text};
  case Kind::Call: {
    Expected<TensorData> data = tensor(id, depth);
    if (!data)
      return data.takeError();
    if (data->storage)
      return Constant{std::move(*data)};
    const PickleValue *dict = dictOf(id);
    if (!dict)
      return failure("a value made by " + document[value.children[0]].text + ", which isn't read");
    return convertList(*dict, ConstantList::Kind::Dict, depth);
  }
  case Kind::List:
    return convertList(value, ConstantList::Kind::List, depth);
  case Kind::Tuple:
    return convertList(value, ConstantList::Kind::Tuple, depth);
  case Kind::Dict:
    return convertList(value, ConstantList::Kind::Dict, depth);
  case Kind::Global:
  case Kind::Persistent:
    break;
  }
  return failure("a value that isn't data: " + value.text);
}

Expected<Constant> TensorArchive::convertList(const PickleValue &value, ConstantList::Kind kind, unsigned depth) {
  ConstantList list;
  list.kind = kind;
  for (PickleId child : value.children) {
    Expected<Constant> element = convert(child, depth + 1);
    if (!element)
      return element;
    list.elements.push_back(std::move(*element));
  }
  return Constant{std::move(list)};
}
