// See Check.h.
#include "ir/support/Check.h"

#include <cstdio>
#include <cstdlib>

void graphc::reportInternalError(const char *condition, const char *text, const char *file, int line) {
  std::fprintf(stderr,
               "graphc: internal error: %s\n  check '%s' failed at %s:%d\n"
               "  this is a bug of graphc: please report it with the command line and the model file\n",
               text, condition, file, line);
  std::fflush(stderr);
  std::_Exit(3);
}
