// Always-on checks of the compiler's own invariants. A failed check is a bug of graphc, never the user's fault: it prints
// what went wrong and what to report, and ends the process with exit status 3 (DESIGN section 10).
//
//   GRAPHC_CHECK(type.hasStaticShape(), "outlining needs static shapes");
#ifndef GRAPHC_IR_SUPPORT_CHECK_H
#define GRAPHC_IR_SUPPORT_CHECK_H

namespace graphc {
[[noreturn]] void reportInternalError(const char *condition, const char *text, const char *file, int line);
} // namespace graphc

#define GRAPHC_CHECK(condition, text)                                                                          \
  do {                                                                                                         \
    if (!(condition))                                                                                          \
      ::graphc::reportInternalError(#condition, text, __FILE__, __LINE__);                                     \
  } while (false)

#endif // GRAPHC_IR_SUPPORT_CHECK_H
