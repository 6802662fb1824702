// Why something that the user asked for did not happen, and whose fault it is: that decides the exit status.
//
// Every llvm::Error that reaches a tool's main is turned into a message on stderr and one of the statuses of docs/CLI.md.
// Errors of other classes (llvm::StringError, …) count as ExitStatus::Model.
//
//   return failure(ExitStatus::Environment, "cannot write '" + path + "': " + reason);
#ifndef GRAPHC_TOOLS_DRIVER_FAILURE_H
#define GRAPHC_TOOLS_DRIVER_FAILURE_H

#include "llvm/Support/Error.h"
#include <string>

namespace graphc::driver {

/// The exit statuses of the tools.
enum class ExitStatus : int {
  Done = 0,
  Model = 1,       // the user's input or model is at fault
  Usage = 2,       // wrong command line
  Internal = 3,    // a bug of ours
  Environment = 4, // disk, driver, a missing library
  Differs = 5,     // verify, bisect: what graphc computes is not what it should be
};

/// An error that knows its exit status. The message says what was found, what was expected and what to do.
class Failure : public llvm::ErrorInfo<Failure> {
public:
  Failure(ExitStatus status, std::string message) : status(status), message(std::move(message)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  ExitStatus status;
  std::string message;
  static char ID;
};

/// A Failure as an llvm::Error.
llvm::Error failure(ExitStatus status, std::string message);

/// Takes an error apart: its text (several errors: one per line) and its exit status (the first Failure's, else Model).
struct FailureText {
  ExitStatus status = ExitStatus::Model;
  std::string message;
};
FailureText describe(llvm::Error error);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_FAILURE_H
