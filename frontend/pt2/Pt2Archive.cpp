// Implements Pt2Archive.h. Layout C: models/NAME.json, data/weights, data/constants and their configs; B pickles the tensors
// of both; A is a flat archive with pickled tensors.
#include "frontend/pt2/Pt2Archive.h"

#include "frontend/TensorBounds.h"
#include "frontend/pickle/TensorArchive.h"

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr uint64_t maxProgramSize = uint64_t(1) << 29, maxConfigSize = uint64_t(1) << 27, maxWordSize = 64;
constexpr size_t maxRank = 64;
constexpr const char *oldProgram = "serialized_exported_program.json";

Expected<std::vector<int64_t>> staticInts(const json::Array *values, const char *what) {
  if (!values || values->size() > maxRank)
    return failure(std::string("the tensor has no ") + what);
  std::vector<int64_t> result;
  for (const json::Value &value : *values) {
    auto [kind, payload] = unionOf(&value);
    std::optional<int64_t> number = kind == "as_int" ? payload->getAsInteger() : std::nullopt;
    if (!number || *number < 0)
      return failure(std::string("one of the tensor's ") + what + " isn't a number");
    result.push_back(*number);
  }
  return result;
}

} // namespace

std::optional<ScalarType> graphc::frontend::pt2::scalarTypeFromSchema(int64_t number) {
  return scalarTypeFromText(scalarTypeTextFromSchema(number));
}

std::string graphc::frontend::pt2::scalarTypeTextFromSchema(int64_t number) {
  switch (number) {
  case 1:
    return "uint8";
  case 2:
    return "int8";
  case 3:
    return "int16";
  case 4:
    return "int32";
  case 5:
    return "int64";
  case 6:
    return "float16";
  case 7:
    return "float32";
  case 8:
    return "float64";
  case 9:
    return "complex32";
  case 10:
    return "complex64";
  case 11:
    return "complex128";
  case 12:
    return "bool";
  case 13:
    return "bfloat16";
  case 28:
    return "uint16";
  case 29:
    return "float8_e4m3fn";
  case 30:
    return "float8_e5m2";
  default:
    return "dtype " + std::to_string(number);
  }
}

Expected<TensorData> graphc::frontend::pt2::staticTensor(const json::Object &meta) {
  TensorData tensor;
  std::optional<int64_t> number = meta.getInteger("dtype");
  std::optional<ScalarType> dtype = number ? scalarTypeFromSchema(*number) : std::nullopt;
  if (!dtype)
    return failure("the tensor has " + (number ? scalarTypeTextFromSchema(*number) : std::string("no dtype")) +
                   "; expected a real floating point, integer or bool dtype");
  tensor.dtype = *dtype;
  constexpr int64_t strided = 7;
  if (meta.getInteger("layout").value_or(strided) != strided)
    return failure("the tensor isn't strided");
  Expected<std::vector<int64_t>> sizes = staticInts(meta.getArray("sizes"), "sizes");
  if (!sizes)
    return sizes.takeError();
  Expected<std::vector<int64_t>> strides = staticInts(meta.getArray("strides"), "strides");
  if (!strides)
    return strides.takeError();
  if (sizes->size() != strides->size())
    return failure("the tensor has " + std::to_string(sizes->size()) + " sizes and " +
                   std::to_string(strides->size()) + " strides");
  tensor.sizes = std::move(*sizes);
  tensor.strides = std::move(*strides);
  if (const json::Value *offset = meta.get("storage_offset")) {
    auto [kind, payload] = unionOf(offset);
    tensor.offset = kind == "as_int" ? payload->getAsInteger().value_or(-1) : -1;
    if (tensor.offset < 0)
      return failure("the tensor's storage offset isn't a number");
  }
  return tensor;
}

