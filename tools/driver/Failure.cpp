// Error class of the tools; see Failure.h.
#include "tools/driver/Failure.h"
#include "llvm/Support/raw_ostream.h"

namespace graphc::driver {

char Failure::ID = 0;

void Failure::log(llvm::raw_ostream &os) const { os << message; }

llvm::Error failure(ExitStatus status, std::string message) {
  return llvm::make_error<Failure>(status, std::move(message));
}

FailureText describe(llvm::Error error) {
  FailureText text;
  bool known = false;
  auto append = [&](const std::string &message) {
    if (!text.message.empty())
      text.message += '\n';
    text.message += message;
  };
  llvm::handleAllErrors(
      std::move(error),
      [&](const Failure &one) {
        if (!known)
          text.status = one.status;
        known = true;
        append(one.message);
      },
      [&](const llvm::ErrorInfoBase &other) { append(other.message()); });
  return text;
}

} // namespace graphc::driver
