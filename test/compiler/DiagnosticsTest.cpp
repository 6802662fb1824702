// Error texts taken apart into entries with places (tools/compiler/Diagnostics.h).
#include "tools/compiler/Diagnostics.h"

#include <gtest/gtest.h>

using graphc::compiler::ErrorEntry;
using graphc::compiler::splitErrors;

static std::string show(const std::string &text) {
  std::string result;
  for (const ErrorEntry &entry : splitErrors(text))
    result += "[" + entry.file + ":" + std::to_string(entry.line) + ":" + std::to_string(entry.column) + " " + entry.message + "]";
  return result;
}

TEST(Diagnostics, TextWithoutPlaces) { EXPECT_EQ(show("'m.pt': no such file\nlook again"), "[:0:0 'm.pt': no such file\nlook again]"); }

TEST(Diagnostics, LinesWithPlaces) {
  EXPECT_EQ(show("model.py:12: bad shape\n  expected 3\nlayers/a.py:4:7: bad dtype"), "[model.py:12:0 bad shape\n  expected 3][layers/a.py:4:7 bad dtype]");
  EXPECT_EQ(show("model.py:12 (encoder.0): refused"), "[model.py:12:0 (encoder.0): refused]");
}

TEST(Diagnostics, ReportOfUnsupported) {
  EXPECT_EQ(show("'m.pt': not supported:\n  aten::fft_fft\n    model.py:4\n    <stdin>:9\n    and 3 more lines\n  aten::eig"),
            "[:0:0 'm.pt': not supported:][model.py:4:0 not supported: aten::fft_fft][<stdin>:9:0 not supported: aten::fft_fft\n    and 3 more lines]"
            "[:0:0 not supported: aten::eig]");
}

TEST(Diagnostics, NeverEmpty) {
  EXPECT_EQ(splitErrors("").size(), 1u);
  EXPECT_EQ(splitErrors("\n\n").size(), 1u);
}
