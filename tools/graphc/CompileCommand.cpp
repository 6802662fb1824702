// `graphc MODEL [-o FILE.gcx] …`: compiles a model file into an artifact, or prints one stage of the way (--emit).
#include "tools/driver/Failure.h"
#include "tools/driver/OutputFile.h"
#include "tools/driver/Report.h"
#include "tools/graphc/Commands.h"
#include "tools/graphc/CompileArguments.h"
#include "tools/graphc/LoadedModel.h"
#include "tools/graphc/Progress.h"
#include "tools/graphc/Summary.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace graphc::cli {
namespace {

struct Stage {
  const char *name;
  driver::Emit emit;
};
constexpr Stage stages[] = {{"graph", driver::Emit::Graph}, {"kernel", driver::Emit::Kernel}, {"llvm", driver::Emit::Llvm},
                            {"asm", driver::Emit::Asm},     {"cuda", driver::Emit::Cuda},     {"ptx", driver::Emit::Ptx},
                            {"plan", driver::Emit::Plan}};

llvm::Expected<driver::Emit> parseStage(const std::string &text) {
  if (text.empty())
    return driver::Emit::Artifact;
  for (const Stage &stage : stages)
    if (text == stage.name)
      return stage.emit;
  return driver::failure(driver::ExitStatus::Usage,
                         "--emit '" + text + "': expected graph, kernel, llvm, asm, cuda, ptx or plan");
}

/// Where the artifact goes when nobody says: the model's name with .gcx, in the current folder.
std::string defaultOutput(const std::string &path) { return (llvm::sys::path::stem(path) + ".gcx").str(); }

llvm::Error writeReport(const std::string &path, const driver::CompileResult &result) {
  if (path.empty())
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", llvm::json::Value(driver::makeReport(result)));
  return driver::writeFile(path, llvm::StringRef(text));
}

llvm::Error writeStage(const std::string &output, const driver::CompileResult &result) {
  if (!output.empty())
    return driver::writeFile(output, llvm::StringRef(result.text));
  llvm::outs() << result.text;
  llvm::outs().flush();
  return llvm::Error::success();
}

void printSummary(const driver::CompileOptions &options, const driver::CompileResult &result) {
  fmt::print(stderr, "{} ({}) -> {} ({})\n{}", options.path, result.summary.producer, options.output,
             formatBytes(static_cast<int64_t>(result.artifactBytes)), formatSummary(result.summary));
}

} // namespace

llvm::Error compileCommand(const Arguments &arguments) {
  CLI::App app("Compiles a PyTorch model file, TorchScript (.pt) or torch.export (.pt2), into one artifact that libgraphc runs.\n"
               "Other commands: graphc run, bench, inspect, verify, bisect; each has --help.",
               "graphc");
  CompileArguments compileArguments;
  std::string output, stage, report;
  compileArguments.addTo(app, "the model file");
  app.add_option("-o,--output", output, "the artifact to write (default: the model's name with .gcx, in this folder)")
      ->option_text("FILE");
  app.add_option("--emit", stage, "print one stage instead: graph, kernel, llvm, asm, cuda, ptx or plan")
      ->option_text("STAGE");
  app.add_option("--report", report, "write what was done and why as JSON")->option_text("FILE.json");
  llvm::Expected<bool> goOn = parse(app, arguments);
  if (!goOn || !*goOn)
    return goOn.takeError();
  llvm::Expected<driver::CompileOptions> options = compileArguments.options();
  if (!options)
    return options.takeError();
  llvm::Expected<driver::Emit> emit = parseStage(stage);
  if (!emit)
    return emit.takeError();
  options->emit = *emit;
  options->output = output.empty() ? defaultOutput(options->path) : output;
  llvm::Expected<bool> artifact = isArtifact(options->path);
  if (!artifact)
    return artifact.takeError();
  if (*artifact)
    return driver::failure(driver::ExitStatus::Model, "'" + options->path +
                                                          "' is compiled already: graphc run, bench or inspect take it");
  llvm::Expected<driver::CompileResult> result = [&] {
    Progress progress;
    options->progress = [&](llvm::StringRef phase, size_t done, size_t total) { progress.show(phase, done, total); };
    return driver::compile(*options);
  }();
  if (!result)
    return result.takeError();
  fmt::print(stderr, "{}", formatDiagnostics(result->diagnostics));
  if (llvm::Error error = writeReport(report, *result))
    return error;
  if (*emit != driver::Emit::Artifact)
    return writeStage(output, *result);
  printSummary(*options, *result);
  return llvm::Error::success();
}

} // namespace graphc::cli
