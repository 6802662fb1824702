// See OptionTexts.h.
#include "tools/driver/OptionTexts.h"
#include "tools/driver/Failure.h"

using namespace graphc;
using namespace graphc::driver;

/// "none" or "default"; the other levels of the design need tuning and graph replay.
static llvm::Expected<OptLevel> parseLevel(const std::string &text) {
  if (text == "none")
    return OptLevel::None;
  if (text.empty() || text == "default")
    return OptLevel::Default;
  if (text == "reduce-overhead" || text == "max-autotune")
    return failure(ExitStatus::Usage, "-O " + text + " comes with a later version of graphc; this one has -O none and -O default");
  return failure(ExitStatus::Usage, "-O '" + text + "': expected none or default");
}

/// Whether every op rounds as eager's does.
static llvm::Expected<bool> parseNumerics(const std::string &text) {
  if (text.empty() || text == "default")
    return false;
  if (text == "strict")
    return true;
  return failure(ExitStatus::Usage, "--numerics '" + text + "': expected default or strict");
}

llvm::Expected<CompileOptions> graphc::driver::parseOptions(const std::string &path, const OptionTexts &texts) {
  CompileOptions options;
  options.path = path;
  options.targets = texts.targets;
  options.debugPlant = texts.debugPlant;
  options.debugSkip = texts.debugSkip;
  if (!texts.method.empty())
    options.method = texts.method;
  llvm::Expected<OptLevel> level = parseLevel(texts.level);
  if (!level)
    return level.takeError();
  options.optLevel = *level;
  llvm::Expected<bool> strict = parseNumerics(texts.numerics);
  if (!strict)
    return strict.takeError();
  options.strictNumerics = *strict;
  for (const std::string &text : texts.inputs) {
    llvm::Expected<InputSpec> spec = parseInputSpec(text);
    if (!spec)
      return spec.takeError();
    options.inputs.push_back(std::move(*spec));
  }
  for (const std::string &text : texts.binds) {
    llvm::Expected<BindSpec> bind = parseBindSpec(text);
    if (!bind)
      return bind.takeError();
    options.binds.push_back(std::move(*bind));
  }
  if (llvm::Error error = unifySymbols(options.inputs))
    return error;
  return options;
}
