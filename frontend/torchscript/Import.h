// The seam between graphc and LibTorch: plain C++ types only, neither LLVM's nor torch's headers.
//
// Input: a TorchScript file that was already checked to be one. Output: its SourceGraph, or the reason why not. Torch's
// exceptions end here. Implemented by Import.cpp, ConvertValues.cpp and ConvertNodes.cpp, the only files that include torch.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_IMPORT_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_IMPORT_H

#include "frontend/SourceGraph.h"

namespace graphc::frontend::torchscript {

/// Exactly one of the two is set.
struct ImportResult {
  std::optional<SourceGraph> graph;
  std::string error; // one or a few lines, without torch's C++ backtrace
};

/// Loads `path`, inlines `method` and converts it. Tensors alias LibTorch's storages and keep them alive.
ImportResult importTorchScript(const std::string &path, const std::string &method);

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_IMPORT_H
