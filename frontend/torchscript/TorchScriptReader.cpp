// Implements TorchScriptReader.h: tells TorchScript from other files by content, then has it read by LibTorch in a
// process of its own.
#include "frontend/torchscript/TorchScriptReader.h"

#include "frontend/pickle/TensorArchive.h"
#include "frontend/torchscript/ReaderProcess.h"
#include "frontend/zip/ZipArchive.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace graphc::frontend;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr int oldestVersion = 3, newestVersion = 10;

Error failure(StringRef path, const std::string &what) {
  return createStringError(std::errc::invalid_argument, "%s: %s", path.str().c_str(), what.c_str());
}

bool startsLikePickle(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, 2, 0);
  return buffer && (*buffer)->getBuffer().starts_with("\x80");
}

Error notZip(StringRef path, Error error) {
  std::string reason = llvm::toString(std::move(error));
  if (startsLikePickle(path))
    reason = "a pickle of torch.save's old format, which holds Python objects but no program; expected a file of "
             "torch.jit.save or torch.export.save";
  else if (reason == "not a zip file")
    reason += "; expected a file of torch.jit.save or torch.export.save";
  return failure(path, reason);
}

/// The folder all entries lie in ("model/"), which is the name the file had when it was written.
StringRef rootFolder(const ZipArchive &archive) {
  if (archive.entries().empty())
    return "";
  StringRef first = archive.entries().front().name;
  return first.take_front(first.find('/') + 1);
}

/// Says what the archive is instead of TorchScript; success when it is TorchScript.
Error checkContents(StringRef path, const ZipArchive &archive) {
  std::string root = rootFolder(archive).str();
  auto has = [&](StringRef name) { return archive.find(root + name.str()) != nullptr; };
  if (has("archive_format") || has("serialized_exported_program.json") ||
      archive.find("serialized_exported_program.json"))
    return failure(path, "a torch.export file (.pt2), not TorchScript");
  if (has("data.pkl") && !has("constants.pkl"))
    return failure(path, "a file of torch.save (a state_dict or a pickled module), which holds weights but no program; "
                         "save the model with torch.jit.save or torch.export.save");
  if (!has("data.pkl") || !has("constants.pkl"))
    return failure(path, "a zip file without " + root + (has("data.pkl") ? "constants.pkl" : "data.pkl") +
                             ", so not TorchScript; expected a file of torch.jit.save");
  return Error::success();
}

Expected<int> archiveVersion(StringRef path, const ZipArchive &archive) {
  std::string root = rootFolder(archive).str();
  const ZipEntry *entry = archive.find(root + "version");
  if (!entry)
    entry = archive.find(root + ".data/version");
  if (!entry)
    return failure(path, "the TorchScript archive has no version entry");
  Expected<std::string> text = archive.read(*entry);
  if (!text)
    return failure(path, llvm::toString(text.takeError()));
  int version = 0;
  if (StringRef(*text).trim().getAsInteger(10, version) || version < oldestVersion || version > newestVersion)
    return failure(path, "TorchScript archive version \"" + StringRef(*text).trim().take_front(20).str() +
                             "\"; versions " + std::to_string(oldestVersion) + " to " +
                             std::to_string(newestVersion) + " can be read");
  return version;
}

#ifdef GRAPHC_WITH_TORCH
/// LibTorch checks no CRC and trusts what it unpickles; damaged bytes must not get that far.
Error checkBytes(StringRef path, const ZipArchive &archive) {
  for (const ZipEntry &entry : archive.entries()) {
    Error error = entry.deflated ? archive.read(entry).takeError() : archive.checkCrc(entry);
    if (error)
      return failure(path, llvm::toString(std::move(error)));
  }
  return Error::success();
}

/// Whether a storage that a pickle names, ("storage", type, key, device, elements), has as many bytes as it says: LibTorch reads beyond a shorter one.
Error checkStorage(StringRef path, const ZipArchive &archive, const std::string &folder, const PickleDocument &document, const PickleValue &id) {
  if (id.children.size() < 5)
    return Error::success();
  std::optional<ScalarType> dtype = scalarTypeOfStorage(document[id.children[1]].text);
  std::string name = folder + document[id.children[2]].text;
  int64_t elements = document[id.children[4]].integer;
  if (!dtype)
    return Error::success(); // of a dtype that is refused later
  const ZipEntry *entry = archive.find(name);
  if (!entry)
    return failure(path, "the weights record " + name + " is missing");
  if (elements < 0 || uint64_t(elements) > entry->size / scalarTypeSize(*dtype))
    return failure(path, "the weights record " + name + " has " + std::to_string(entry->size) + " bytes; expected " + std::to_string(elements) + " elements of " +
                             scalarTypeName(*dtype));
  return Error::success();
}

Error checkStorages(StringRef path, const ZipArchive &archive) {
  std::string root = rootFolder(archive).str();
  for (const char *name : {"data", "constants"}) {
    Expected<std::string> bytes = archive.read(*archive.find(root + name + ".pkl"));
    Expected<PickleDocument> document = bytes ? readPickle(*bytes) : bytes.takeError();
    if (!document) { // LibTorch knows more pickles, and says what is wrong with the others
      llvm::consumeError(document.takeError());
      continue;
    }
    for (const PickleValue &value : document->values)
      if (value.kind == PickleValue::Kind::Persistent)
        if (Error error = checkStorage(path, archive, root + name + "/", *document, (*document)[value.children[0]]))
          return error;
  }
  return Error::success();
}

/// What reading says, with the file's name.
Error named(StringRef path, Error error) {
  return llvm::handleErrors(
      std::move(error),
      [&](const NoLibTorch &missing) {
        return llvm::make_error<NoLibTorch>(path.str() + ": " + missing.message + "; run tools/setup.sh, which installs LibTorch, or save the model with "
                                                                                  "torch.export.save: reading a .pt2 needs no LibTorch");
      },
      [&](const llvm::ErrorInfoBase &other) { return failure(path, other.message()); });
}
#endif

} // namespace

char NoLibTorch::ID = 0;
void NoLibTorch::log(llvm::raw_ostream &os) const { os << message; }
std::error_code NoLibTorch::convertToErrorCode() const { return std::make_error_code(std::errc::not_supported); }

Expected<SourceGraph> graphc::frontend::readTorchScript(StringRef path, const TorchScriptOptions &options) {
  Expected<std::shared_ptr<const ZipArchive>> archive = ZipArchive::open(path);
  if (!archive)
    return notZip(path, archive.takeError());
  if (Error error = checkContents(path, **archive))
    return error;
  Expected<int> version = archiveVersion(path, **archive);
  if (!version)
    return version.takeError();
#ifdef GRAPHC_WITH_TORCH
  if (Error error = checkBytes(path, **archive))
    return error;
  if (Error error = checkStorages(path, **archive))
    return error;
  Expected<SourceGraph> graph = torchscript::readInProcess(path.str(), **archive, options.method);
  if (!graph)
    return named(path, graph.takeError());
  graph->producer = "TorchScript archive version " + std::to_string(*version);
  return graph;
#else
  return llvm::make_error<NoLibTorch>(path.str() + ": a TorchScript file, which this build can't read: it was configured with "
                                                   "GRAPHC_WITH_TORCH=OFF; save the model with torch.export.save instead");
#endif
}
