// `graphc verify MODEL`: is what graphc computes right, and at which op does it go wrong?
// `graphc bisect MODEL`: which pass, and which kernel, changes the answer first?
#include "tools/driver/Failure.h"
#include "tools/graphc/Commands.h"
#include "tools/graphc/Progress.h"
#include "tools/graphc/VerifyArguments.h"
#include "tools/graphc/VerifyReports.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

namespace graphc::cli {
namespace {

/// Parses the options, checks the model under a progress line, prints the report; fails where the model is computed wrongly.
template <class Report>
llvm::Error checkModel(const Arguments &given, CLI::App &app, llvm::Expected<Report> (*check)(const verify::VerifyOptions &),
                       llvm::json::Object (*toJson)(const Report &), std::string (*format)(const std::string &model, const Report &)) {
  VerifyArguments arguments;
  arguments.addTo(app);
  llvm::Expected<bool> goOn = parse(app, given);
  if (!goOn || !*goOn)
    return goOn.takeError();
  llvm::Expected<verify::VerifyOptions> options = arguments.options();
  if (!options)
    return options.takeError();
  llvm::Expected<Report> report = [&] {
    Progress progress;
    options->compile.progress = [&](llvm::StringRef phase, size_t done, size_t total) { progress.show(phase, done, total); };
    return check(*options);
  }();
  if (!report)
    return report.takeError();
  if (arguments.json)
    llvm::outs() << llvm::json::Value(toJson(*report)) << "\n";
  else
    llvm::outs() << format(arguments.compile.path, *report);
  llvm::outs().flush();
  if (!report->right)
    return driver::failure(driver::ExitStatus::Differs, "'" + arguments.compile.path + "' is computed wrongly: see the report");
  return llvm::Error::success();
}

} // namespace

llvm::Error verifyCommand(const Arguments &given) {
  CLI::App app("Compiles a model and compares what it computes with eager PyTorch (TorchScript), or with graphc's interpreter in double\n"
               "precision (.pt2): the outputs, and values on the way that kernels write. Exit status 5: something is wrong.",
               "graphc verify");
  return checkModel<verify::VerifyReport>(given, app, verify::verify, verifyJson, formatVerify);
}

llvm::Error bisectCommand(const Arguments &given) {
  CLI::App app("Compiles a model and, where it computes something wrong, names the first pass and the first kernel that change the answer.\n"
               "Exit status 5: something is wrong.",
               "graphc bisect");
  return checkModel<verify::BisectReport>(given, app, verify::bisect, bisectJson, formatBisect);
}

} // namespace graphc::cli
