// Implements ReadModel.h: an archive with an archive_format entry (or an old one's program) is a .pt2; everything else goes to
// the TorchScript reader, which says what is wrong with files that are neither.
#include "frontend/ReadModel.h"

#include "frontend/pt2/Pt2Reader.h"
#include "frontend/torchscript/TorchScriptReader.h"
#include "frontend/zip/ZipArchive.h"

using namespace graphc::frontend;
using llvm::Expected;
using llvm::StringRef;

namespace {

bool isPt2(StringRef path) {
  Expected<std::shared_ptr<const ZipArchive>> archive = ZipArchive::open(path);
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return false;
  }
  for (const ZipEntry &entry : (*archive)->entries()) {
    StringRef name = entry.name;
    StringRef base = name.count('/') <= 1 ? name.substr(name.find('/') + 1) : "";
    if (base == "archive_format" || name == "serialized_exported_program.json")
      return true;
  }
  return false;
}

Expected<SourceGraph> readEither(StringRef path, const ReadOptions &options) {
  if (!isPt2(path))
    return readTorchScript(path, {options.method});
  if (options.method != "forward")
    return llvm::createStringError(std::errc::invalid_argument, "%s: a torch.export file has no method \"%s\"; it has: forward",
                                   path.str().c_str(), options.method.c_str());
  return readPt2(path);
}

} // namespace

Expected<SourceGraph> graphc::frontend::readModel(StringRef path, const ReadOptions &options) {
  Expected<SourceGraph> graph = readEither(path, options);
  if (!graph || options.name.empty())
    return graph;
  graph->fileName = options.name;
  for (SourceLocation &location : graph->locations)
    if (location.file == path)
      location.file = options.name;
  return graph;
}
