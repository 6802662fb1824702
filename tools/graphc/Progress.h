// One line on stderr that says what the compiler is doing, while it does it; nothing where stderr is no terminal.
#ifndef GRAPHC_TOOLS_GRAPHC_PROGRESS_H
#define GRAPHC_TOOLS_GRAPHC_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>

namespace graphc::cli {

class Progress {
public:
  Progress();
  /// Removes the line.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Replaces the line: "Lowering kernels 12/37". total 0: no counts.
  void show(llvm::StringRef phase, size_t done, size_t total);

private:
  bool isTerminal;
};

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_PROGRESS_H
