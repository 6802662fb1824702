// `graphc bisect MODEL`: which pass, and which kernel, changes the answer first?
#include "tools/driver/Failure.h"
#include "tools/graphc/Commands.h"
#include "tools/graphc/Progress.h"
#include "tools/graphc/VerifyArguments.h"
#include "tools/graphc/VerifyReports.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace graphc::cli {

llvm::Error bisectCommand(const Arguments &given) {
  CLI::App app("Compiles a model and, where it computes something wrong, names the first pass and the first kernel that change the answer.\n"
               "Exit status 5: something is wrong.",
               "graphc bisect");
  VerifyArguments arguments;
  arguments.addTo(app);
  llvm::Expected<bool> goOn = parse(app, given);
  if (!goOn || !*goOn)
    return goOn.takeError();
  llvm::Expected<verify::VerifyOptions> options = arguments.options();
  if (!options)
    return options.takeError();
  llvm::Expected<verify::BisectReport> report = [&] {
    Progress progress;
    options->compile.progress = [&](llvm::StringRef phase, size_t done, size_t total) { progress.show(phase, done, total); };
    return verify::bisect(*options);
  }();
  if (!report)
    return report.takeError();
  if (arguments.json)
    llvm::outs() << llvm::json::Value(bisectJson(*report)) << "\n";
  else
    llvm::outs() << formatBisect(arguments.compile.path, *report);
  llvm::outs().flush();
  if (!report->right)
    return driver::failure(driver::ExitStatus::Differs, "'" + arguments.compile.path + "' is computed wrongly: see the report");
  return llvm::Error::success();
}

} // namespace graphc::cli
