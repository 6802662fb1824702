// NVRTC by dlopen. See Nvrtc.h.
#include "codegen/cuda/Nvrtc.h"

#include "codegen/cuda/Templates.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <vector>

namespace graphc::cuda {

namespace {
/// Texts come with their terminating zero.
std::string withoutEnd(std::string text) {
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  return text;
}
} // namespace

using NvrtcProgram = void *;
using Result = int; // nvrtcResult; 0 is success

struct Nvrtc::Api {
  void *library = nullptr;
  Result (*version)(int *, int *);
  const char *(*errorString)(Result);
  Result (*createProgram)(NvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
  Result (*destroyProgram)(NvrtcProgram *);
  Result (*compileProgram)(NvrtcProgram, int, const char *const *);
  Result (*logSize)(NvrtcProgram, size_t *);
  Result (*log)(NvrtcProgram, char *);
  Result (*cubinSize)(NvrtcProgram, size_t *);
  Result (*cubin)(NvrtcProgram, char *);
  Result (*ptxSize)(NvrtcProgram, size_t *);
  Result (*ptx)(NvrtcProgram, char *);

  /// Name of the first function that the library lacks, or null.
  const char *load() {
    const char *missing = nullptr;
    auto find = [&](const char *name, auto &function) {
      void *symbol = dlsym(library, name);
      if (!symbol && !missing)
        missing = name;
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find("nvrtcVersion", version);
    find("nvrtcGetErrorString", errorString);
    find("nvrtcCreateProgram", createProgram);
    find("nvrtcDestroyProgram", destroyProgram);
    find("nvrtcCompileProgram", compileProgram);
    find("nvrtcGetProgramLogSize", logSize);
    find("nvrtcGetProgramLog", log);
    find("nvrtcGetCUBINSize", cubinSize);
    find("nvrtcGetCUBIN", cubin);
    find("nvrtcGetPTXSize", ptxSize);
    find("nvrtcGetPTX", ptx);
    return missing;
  }

  std::string read(NvrtcProgram program, Result (*size)(NvrtcProgram, size_t *),
                   Result (*get)(NvrtcProgram, char *)) const {
    size_t bytes = 0;
    if (size(program, &bytes) != 0 || bytes == 0)
      return "";
    std::string content(bytes, '\0');
    return get(program, content.data()) == 0 ? content : "";
  }
};

/// One compiled program; destroyed with the object.
struct Nvrtc::Program {
  const Api &api;
  NvrtcProgram handle = nullptr;

  Program(const Api &api, const std::string &text) : api(api) {
    std::vector<const char *> contents, names;
    for (const Template &file : templates()) {
      contents.push_back(file.text.c_str());
      names.push_back(file.name.c_str());
    }
    if (api.createProgram(&handle, text.c_str(), "kernel.cu", int(names.size()), contents.data(), names.data()) != 0)
      handle = nullptr;
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() {
    if (handle)
      api.destroyProgram(&handle);
  }

  /// Compiles; gives the log.
  llvm::Expected<std::string> compile(const std::string &arch, bool toCubin) {
    if (!handle)
      return llvm::createStringError("NVRTC could not take the program");
    const std::string archOption = "--gpu-architecture=" + arch;
    // No contraction of a * b + c: every operation rounds as eager's does; the GEMMs ask for fma by name.
    std::vector<const char *> options = {archOption.c_str(), "--std=c++17", "--fmad=false", "--no-source-include"};
    if (toCubin)
      options.push_back("--ptxas-options=-v");
    const Result result = api.compileProgram(handle, int(options.size()), options.data());
    std::string log = withoutEnd(api.read(handle, api.logSize, api.log));
    if (result != 0)
      return llvm::createStringError("NVRTC for " + arch + ": " + api.errorString(result) + "\n" + log);
    return log;
  }
};

Nvrtc::Nvrtc() : api(std::make_unique<Api>()) {}

Nvrtc::~Nvrtc() = default; // the library stays loaded: it keeps memory of its own

llvm::Expected<std::unique_ptr<Nvrtc>> Nvrtc::open(const std::string &deps) {
  const std::filesystem::path wheels = std::filesystem::path(deps) / "wheels" / "nvidia";
  std::filesystem::path file;
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(wheels, ignored))
    if (std::filesystem::exists(entry.path() / "lib" / "libnvrtc.so.13", ignored))
      file = entry.path() / "lib" / "libnvrtc.so.13";
  if (file.empty())
    return llvm::createStringError("no libnvrtc.so.13 below " + wheels.string() +
                                   ": run tools/setup.sh, or set GRAPHC_DEPS to where it installed");
  std::unique_ptr<Nvrtc> nvrtc(new Nvrtc());
  // NVRTC opens its builtins by their name alone. Loaded before from beside it, that name means them, and never those of a toolkit that the machine has.
  const std::filesystem::path builtins =
      file.parent_path() / ("libnvrtc-builtins.so." + std::to_string(pinnedMajor) + "." + std::to_string(pinnedMinor));
  if (!dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL))
    return llvm::createStringError(builtins.string() + ": " + dlerror());
  nvrtc->api->library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!nvrtc->api->library)
    return llvm::createStringError(file.string() + ": " + dlerror());
  if (const char *missing = nvrtc->api->load())
    return llvm::createStringError(file.string() + " has no function " + missing);
  int major = 0, minor = 0;
  nvrtc->api->version(&major, &minor);
  if (major != pinnedMajor || minor != pinnedMinor)
    return llvm::createStringError(file.string() + " is NVRTC " + std::to_string(major) + "." + std::to_string(minor) +
                                   ", expected " + std::to_string(pinnedMajor) + "." + std::to_string(pinnedMinor) +
                                   ": run tools/setup.sh");
  return nvrtc;
}

llvm::Expected<Cubin> Nvrtc::compileUnchecked(const std::string &text, const std::string &arch) const {
  Program program(*api, text);
  llvm::Expected<std::string> log = program.compile(arch, true);
  if (!log)
    return log.takeError();
  Cubin result = {arch, api->read(program.handle, api->cubinSize, api->cubin), parsePtxasLog(*log)};
  if (result.image.empty())
    return llvm::createStringError("NVRTC gave no cubin for " + arch);
  return result;
}

llvm::Expected<Cubin> Nvrtc::compile(const std::string &text, const std::string &arch) const {
  llvm::Expected<Cubin> cubin = compileUnchecked(text, arch);
  if (!cubin)
    return cubin.takeError();
  if (std::string problem = cubin->facts.problem(); !problem.empty())
    return llvm::createStringError("kernel refused for " + arch + ": " + problem);
  return cubin;
}

llvm::Expected<std::string> Nvrtc::compileToPtx(const std::string &text, const std::string &virtualArch) const {
  Program program(*api, text);
  llvm::Expected<std::string> log = program.compile(virtualArch, false);
  if (!log)
    return log.takeError();
  return withoutEnd(api->read(program.handle, api->ptxSize, api->ptx));
}

std::string defaultDepsFolder() {
  if (const char *deps = std::getenv("GRAPHC_DEPS"))
    return deps;
  const char *home = std::getenv("HOME");
  return std::string(home ? home : "") + "/.cache/graphc/deps";
}

} // namespace graphc::cuda
