// The options that `graphc verify` and `graphc bisect` share, besides the compile options.
#ifndef GRAPHC_TOOLS_GRAPHC_VERIFYARGUMENTS_H
#define GRAPHC_TOOLS_GRAPHC_VERIFYARGUMENTS_H

#include "tools/graphc/CompileArguments.h"
#include "tools/verify/Verify.h"

namespace graphc::cli {

class VerifyArguments {
public:
  /// Adds FILE and all options; this object must outlive the parse.
  void addTo(CLI::App &app);
  /// Reads the files of --inputs. A TorchScript file without --input takes dtypes and dims from the first of them. Errors: Usage, Model.
  llvm::Expected<verify::VerifyOptions> options() const;

  CompileArguments compile;
  bool json = false;

private:
  std::vector<std::string> inputs, data;
  unsigned seeds = 2, calls = 0, threads = 0;
  std::string reference;
};

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_VERIFYARGUMENTS_H
