// See VerifyArguments.h.
#include "tools/graphc/VerifyArguments.h"
#include "tools/driver/Failure.h"
#include "tools/graphc/Feed.h"
#include "tools/graphc/LoadedModel.h"
#include <CLI/CLI.hpp>

namespace graphc::cli {

void VerifyArguments::addTo(CLI::App &app) {
  compile.addTo(app, "a model file (.pt, .pt2)");
  app.add_option("--inputs", inputs, "arrays under the inputs' names or in0, in1, …; each file is a set of its own. Repeatable")
      ->allow_extra_args(false)
      ->option_text("FILE.npz");
  app.add_option("--data", data, "an array for one input, with or without --inputs. Repeatable")->allow_extra_args(false)->option_text("NAME=FILE.npy");
  app.add_option("--seeds", seeds, "how many sets of made-up inputs, where none are given (default: 2)")->option_text("N")->check(CLI::Range(1, 1000));
  app.add_option("--calls", calls, "calls in a row on each set (default: 3 for models with state, else 1)")->option_text("N")->check(CLI::Range(1, 10000));
  app.add_option("--threads", threads, "most threads (default: all)")->option_text("N");
  app.add_option("--reference", reference, "eager (default for TorchScript) or interpreter (.pt2 has no other)")->option_text("NAME");
  app.add_flag("--json", json, "print one JSON document");
}

llvm::Expected<verify::VerifyOptions> VerifyArguments::options() const {
  llvm::Expected<bool> artifact = isArtifact(compile.path);
  if (!artifact)
    return artifact.takeError();
  if (*artifact)
    return driver::failure(driver::ExitStatus::Model, "'" + compile.path + "' is compiled already: verify and bisect take the model that it was compiled from");
  if (!reference.empty() && reference != "eager" && reference != "interpreter")
    return driver::failure(driver::ExitStatus::Usage, "--reference '" + reference + "': expected eager or interpreter");
  llvm::Expected<driver::CompileOptions> options = compile.options();
  if (!options)
    return options.takeError();
  verify::VerifyOptions result;
  result.compile = std::move(*options);
  result.seeds = seeds;
  result.calls = calls;
  result.threads = threads;
  result.interpreterOnly = reference == "interpreter";
  std::vector<std::string> files = inputs;
  if (files.empty() && !data.empty())
    files.push_back("");
  for (const std::string &file : files) {
    llvm::Expected<std::vector<npz::NamedArray>> arrays = readArrays(file, data);
    if (!arrays)
      return arrays.takeError();
    if (result.inputs.empty() && result.compile.inputs.empty())
      result.compile.inputs = specsOf(*arrays);
    result.inputs.push_back({file.empty() ? "--data" : file, std::move(*arrays)});
  }
  return result;
}

} // namespace graphc::cli
