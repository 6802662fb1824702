// The error of a machine that can't read TorchScript, apart from errors of the file.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_NOLIBTORCH_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_NOLIBTORCH_H

#include "llvm/Support/Error.h"

#include <string>

namespace graphc::frontend {

/// LibTorch is not in this build or can't be loaded: the file may be good, but this machine can't read it.
class NoLibTorch : public llvm::ErrorInfo<NoLibTorch> {
public:
  explicit NoLibTorch(std::string message) : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  std::string message;
  static char ID;
};

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_NOLIBTORCH_H
