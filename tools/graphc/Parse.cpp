// Parsing shared by the subcommands; see Commands.h.
#include "tools/driver/Failure.h"
#include "tools/graphc/Commands.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace graphc::cli {
namespace {

/// Options of the design that this version does not have.
constexpr const char *laterOptions[] = {"--precision", "--dump-dir", "--fullgraph", "--fallback",
                                        "--bound",     "--no-vendor"};

llvm::Error refuseLaterOptions(const Arguments &arguments) {
  for (const std::string &argument : arguments)
    for (const char *option : laterOptions)
      if (llvm::StringRef(argument).split('=').first == option)
        return driver::failure(driver::ExitStatus::Usage,
                               std::string(option) + " comes with a later version of graphc; leave it out");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<bool> parse(CLI::App &app, const Arguments &arguments) {
  if (llvm::Error error = refuseLaterOptions(arguments))
    return error;
  Arguments reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError &error) {
    return driver::failure(driver::ExitStatus::Usage,
                           std::string(error.what()) + " (see " + app.get_name() + " --help)");
  }
  return true;
}

} // namespace graphc::cli
