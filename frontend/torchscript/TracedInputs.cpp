// Implements TracedInputs.h. The pickle is {"forward": [tensor, …]}, with containers wrapped in restore_type_tag(value, type); the
// tensors' storages are empty, only dtype and sizes are there.
#include "frontend/torchscript/TracedInputs.h"

#include "frontend/pickle/TensorArchive.h"
#include "frontend/zip/ZipArchive.h"

using namespace graphc::frontend;
using llvm::StringRef;
using Kind = PickleValue::Kind;

namespace {

constexpr uint64_t maxPickleSize = 1 << 20;

/// The first argument of a call by that name; `id` itself for everything else.
PickleId unwrapped(const PickleDocument &document, PickleId id, StringRef function) {
  const PickleValue &value = document[id];
  if (value.kind != Kind::Call || document[value.children[0]].text != function)
    return id;
  const PickleValue &arguments = document[value.children[1]];
  return arguments.children.empty() ? id : arguments.children[0];
}

PickleId untagged(const PickleDocument &document, PickleId id) {
  return unwrapped(document, id, "torch.jit._pickle.restore_type_tag");
}

/// The list of inputs under the method's name; null where there is none.
const PickleValue *inputsOf(const PickleDocument &document, StringRef method) {
  const PickleValue &methods = document[untagged(document, document.root)];
  if (methods.kind != Kind::Dict)
    return nullptr;
  for (size_t i = 0; i + 1 < methods.children.size(); i += 2) {
    if (document[methods.children[i]].text != method)
      continue;
    const PickleValue &inputs = document[untagged(document, methods.children[i + 1])];
    return inputs.kind == Kind::List || inputs.kind == Kind::Tuple ? &inputs : nullptr;
  }
  return nullptr;
}

/// _rebuild_tensor_v2(storage, offset, sizes, strides, …)
std::optional<ValueInfo::TensorMeta> metaOf(const PickleDocument &document, PickleId id) {
  constexpr StringRef rebuild = "torch._utils._rebuild_tensor_v2";
  if (unwrapped(document, id, rebuild) == id)
    return std::nullopt;
  const PickleValue &arguments = document[document[id].children[1]];
  const PickleValue &persistent = document[arguments.children[0]];
  if (arguments.children.size() < 4 || persistent.kind != Kind::Persistent)
    return std::nullopt;
  const PickleValue &storage = document[persistent.children[0]];
  if (storage.children.size() < 2)
    return std::nullopt;
  std::optional<ScalarType> dtype = scalarTypeOfStorage(document[storage.children[1]].text);
  if (!dtype)
    return std::nullopt;
  ValueInfo::TensorMeta meta{*dtype, {}, {}, false};
  for (PickleId size : document[arguments.children[2]].children)
    meta.sizes.emplace_back(std::in_place_type<int64_t>, document[size].integer);
  for (PickleId stride : document[arguments.children[3]].children)
    meta.strides.emplace_back(std::in_place_type<int64_t>, document[stride].integer);
  return meta;
}

} // namespace

std::vector<std::optional<ValueInfo::TensorMeta>> graphc::frontend::readTracedInputs(StringRef path,
                                                                                     StringRef method) {
  std::vector<std::optional<ValueInfo::TensorMeta>> result;
  llvm::Expected<std::shared_ptr<const ZipArchive>> archive = ZipArchive::open(path);
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return result;
  }
  for (const ZipEntry &entry : (*archive)->entries()) {
    if (StringRef(entry.name).split('/').second != "traced_inputs.pkl" || entry.size > maxPickleSize)
      continue;
    llvm::Expected<std::string> bytes = (*archive)->read(entry);
    llvm::Expected<PickleDocument> document = bytes ? readPickle(*bytes) : bytes.takeError();
    if (!document) {
      llvm::consumeError(document.takeError());
      return result;
    }
    if (const PickleValue *inputs = inputsOf(*document, method))
      for (PickleId input : inputs->children)
        result.push_back(metaOf(*document, input));
  }
  return result;
}
