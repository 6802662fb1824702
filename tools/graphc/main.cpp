// graphc: the command line. A first word that is a command's name runs that command, anything else compiles (docs/CLI.md).
//
// Exit status: 0 done, 1 the user's input or model is at fault, 2 wrong command line, 3 a bug of ours, 4 the environment,
// 5 verify or bisect found a wrong value.
#include "runtime/graphc.h"
#include "tools/driver/Failure.h"
#include "tools/graphc/Commands.h"
#include <cstdio>
#include <exception>
#include <new>

using namespace graphc;

namespace {

struct Command {
  const char *name;
  llvm::Error (*run)(const cli::Arguments &);
};
constexpr Command commands[] = {
    {"run", cli::runCommand},       {"bench", cli::benchCommand},   {"inspect", cli::inspectCommand},
    {"verify", cli::verifyCommand}, {"bisect", cli::bisectCommand}};
constexpr const char *laterCommands[] = {"explain", "tune", "profile"};

llvm::Error dispatch(cli::Arguments arguments) {
  if (arguments.empty())
    return driver::failure(driver::ExitStatus::Usage, "expected a model file or a command (see graphc --help)");
  if (arguments.front() == "--version") {
    std::printf("graphc %s\n", graphc_version());
    return llvm::Error::success();
  }
  for (const Command &command : commands)
    if (arguments.front() == command.name)
      return command.run(cli::Arguments(arguments.begin() + 1, arguments.end()));
  for (const char *later : laterCommands)
    if (arguments.front() == later)
      return driver::failure(driver::ExitStatus::Usage, "the command " + arguments.front() +
                                                            " comes with a later version of graphc (a file of that name: ./" +
                                                            arguments.front() + ")");
  return cli::compileCommand(arguments);
}

int report(driver::ExitStatus status, const std::string &message) {
  std::fprintf(stderr, "graphc: %s%s\n", status == driver::ExitStatus::Internal ? "internal error: " : "error: ",
               message.c_str());
  if (status == driver::ExitStatus::Internal)
    std::fprintf(stderr, "This is a bug of graphc %s: please report the command line, the model and this text.\n",
                 graphc_version());
  return static_cast<int>(status);
}

} // namespace

int main(int argc, char **argv) {
  try {
    llvm::Error error = dispatch(cli::Arguments(argv + 1, argv + argc));
    if (!error)
      return 0;
    driver::FailureText text = driver::describe(std::move(error));
    return report(text.status, text.message);
  } catch (const std::bad_alloc &) {
    return report(driver::ExitStatus::Environment, "out of memory");
  } catch (const std::exception &exception) {
    return report(driver::ExitStatus::Internal, exception.what());
  }
}
