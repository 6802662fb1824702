// Compile options of the command line; see CompileArguments.h.
#include "tools/graphc/CompileArguments.h"
#include <CLI/CLI.hpp>

namespace graphc::cli {

void CompileArguments::addTo(CLI::App &app, const std::string &fileHelp) {
  app.add_option("FILE", path, fileHelp)->required();
  app.add_option("-O", texts.level, "none or default")->option_text("LEVEL");
  app.add_option("--input", texts.inputs, "dtype and dims of an argument, such as 'x=f32[B,3,224,224]'; a dim is a number, a "
                                    "symbol (1 or more) or SYMBOL:LO..HI. Needed for TorchScript. Repeatable")
      ->allow_extra_args(false)
      ->option_text("SPEC");
  app.add_option("--bind", texts.binds, "fixes a scalar or string argument, such as sr=16000. Repeatable")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE");
  app.add_option("--method", texts.method, "the method to compile (default: forward)")->option_text("NAME");
  app.add_option("--target", texts.targets, "cpu (default: code for x86-64-v3 and v4), cpu:x86-64-v3, cpu:x86-64-v4 or "
                                      "cpu:native. Repeatable")
      ->allow_extra_args(false)
      ->option_text("TARGET");
  app.add_option("--numerics", texts.numerics, "strict: f16 and bf16 results round after every op, as in eager, also where ops "
                                               "are fused (default: where a kernel ends)")
      ->option_text("default|strict");
  app.add_option("--debug-plant", texts.debugPlant)->group(""); // not in --help: docs/CLI.md
  app.add_option("--debug-skip", texts.debugSkip)->group("");
}

} // namespace graphc::cli
