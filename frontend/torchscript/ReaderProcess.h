// Reads TorchScript files in a process of its own, so that LibTorch is not loaded into the compiler's process (which may have
// another LibTorch, as Python's) and a file that crashes LibTorch crashes nothing else. The process starts with the first file and
// serves all that follow, one at a time.
//
//   llvm::Expected<SourceGraph> graph = readInProcess("model.pt", archive, "forward");
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_READERPROCESS_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_READERPROCESS_H

#include "frontend/SourceGraph.h"
#include "frontend/zip/ZipArchive.h"

namespace graphc::frontend::torchscript {

/// Thread safe. Tensors alias the mapped model file where it has their bytes as they are. Errors (texts without the path): what
/// LibTorch or the conversion says, a crash of the reader, a reader that can't be started.
llvm::Expected<SourceGraph> readInProcess(const std::string &path, const ZipArchive &archive, const std::string &method);

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_READERPROCESS_H
