// The seam between graphc and LibTorch: plain C++ types only, neither LLVM's nor torch's headers.
//
// Input: a TorchScript file that was already checked to be one. Output: its SourceGraph, or the reason why not. Torch's
// exceptions end here. Import.cpp, Eager.cpp, Locator.cpp and ConvertValues.cpp, the only files that include torch, are a shared
// library of their own. The program graphc-torchscript-reader links it (see ReaderProcess.h: models are read there); loadSymbol
// loads it into this process for `graphc verify`.
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
using ImportFunction = void(const std::string &path, const std::string &method, ImportResult &result);

/// The name under which the shared library has its ImportFunction, and the library's file name.
inline constexpr const char *importSymbol = "graphcImportTorchScript";
inline constexpr const char *importLibrary = "libgraphc_torchscript.so";

/// One of the library's functions; it is loaded once per process and never unloaded. Null with `error` set when the library or
/// LibTorch can't be loaded.
void *loadSymbol(const char *name, std::string &error);

/// Where a file of this build or installation lies: beside the file that has this code (libgraphc_compiler.so), or in lib/ beside
/// the folder of that or of the executable. Empty: nowhere.
std::string findBeside(const char *name);

} // namespace graphc::frontend::torchscript

/// The library's ImportFunction.
extern "C" graphc::frontend::torchscript::ImportFunction graphcImportTorchScript;

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_IMPORT_H
