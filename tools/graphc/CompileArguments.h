// The options that say how a model is compiled, as `graphc MODEL`, `graphc run MODEL` and `graphc bench MODEL` share them.
//
//   CompileArguments arguments;
//   arguments.addTo(app);                        before parsing
//   llvm::Expected<driver::CompileOptions> options = arguments.options();      after it
#ifndef GRAPHC_TOOLS_GRAPHC_COMPILEARGUMENTS_H
#define GRAPHC_TOOLS_GRAPHC_COMPILEARGUMENTS_H

#include "tools/driver/OptionTexts.h"
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace graphc::cli {

/// Raw texts of the options. `path` is the positional argument.
class CompileArguments {
public:
  /// Adds FILE (named `fileHelp` in --help) and the options; this object must outlive the parse.
  void addTo(CLI::App &app, const std::string &fileHelp);

  /// Errors: Usage, for specs that cannot be read.
  llvm::Expected<driver::CompileOptions> options() const { return driver::parseOptions(path, texts); }

  /// True where any option other than the file was given: an artifact takes none.
  bool anyGiven() const { return texts.anyGiven(); }

  std::string path;

private:
  driver::OptionTexts texts;
};

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_COMPILEARGUMENTS_H
