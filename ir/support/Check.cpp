// See Check.h.
#include "ir/support/Check.h"
#include "ir/support/InternalError.h"

#include <cstdio>
#include <cstdlib>
#include <string>

static thread_local int openScopes = 0;

graphc::InternalErrorScope::InternalErrorScope() { ++openScopes; }
graphc::InternalErrorScope::~InternalErrorScope() { --openScopes; }
bool graphc::InternalErrorScope::isOpen() { return openScopes > 0; }

void graphc::reportInternalError(const char *condition, const char *text, const char *file, int line) {
  if (InternalErrorScope::isOpen())
    throw InternalError(std::string(text) + "\n  check '" + condition + "' failed at " + file + ":" + std::to_string(line));
  std::fprintf(stderr,
               "graphc: internal error: %s\n  check '%s' failed at %s:%d\n"
               "  this is a bug of graphc: please report it with the command line and the model file\n",
               text, condition, file, line);
  std::fflush(stderr);
  std::_Exit(3);
}
