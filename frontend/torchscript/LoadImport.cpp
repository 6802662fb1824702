// Finds and loads the shared library with what needs LibTorch: the importer and the eager run.
//
// It lies in lib/ beside the folder of the executable (build/bin and build/lib, or an installation's), else wherever the dynamic
// linker looks. Its own run path leads to LibTorch.
#include "frontend/torchscript/Eager.h"
#include "frontend/torchscript/Import.h"

#include <dlfcn.h>
#include <filesystem>

using namespace graphc::frontend::torchscript;

namespace {

struct Loaded {
  void *library = nullptr;
  std::string error;
};

Loaded load() {
  std::error_code ignored;
  std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::filesystem::path beside = executable.parent_path().parent_path() / "lib" / importLibrary;
  // RTLD_LOCAL: LibTorch's symbols must not take the place of ours or LLVM's.
  Loaded result;
  result.library = std::filesystem::exists(beside, ignored) ? dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)
                                                           : dlopen(importLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!result.library) {
    const char *reason = dlerror();
    result.error = std::string("LibTorch's reader can't be loaded: ") + (reason ? reason : importLibrary);
  }
  return result;
}

} // namespace

void *graphc::frontend::torchscript::loadSymbol(const char *name, std::string &error) {
  static const Loaded loaded = load();
  error = loaded.error;
  void *symbol = loaded.library ? dlsym(loaded.library, name) : nullptr;
  if (loaded.library && !symbol)
    error = std::string(importLibrary) + " has no " + name + ": it is of another version of graphc";
  return symbol;
}

ImportFunction *graphc::frontend::torchscript::loadImport(std::string &error) {
  return reinterpret_cast<ImportFunction *>(loadSymbol(importSymbol, error));
}

EagerResult graphc::frontend::torchscript::runEager(const EagerRequest &request) {
  EagerResult result;
  auto *function = reinterpret_cast<EagerFunction *>(loadSymbol(eagerSymbol, result.error));
  if (function)
    function(request, result);
  return result;
}