Expected<std::unique_ptr<Pt2Archive>> Pt2Archive::open(StringRef path) {
  Expected<std::shared_ptr<const ZipArchive>> zip = ZipArchive::open(path);
  if (!zip)
    return zip.takeError();
  std::unique_ptr<Pt2Archive> archive(new Pt2Archive(std::move(*zip)));
  if (archive->zip->find(oldProgram)) {
    if (Error error = archive->readOldLayout())
      return error;
    return archive;
  }
  if (Error error = archive->checkFormat())
    return error;
  if (Error error = archive->readProgram())
    return error;
  if (Error error = archive->readConfigs())
    return error;
  return archive;
}

Expected<std::string> Pt2Archive::readText(StringRef name, uint64_t maxSize) {
  const ZipEntry *entry = zip->find(name);
  if (!entry)
    return failure("the entry " + name.str() + " is missing");
  if (entry->size > maxSize)
    return failure("the entry " + name.str() + " has " + std::to_string(entry->size) + " bytes; at most " +
                   std::to_string(maxSize) + " are accepted");
  return zip->read(*entry);
}

Error Pt2Archive::checkFormat() {
  if (zip->entries().empty())
    return failure("an empty zip file");
  StringRef first = zip->entries().front().name;
  root = first.take_front(first.find('/') + 1).str();
  if (!zip->find(root + "archive_format"))
    return failure("not a .pt2 file: the entry archive_format is missing");
  const std::pair<const char *, const char *> expected[] = {
      {"archive_format", "pt2"}, {"archive_version", "0"}, {"byteorder", "little"}};
  for (const auto &[name, value] : expected) {
    Expected<std::string> text = readText(root + name, maxWordSize);
    if (!text)
      return text.takeError();
    if (StringRef(*text).trim() != value)
      return failure(std::string(name) + " is \"" + StringRef(*text).trim().str() + "\"; expected \"" + value + "\"");
  }
  return Error::success();
}

/// Layout A: everything beside each other, tensors as two files of torch.save.
Error Pt2Archive::readOldLayout() {
  Expected<std::string> text = readText(oldProgram, maxProgramSize);
  if (!text)
    return text.takeError();
  programText = std::move(*text);
  if (Error error = readPickled("serialized_state_dict.pt"))
    return error;
  return zip->find("serialized_constants.pt") ? readPickled("serialized_constants.pt") : Error::success();
}

/// The tensors of a file of torch.save that lies in the archive.
Error Pt2Archive::readPickled(StringRef name) {
  auto fail = [&](Error error) { return failure(name.str() + ": " + llvm::toString(std::move(error))); };
  const ZipEntry *entry = zip->find(name);
  if (!entry)
    return failure("the entry " + name.str() + " is missing");
  if (entry->size == 0) // nothing to save
    return Error::success();
  if (entry->deflated)
    return failure(name.str() + " is compressed; expected it stored, as torch.export.save writes it");
  Expected<StringRef> bytes = zip->view(*entry);
  if (!bytes)
    return fail(bytes.takeError());
  Expected<std::shared_ptr<const ZipArchive>> inner = ZipArchive::fromMemory(*bytes, zip);
  if (!inner)
    return fail(inner.takeError());
  Expected<std::unique_ptr<TensorArchive>> archive = TensorArchive::openSaved(std::move(*inner));
  if (!archive)
    return fail(archive.takeError());
  Expected<llvm::StringMap<TensorData>> tensors = (*archive)->stateDict();
  if (!tensors)
    return fail(tensors.takeError());
  for (auto &tensor : *tensors)
    pickled[tensor.first()] = std::move(tensor.second);
  return Error::success();
}

Error Pt2Archive::readProgram() {
  std::string folder = root + "models/", found;
  for (const ZipEntry &entry : zip->entries()) {
    StringRef name = entry.name;
    if (!name.consume_front(folder) || !name.consume_back(".json") || name.contains('/'))
      continue;
    if (!modelName.empty())
      return failure("the archive holds several programs (" + modelName + ", " + name.str() + "); expected one");
    modelName = name.str();
    found = entry.name;
  }
  if (found.empty())
    return failure("the archive holds no program (models/*.json)");
  Expected<std::string> text = readText(found, maxProgramSize);
  if (!text)
    return text.takeError();
  programText = std::move(*text);
  return Error::success();
}

