// How the runtime reports a failure: inside the library a Failure is thrown (only on paths that end a call; a steady-state run
// throws nothing), the C API's boundary (guarded()) turns it into a status code and the thread's last error.
//
//   throw Failure(GRAPHC_ERROR_INPUT, text("input '", name, "' has rank ", found, ", expected ", rank));
#ifndef GRAPHC_RUNTIME_STATUS_FAILURE_H
#define GRAPHC_RUNTIME_STATUS_FAILURE_H

#include "runtime/graphc.h"

#include <exception>
#include <new>
#include <sstream>
#include <string>

namespace graphc::runtime {

/// The parts joined; numbers and strings.
template <typename... Parts> std::string text(const Parts &...parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// graphc_error_details with strings of its own.
struct FailureDetails {
  int32_t code = 0;
  int64_t step = -1, value = 0, extent = 0;
  std::string op, file, modulePath;
  uint32_t line = 0;
};

class Failure : public std::exception {
public:
  Failure(graphc_status status, std::string message, FailureDetails details = {})
      : status(status), message(std::move(message)), details(std::move(details)) {}
  const char *what() const noexcept override { return message.c_str(); }

  graphc_status status;
  std::string message;
  FailureDetails details;
};

/// A bug of ours.
inline Failure internalFailure(const std::string &what) {
  return Failure(GRAPHC_ERROR_INTERNAL, "internal error: " + what +
                                            " (a bug in graphc: please report it with the artifact that shows it)");
}

/// Becomes the calling thread's last error. Never throws: where memory is short a fixed text stands in.
void setLastFailure(const Failure &failure) noexcept;
void setLastFailure(graphc_status status, const char *fixedText) noexcept;

/// Runs `body` at the C boundary: nothing that it throws gets out.
template <typename Body> graphc_status guarded(Body &&body) noexcept {
  try {
    body();
    return GRAPHC_OK;
  } catch (const Failure &failure) {
    setLastFailure(failure);
    return failure.status;
  } catch (const std::bad_alloc &) {
    setLastFailure(GRAPHC_ERROR_MEMORY, "out of memory");
    return GRAPHC_ERROR_MEMORY;
  } catch (const std::exception &error) {
    setLastFailure(GRAPHC_ERROR_INTERNAL, error.what());
    return GRAPHC_ERROR_INTERNAL;
  } catch (...) {
    setLastFailure(GRAPHC_ERROR_INTERNAL, "internal error: unknown exception");
    return GRAPHC_ERROR_INTERNAL;
  }
}

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_STATUS_FAILURE_H
