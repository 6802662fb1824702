// Compile options of the command line; see CompileArguments.h.
#include "tools/graphc/CompileArguments.h"
#include "tools/driver/Failure.h"
#include <CLI/CLI.hpp>

namespace graphc::cli {
namespace {

/// "none" or "default"; the other levels of the design need tuning and graph replay.
llvm::Expected<driver::OptLevel> parseLevel(const std::string &text) {
  if (text == "none")
    return driver::OptLevel::None;
  if (text.empty() || text == "default")
    return driver::OptLevel::Default;
  if (text == "reduce-overhead" || text == "max-autotune")
    return driver::failure(driver::ExitStatus::Usage,
                           "-O " + text + " comes with a later version of graphc; this one has -O none and -O default");
  return driver::failure(driver::ExitStatus::Usage, "-O '" + text + "': expected none or default");
}

} // namespace

void CompileArguments::addTo(CLI::App &app, const std::string &fileHelp) {
  app.add_option("FILE", path, fileHelp)->required();
  app.add_option("-O", level, "none or default")->option_text("LEVEL");
  app.add_option("--input", inputs, "dtype and dims of an argument, such as 'x=f32[B,3,224,224]'; a dim is a number, a "
                                    "symbol (1 or more) or SYMBOL:LO..HI. Needed for TorchScript. Repeatable")
      ->allow_extra_args(false)
      ->option_text("SPEC");
  app.add_option("--bind", binds, "fixes a scalar or string argument, such as sr=16000. Repeatable")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE");
  app.add_option("--method", method, "the method to compile (default: forward)")->option_text("NAME");
  app.add_option("--target", targets, "cpu (default: code for x86-64-v3 and v4), cpu:x86-64-v3, cpu:x86-64-v4 or "
                                      "cpu:native. Repeatable")
      ->allow_extra_args(false)
      ->option_text("TARGET");
  app.add_option("--debug-plant", debugPlant)->group(""); // not in --help: docs/CLI.md
}

llvm::Expected<driver::CompileOptions> CompileArguments::options() const {
  driver::CompileOptions options;
  options.path = path;
  options.targets = targets;
  options.debugPlant = debugPlant;
  if (!method.empty())
    options.method = method;
  llvm::Expected<driver::OptLevel> optLevel = parseLevel(level);
  if (!optLevel)
    return optLevel.takeError();
  options.optLevel = *optLevel;
  for (const std::string &text : inputs) {
    llvm::Expected<driver::InputSpec> spec = driver::parseInputSpec(text);
    if (!spec)
      return spec.takeError();
    options.inputs.push_back(std::move(*spec));
  }
  for (const std::string &text : binds) {
    llvm::Expected<driver::BindSpec> bind = driver::parseBindSpec(text);
    if (!bind)
      return bind.takeError();
    options.binds.push_back(std::move(*bind));
  }
  if (llvm::Error error = driver::unifySymbols(options.inputs))
    return error;
  return options;
}

bool CompileArguments::anyGiven() const {
  return !method.empty() || !level.empty() || !inputs.empty() || !binds.empty() || !targets.empty() || !debugPlant.empty();
}

} // namespace graphc::cli
