// Indented text with braces: what the CUDA emitter writes into.
//
//   CodeWriter w;
//   w.open("for (int i = 0; i < n; ++i)");
//   w.line("sum += x[i];");
//   w.close();
#pragma once

#include <string>
#include <string_view>

namespace graphc::cuda {

class CodeWriter {
public:
  explicit CodeWriter(int depth = 0) : depth(depth) {}

  void line(std::string_view content) {
    text.append(size_t(depth) * 2, ' ').append(content) += '\n';
  }
  void open(std::string_view head) {
    text.append(size_t(depth) * 2, ' ').append(head) += " {\n";
    ++depth;
  }
  void close(std::string_view end = "}") {
    --depth;
    line(end);
  }
  const std::string &str() const { return text; }

private:
  std::string text;
  int depth;
};

} // namespace graphc::cuda
