// The compiler's error text taken apart into entries with places, for the C API. The text is for people (docs/CLI.md); these are its
// forms: "model.py:12: message" lines, and the report of what is unsupported, where an indented name is followed by its lines.
//
//   'm.pt': these parts of the model are not supported:      {"'m.pt': these parts …"}
//     aten::fft_fft                                          {"not supported: aten::fft_fft", "model.py", 4}
//       model.py:4                                           {"not supported: aten::fft_fft", "model.py", 9}
//       model.py:9
#ifndef GRAPHC_TOOLS_COMPILER_DIAGNOSTICS_H
#define GRAPHC_TOOLS_COMPILER_DIAGNOSTICS_H

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::compiler {

struct ErrorEntry {
  std::string message; // what has no place of its own belongs to the entry before, as further lines
  std::string file;    // empty: unknown
  uint32_t line = 0, column = 0;
};

/// At least one entry.
std::vector<ErrorEntry> splitErrors(const std::string &text);

} // namespace graphc::compiler

#endif // GRAPHC_TOOLS_COMPILER_DIAGNOSTICS_H
