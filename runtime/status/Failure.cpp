// The per-thread last error behind graphc_last_error() and graphc_last_error_details().
#include "runtime/status/Failure.h"

#include <cstring>

namespace graphc::runtime {
namespace {

struct LastFailure {
  graphc_status status = GRAPHC_OK;
  std::string message;
  const char *fixedText = ""; // stands in where `message` could not be stored
  bool fixed = true;
  FailureDetails details;
};

LastFailure &lastFailure() {
  thread_local LastFailure last;
  return last;
}

} // namespace

void setLastFailure(const Failure &failure) noexcept {
  LastFailure &last = lastFailure();
  last.status = failure.status;
  try {
    last.message = failure.message;
    last.details = failure.details;
    last.fixed = false;
  } catch (...) {
    last.fixedText = "the call failed and memory is too short for the reason";
    last.fixed = true;
  }
}

void setLastFailure(graphc_status status, const char *fixedText) noexcept {
  LastFailure &last = lastFailure();
  last.status = status;
  last.details = FailureDetails();
  try {
    last.message = fixedText;
    last.fixed = false;
  } catch (...) {
    last.fixedText = "out of memory";
    last.fixed = true;
  }
}

} // namespace graphc::runtime

using namespace graphc::runtime;

extern "C" {

const char *graphc_last_error(void) {
  const LastFailure &last = lastFailure();
  return last.fixed ? last.fixedText : last.message.c_str();
}

graphc_status graphc_last_error_details(graphc_error_details *details) {
  if (!details || details->size < sizeof(graphc_error_details))
    return GRAPHC_ERROR_ARGUMENT; // keeps the last error as it is
  const LastFailure &last = lastFailure();
  const auto orNull = [](const std::string &s) { return s.empty() ? nullptr : s.c_str(); };
  details->status = last.status;
  details->code = last.details.code;
  details->step = last.details.step;
  details->value = last.details.value;
  details->extent = last.details.extent;
  details->op = orNull(last.details.op);
  details->file = orNull(last.details.file);
  details->line = last.details.line;
  details->module_path = orNull(last.details.modulePath);
  return GRAPHC_OK;
}

const char *graphc_status_name(graphc_status status) {
  static const char *const names[] = {"GRAPHC_OK",          "GRAPHC_ERROR_ARGUMENT",    "GRAPHC_ERROR_INPUT",
                                      "GRAPHC_ERROR_IO",    "GRAPHC_ERROR_ARTIFACT",    "GRAPHC_ERROR_UNSUPPORTED",
                                      "GRAPHC_ERROR_RUN",   "GRAPHC_ERROR_NEEDS_RESET", "GRAPHC_ERROR_BUSY",
                                      "GRAPHC_ERROR_MEMORY", "GRAPHC_ERROR_INTERNAL"};
  const auto index = static_cast<size_t>(status);
  return index < sizeof names / sizeof *names ? names[index] : "unknown status";
}

} // extern "C"
