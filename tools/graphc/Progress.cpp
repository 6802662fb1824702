// Progress line; see Progress.h. "\r\033[K" goes back and clears to the end of the line.
#include "tools/graphc/Progress.h"
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace graphc::cli {

Progress::Progress() : isTerminal(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (isTerminal)
    fmt::print(stderr, "\r\033[K");
}

void Progress::show(llvm::StringRef phase, size_t done, size_t total) {
  if (!isTerminal)
    return;
  fmt::print(stderr, "\r\033[K{}{}", phase.str(), total ? fmt::format(" {}/{}", done, total) : "");
  std::fflush(stderr);
}

} // namespace graphc::cli
