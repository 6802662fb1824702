// Finds and loads the shared library with what needs LibTorch, for the eager run. Its own run path leads to LibTorch.
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
  std::string beside = findBeside(importLibrary);
  // RTLD_LOCAL: LibTorch's symbols must not take the place of ours or LLVM's. A bare name is the dynamic linker's to find.
  Loaded result;
  result.library = dlopen(beside.empty() ? importLibrary : beside.c_str(), RTLD_NOW | RTLD_LOCAL);
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

std::string graphc::frontend::torchscript::findBeside(const char *name) {
  std::error_code ignored;
  Dl_info info = {};
  bool known = dladdr(reinterpret_cast<void *>(&findBeside), &info) && info.dli_fname;
  for (const std::filesystem::path &file : {std::filesystem::path(known ? info.dli_fname : ""), std::filesystem::path("/proc/self/exe")}) {
    std::filesystem::path folder = std::filesystem::canonical(file, ignored).parent_path();
    for (const std::filesystem::path &candidate : {folder / name, folder.parent_path() / "lib" / name})
      if (!folder.empty() && std::filesystem::exists(candidate, ignored))
        return candidate;
  }
  return "";
}

EagerResult graphc::frontend::torchscript::runEager(const EagerRequest &request) {
  EagerResult result;
  auto *function = reinterpret_cast<EagerFunction *>(loadSymbol(eagerSymbol, result.error));
  if (function)
    function(request, result);
  return result;
}