Error Pt2Archive::readConfigs() {
  if (Error error = readConfig("data/weights/", "_weights_config.json"))
    return error;
  return readConfig("data/constants/", "_constants_config.json");
}

Error Pt2Archive::readConfig(StringRef folder, StringRef suffix) {
  std::string name = (root + folder + modelName + suffix).str();
  if (!zip->find(name)) {
    // Layout B (torch 2.8) pickles the state dict instead; a program without tensors may have neither.
    std::string pickle = (root + folder + modelName + ".pt").str();
    return zip->find(pickle) ? readPickled(pickle) : Error::success();
  }
  Expected<std::string> text = readText(name, maxConfigSize);
  if (!text)
    return text.takeError();
  Expected<json::Value> value = parseJson(*text, name);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  const json::Object *config = object ? object->getObject("config") : nullptr;
  if (!config)
    return failure(name + " has no \"config\"");
  for (const auto &entry : *config) {
    const json::Object *payload = entry.second.getAsObject();
    std::optional<StringRef> file = payload ? payload->getString("path_name") : std::nullopt;
    if (!file)
      return failure(name + " has no path_name for " + StringRef(entry.first).str());
    Record record;
    record.entryName = (root + folder + *file).str();
    record.isPickled = payload->getBoolean("use_pickle").value_or(false);
    if (const json::Object *meta = payload->getObject("tensor_meta"))
      record.meta = *meta;
    records[StringRef(entry.first)] = std::move(record);
  }
  return Error::success();
}

Expected<std::shared_ptr<const Storage>> Pt2Archive::storage(const ZipEntry &entry, uint64_t neededBytes) {
  auto it = storages.find(entry.name);
  if (it != storages.end() && it->second->size >= neededBytes)
    return it->second;
  if (entry.size == 0 && neededBytes > 0) { // the writer leaves all-zero storages out
    auto storage = std::make_shared<Storage>();
    auto zeros = std::make_shared<std::vector<std::byte>>(neededBytes);
    storage->data = zeros->data();
    storage->size = neededBytes;
    storage->keepAlive = zeros;
    storages[entry.name] = storage;
    return storage;
  }
  Expected<std::shared_ptr<const Storage>> read = readStorage(zip, entry);
  if (read)
    storages[entry.name] = *read;
  return read;
}

Expected<TensorData> Pt2Archive::tensor(StringRef name) {
  auto it = records.find(name);
  auto fail = [&](const std::string &what) { return failure("the tensor " + name.str() + ": " + what); };
  if (auto loaded = pickled.find(name); loaded != pickled.end())
    return loaded->second;
  if (it == records.end())
    return fail("the archive has no data for it");
  const Record &record = it->second;
  if (record.isPickled)
    return fail("it is pickled (a tensor subclass or a script object), which isn't read");
  Expected<TensorData> tensor = staticTensor(record.meta);
  if (!tensor)
    return fail(llvm::toString(tensor.takeError()));
  const ZipEntry *entry = zip->find(record.entryName);
  if (!entry)
    return fail("the entry " + record.entryName + " is missing");
  std::optional<int64_t> needed = bytesReached(*tensor);
  constexpr int64_t maxZeros = int64_t(1) << 34;
  if (!needed || (entry->size == 0 && *needed > maxZeros))
    return fail("its sizes and strides are absurd");
  if (entry->size != 0 && uint64_t(*needed) > entry->size)
    return fail("its sizes and strides reach over " + std::to_string(*needed) + " bytes, its data has " +
                std::to_string(entry->size));
  Expected<std::shared_ptr<const Storage>> bytes = storage(*entry, uint64_t(*needed));
  if (!bytes)
    return fail(llvm::toString(bytes.takeError()));
  tensor->storage = *bytes;
  return tensor;
}
