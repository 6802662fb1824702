// `graphc bench FILE [--seconds S] [--json]`: times runs of a model, one after the other on one context.
#include "tools/driver/Failure.h"
#include "tools/graphc/Commands.h"
#include "tools/graphc/Feed.h"
#include "tools/graphc/LoadedModel.h"
#include "tools/graphc/Summary.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace graphc::cli {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Times {
  double loadUs = 0;     // opening the artifact and making a context
  double firstRunUs = 0; // plans memory, touches the weights
  std::vector<double> runsUs;
  uint64_t memoryBytes = 0; // of the context
};

/// Warms up for a tenth of the time, at least three runs, then times runs until `seconds` are over.
Times measure(const LoadedModel &loaded, const Feed *given, uint32_t threads, double seconds) {
  Times times;
  graphc_context_options options{};
  options.size = sizeof options;
  options.threads = threads;
  Clock::time_point start = Clock::now();
  graphc::Context context(*loaded.model, &options);
  times.loadUs = loaded.loadSeconds * 1e6 + microseconds(start);
  Feed feed = given ? *given : Feed::random(*loaded.model);
  feed.bind(context);
  start = Clock::now();
  context.run();
  times.firstRunUs = microseconds(start);
  start = Clock::now();
  for (int i = 0; i < 3 || microseconds(start) < seconds * 1e5; ++i)
    context.run();
  for (start = Clock::now(); times.runsUs.empty() || microseconds(start) < seconds * 1e6;) {
    Clock::time_point one = Clock::now();
    context.run();
    times.runsUs.push_back(microseconds(one));
  }
  times.memoryBytes = context.memory();
  return times;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

void printJson(const LoadedModel &loaded, const Times &times, uint32_t threads) {
  llvm::json::Array runs;
  for (double us : times.runsUs)
    runs.push_back(std::round(us * 1000) / 1000);
  llvm::json::Object object{{"times_us", std::move(runs)},
                            {"load_us", times.loadUs},
                            {"first_run_us", times.firstRunUs},
                            {"threads", threads},
                            {"level", loaded.model->info().level},
                            {"memory_bytes", static_cast<int64_t>(times.memoryBytes)}};
  if (loaded.compiled)
    object["compile_s"] = loaded.compileSeconds;
  llvm::outs() << llvm::json::Value(std::move(object)) << "\n";
  llvm::outs().flush();
}

void printText(const LoadedModel &loaded, const Times &times) {
  fmt::print("{} runs on {}: median {:.1f} us, 10 % below {:.1f}, 10 % above {:.1f}, least {:.1f}\n", times.runsUs.size(),
             loaded.model->info().level, quantile(times.runsUs, 0.5), quantile(times.runsUs, 0.1),
             quantile(times.runsUs, 0.9), quantile(times.runsUs, 0));
  fmt::print("load {:.0f} us, first run {:.0f} us, context {}\n", times.loadUs, times.firstRunUs,
             formatBytes(static_cast<int64_t>(times.memoryBytes)));
  if (loaded.compiled)
    fmt::print("compiled in {:.2f} s\n", loaded.compileSeconds);
}

} // namespace

llvm::Error benchCommand(const Arguments &arguments) {
  CLI::App app("Times an artifact, or compiles and times a model file. Without --inputs the inputs are random (fixed seed, "
               "symbolic dims at their minimum).",
               "graphc bench");
  CompileArguments compileArguments;
  std::string inputs;
  uint32_t threads = 0;
  double seconds = 3;
  bool json = false;
  compileArguments.addTo(app, "an artifact (.gcx) or a model file (.pt, .pt2)");
  app.add_option("--inputs", inputs, "arrays under the inputs' names or in0, in1, …")->option_text("FILE.npz");
  app.add_option("--seconds", seconds, "how long to measure (default: 3)")->option_text("S")->check(CLI::Range(0.0, 3600.0));
  app.add_option("--threads", threads, "most threads (default: all)")->option_text("N");
  app.add_flag("--json", json, "print {\"times_us\": […], \"load_us\": …}");
  llvm::Expected<bool> goOn = parse(app, arguments);
  if (!goOn || !*goOn)
    return goOn.takeError();
  llvm::Expected<std::vector<npz::NamedArray>> arrays = readArrays(inputs, {});
  if (!arrays)
    return arrays.takeError();
  llvm::Expected<LoadedModel> loaded = loadModel(compileArguments, *arrays);
  if (!loaded)
    return loaded.takeError();
  try {
    std::optional<Feed> feed;
    if (!inputs.empty()) {
      llvm::Expected<Feed> given = Feed::fromArrays(*loaded->model, std::move(*arrays));
      if (!given)
        return given.takeError();
      feed = std::move(*given);
    }
    Times times = measure(*loaded, feed ? &*feed : nullptr, threads, seconds);
    if (json)
      printJson(*loaded, times, threads);
    else
      printText(*loaded, times);
  } catch (const graphc::Error &error) {
    return fromRuntime(error);
  }
  return llvm::Error::success();
}

} // namespace graphc::cli
