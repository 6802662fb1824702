// `graphc run FILE [--inputs in.npz] [--outputs out.npz]`: runs a model once, from the start of its state.
#include "tools/driver/Failure.h"
#include "tools/graphc/Commands.h"
#include "tools/graphc/FaultReport.h"
#include "tools/graphc/Feed.h"
#include "tools/graphc/LoadedModel.h"
#include "tools/npz/Npz.h"
#include <CLI/CLI.hpp>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace graphc::cli {
namespace {

constexpr size_t shownElements = 8;

/// "out0 f32[1,3]: 0.5 1 2": the first elements, for a look; --outputs has them all.
std::string formatArray(const npz::NamedArray &entry) {
  std::string text = entry.name + " " + npz::describeType(entry.array.dtype, entry.array.shape) + ":";
  bool isFloat = entry.array.dtype >= npz::ScalarType::F16 && entry.array.dtype <= npz::ScalarType::F64;
  npz::Array wide = llvm::cantFail( // widening within floats and within integers never fails
      npz::convert(entry.array, isFloat ? npz::ScalarType::F64 : npz::ScalarType::I64, entry.name));
  size_t count = wide.data.size() / sizeof(double);
  for (size_t i = 0; i < std::min(count, shownElements); ++i) {
    double number = 0;
    int64_t whole = 0;
    std::memcpy(isFloat ? static_cast<void *>(&number) : &whole, wide.data.data() + i * sizeof(double), sizeof(double));
    text += isFloat ? fmt::format(" {:.6g}", number) : fmt::format(" {}", whole);
  }
  return text + (count > shownElements ? " …\n" : "\n");
}

} // namespace

llvm::Error runCommand(const Arguments &arguments) {
  CLI::App app("Runs an artifact, or compiles and runs a model file, once.", "graphc run");
  CompileArguments compileArguments;
  std::string inputs, outputs, arena = "planned";
  std::vector<std::string> data;
  uint32_t threads = 0;
  compileArguments.addTo(app, "an artifact (.gcx) or a model file (.pt, .pt2)");
  app.add_option("--inputs", inputs, "arrays under the inputs' names or in0, in1, …")->option_text("FILE.npz");
  app.add_option("--data", data, "one input's array. Repeatable")->allow_extra_args(false)->option_text("NAME=FILE.npy");
  app.add_option("--outputs", outputs, "where to write the outputs (default: their first elements are printed)")
      ->option_text("FILE.npz");
  app.add_option("--threads", threads, "most threads (default: all)")->option_text("N");
  app.add_option("--arena", arena, "off: each buffer in pages of its own between inaccessible ones, to find kernels that read or write too far")
      ->option_text("planned|off")
      ->check(CLI::IsMember({"planned", "off"}));
  llvm::Expected<bool> goOn = parse(app, arguments);
  if (!goOn || !*goOn)
    return goOn.takeError();
  llvm::Expected<std::vector<npz::NamedArray>> arrays = readArrays(inputs, data);
  if (!arrays)
    return arrays.takeError();
  llvm::Expected<LoadedModel> loaded = loadModel(compileArguments, *arrays);
  if (!loaded)
    return loaded.takeError();
  try {
    llvm::Expected<Feed> feed = Feed::fromArrays(*loaded->model, std::move(*arrays));
    if (!feed)
      return feed.takeError();
    graphc_context_options options{};
    options.size = sizeof options;
    options.threads = threads;
    options.arena = arena == "off" ? GRAPHC_ARENA_OFF : GRAPHC_ARENA_PLANNED;
    graphc::Context context(*loaded->model, &options);
    feed->bind(context);
    std::optional<FaultReport> faults;
    if (options.arena == GRAPHC_ARENA_OFF)
      faults.emplace(*loaded->model, context);
    context.run();
    std::vector<npz::NamedArray> results = readOutputs(context);
    if (!outputs.empty())
      return npz::writeNpz(outputs, results);
    for (const npz::NamedArray &entry : results)
      fmt::print("{}", formatArray(entry));
  } catch (const graphc::Error &error) {
    return fromRuntime(error);
  }
  return llvm::Error::success();
}

} // namespace graphc::cli
