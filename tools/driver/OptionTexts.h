// Compile options as people write them, on the command line and in the C API, turned into CompileOptions.
//
//   OptionTexts texts;
//   texts.inputs = {"x=f32[B,3]"};
//   llvm::Expected<CompileOptions> options = parseOptions("model.pt", texts);
#ifndef GRAPHC_TOOLS_DRIVER_OPTIONTEXTS_H
#define GRAPHC_TOOLS_DRIVER_OPTIONTEXTS_H

#include "tools/driver/Compiler.h"

namespace graphc::driver {

struct OptionTexts {
  std::string method;               // empty: "forward"
  std::string level;                // "none", "default"; empty: default
  std::string numerics;             // "strict", "default"; empty: default
  std::vector<std::string> inputs;  // "x=f32[B,3]"
  std::vector<std::string> binds;   // "sr=16000"
  std::vector<std::string> targets; // "cpu", …; read by compile()
  std::string debugPlant, debugSkip; // see CompileOptions

  bool anyGiven() const {
    return !method.empty() || !level.empty() || !numerics.empty() || !inputs.empty() || !binds.empty() || !targets.empty() ||
           !debugPlant.empty() || !debugSkip.empty();
  }
};

/// Errors: Usage, for texts that cannot be read and levels there are not.
llvm::Expected<CompileOptions> parseOptions(const std::string &path, const OptionTexts &texts);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_OPTIONTEXTS_H
