// The subcommands of graphc. Each takes its own command line (argv[0] is the command's name in messages), prints messages on
// stderr and results on stdout, and returns its exit status, or an error that main prints.
#ifndef GRAPHC_TOOLS_GRAPHC_COMMANDS_H
#define GRAPHC_TOOLS_GRAPHC_COMMANDS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace graphc::cli {

using Arguments = std::vector<std::string>; // without the program's and the command's name

llvm::Error compileCommand(const Arguments &arguments);
llvm::Error runCommand(const Arguments &arguments);
llvm::Error benchCommand(const Arguments &arguments);
llvm::Error inspectCommand(const Arguments &arguments);
/// Errors besides the usual: Differs, after the report was printed.
llvm::Error verifyCommand(const Arguments &arguments);
llvm::Error bisectCommand(const Arguments &arguments);

/// Parses. True: go on. False: --help was asked for and printed. Errors: Usage; options that a later version brings are named
/// as such.
llvm::Expected<bool> parse(CLI::App &app, const Arguments &arguments);

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_COMMANDS_H
