// Opening and compiling for `run` and `bench`; see LoadedModel.h.
#include "tools/graphc/LoadedModel.h"
#include "runtime/plan/Artifact.h"
#include "tools/driver/Failure.h"
#include "tools/graphc/Progress.h"
#include "tools/graphc/Summary.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace graphc::cli {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

llvm::Error compileInto(LoadedModel &loaded, const driver::CompileOptions &options) {
  Clock::time_point start = Clock::now();
  llvm::Expected<driver::CompileResult> result = driver::compile(options);
  if (!result)
    return result.takeError();
  loaded.compileSeconds = secondsSince(start);
  fmt::print(stderr, "{}", formatDiagnostics(result->diagnostics));
  loaded.compiled = result->summary;
  start = Clock::now();
  loaded.memory = std::move(result->artifact);
  loaded.model = std::make_unique<graphc::Model>(loaded.memory.get(), result->artifactBytes);
  loaded.loadSeconds = secondsSince(start);
  return llvm::Error::success();
}

driver::ExitStatus statusOf(graphc_status status) {
  switch (status) {
  case GRAPHC_ERROR_INTERNAL:
  case GRAPHC_ERROR_BUSY: // nobody else uses our contexts
    return driver::ExitStatus::Internal;
  case GRAPHC_ERROR_IO:
  case GRAPHC_ERROR_UNSUPPORTED:
  case GRAPHC_ERROR_MEMORY:
    return driver::ExitStatus::Environment;
  default:
    return driver::ExitStatus::Model;
  }
}

} // namespace

std::vector<driver::InputSpec> specsOf(const std::vector<npz::NamedArray> &arrays) {
  std::vector<driver::InputSpec> specs;
  for (const npz::NamedArray &entry : arrays) {
    llvm::StringRef name(entry.name);
    unsigned index = 0;
    if (name.consume_front("out") && !name.getAsInteger(10, index))
      continue;
    driver::InputSpec spec{entry.name, entry.array.dtype, {}};
    for (int64_t dim : entry.array.shape)
      spec.dims.push_back({dim, "", 1, std::nullopt});
    specs.push_back(std::move(spec));
  }
  return specs;
}

llvm::Expected<bool> isArtifact(const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    return driver::failure(driver::ExitStatus::Model, "'" + path + "': no such file");
  if (llvm::sys::fs::is_directory(path))
    return driver::failure(driver::ExitStatus::Model, "'" + path + "' is a folder, expected a file");
  char start[sizeof artifactMagic] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return std::memcmp(start, artifactMagic, sizeof start) == 0;
}

llvm::Expected<LoadedModel> loadModel(const CompileArguments &arguments, const std::vector<npz::NamedArray> &arrays) {
  llvm::Expected<driver::CompileOptions> options = arguments.options();
  if (!options)
    return options.takeError();
  llvm::Expected<bool> artifact = isArtifact(arguments.path);
  if (!artifact)
    return artifact.takeError();
  LoadedModel loaded;
  try {
    if (!*artifact) {
      if (options->inputs.empty())
        options->inputs = specsOf(arrays);
      Progress progress;
      options->progress = [&](llvm::StringRef phase, size_t done, size_t total) { progress.show(phase, done, total); };
      if (llvm::Error error = compileInto(loaded, *options))
        return error;
      return loaded;
    }
    if (arguments.anyGiven())
      return driver::failure(driver::ExitStatus::Usage, "'" + arguments.path +
                                                            "' is compiled already: it takes no compile options");
    Clock::time_point start = Clock::now();
    loaded.model = std::make_unique<graphc::Model>(arguments.path);
    loaded.loadSeconds = secondsSince(start);
  } catch (const graphc::Error &error) {
    return fromRuntime(error);
  }
  return loaded;
}

llvm::Error fromRuntime(const graphc::Error &error) {
  std::string text = error.what();
  if (!error.file.empty() && text.find(error.file) == std::string::npos)
    text += fmt::format(" ({}:{})", error.file, error.line);
  return driver::failure(statusOf(error.status()), text);
}

} // namespace graphc::cli
