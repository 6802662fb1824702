// `graphc verify MODEL`: is what graphc computes right, and at which op does it go wrong?
#include "tools/driver/Failure.h"
#include "tools/graphc/Commands.h"
#include "tools/graphc/Progress.h"
#include "tools/graphc/VerifyArguments.h"
#include "tools/graphc/VerifyReports.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace graphc::cli {

llvm::Error verifyCommand(const Arguments &given) {
  CLI::App app("Compiles a model and compares what it computes with eager PyTorch (TorchScript), or with graphc's interpreter in double\n"
               "precision (.pt2): the outputs, and values on the way that kernels write. Exit status 5: something is wrong.",
               "graphc verify");
  VerifyArguments arguments;
  arguments.addTo(app);
  llvm::Expected<bool> goOn = parse(app, given);
  if (!goOn || !*goOn)
    return goOn.takeError();
  llvm::Expected<verify::VerifyOptions> options = arguments.options();
  if (!options)
    return options.takeError();
  llvm::Expected<verify::VerifyReport> report = [&] {
    Progress progress;
    options->compile.progress = [&](llvm::StringRef phase, size_t done, size_t total) { progress.show(phase, done, total); };
    return verify::verify(*options);
  }();
  if (!report)
    return report.takeError();
  if (arguments.json)
    llvm::outs() << llvm::json::Value(verifyJson(*report)) << "\n";
  else
    llvm::outs() << formatVerify(arguments.compile.path, *report);
  llvm::outs().flush();
  if (!report->right)
    return driver::failure(driver::ExitStatus::Differs, "'" + arguments.compile.path + "' is computed wrongly: see the report");
  return llvm::Error::success();
}

} // namespace graphc::cli
