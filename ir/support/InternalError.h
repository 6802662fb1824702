// What a failed GRAPHC_CHECK does where graphc is a library in somebody's process: it throws, instead of ending the process.
//
//   InternalErrorScope scope;
//   try { … } catch (const InternalError &error) { … }
#ifndef GRAPHC_IR_SUPPORT_INTERNALERROR_H
#define GRAPHC_IR_SUPPORT_INTERNALERROR_H

#include <stdexcept>

namespace graphc {

/// What a failed check throws within an InternalErrorScope. It unwinds through MLIR and LLVM, which free nothing on the way:
/// what was being compiled is lost, the process is fine.
struct InternalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// While one lives, failed checks of its thread throw InternalError.
class InternalErrorScope {
public:
  InternalErrorScope();
  ~InternalErrorScope();
  InternalErrorScope(const InternalErrorScope &) = delete;
  InternalErrorScope &operator=(const InternalErrorScope &) = delete;
  /// True within one, on this thread: threads that work for this one open a scope of their own then.
  static bool isOpen();
};

} // namespace graphc

#endif // GRAPHC_IR_SUPPORT_INTERNALERROR_H
