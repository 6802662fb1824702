// Finds and loads the shared library with the LibTorch importer.
//
// It lies in lib/ beside the folder of the executable (build/bin and build/lib, or an installation's), else wherever the dynamic
// linker looks. Its own run path leads to LibTorch.
#include "frontend/torchscript/Import.h"

#include <dlfcn.h>
#include <filesystem>

using namespace graphc::frontend::torchscript;

namespace {

struct Loaded {
  ImportFunction *function = nullptr;
  std::string error;
};

Loaded load() {
  std::error_code ignored;
  std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::filesystem::path beside = executable.parent_path().parent_path() / "lib" / importLibrary;
  // RTLD_LOCAL: LibTorch's symbols must not take the place of ours or LLVM's.
  void *library = std::filesystem::exists(beside, ignored) ? dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)
                                                          : dlopen(importLibrary, RTLD_NOW | RTLD_LOCAL);
  Loaded result;
  if (library)
    result.function = reinterpret_cast<ImportFunction *>(dlsym(library, importSymbol));
  if (!result.function) {
    const char *reason = dlerror();
    result.error = std::string("the TorchScript reader can't be loaded: ") + (reason ? reason : importSymbol);
  }
  return result;
}

} // namespace

ImportFunction *graphc::frontend::torchscript::loadImport(std::string &error) {
  static const Loaded loaded = load();
  error = loaded.error;
  return loaded.function;
}
