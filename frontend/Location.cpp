// Implements Location.h: splitting stack traces into frames and telling torch's own files from the user's.
#include "frontend/Location.h"

#include <algorithm>
#include <charconv>

using namespace graphc::frontend;

namespace {

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<uint32_t> parseLine(std::string_view digits) {
  uint32_t line = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
    return std::nullopt;
  return line;
}

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// The frame of "model.py(12): forward"; nullopt for any other line.
std::optional<SourceLocation> parseTracedFrame(std::string_view line) {
  size_t close = line.rfind("): ");
  size_t open = close == std::string_view::npos ? close : line.rfind('(', close);
  if (open == std::string_view::npos || open == 0)
    return std::nullopt;
  std::optional<uint32_t> number = parseLine(line.substr(open + 1, close - open - 1));
  if (!number)
    return std::nullopt;
  SourceLocation frame;
  frame.file = std::string(line.substr(0, open));
  frame.line = *number;
  return frame;
}

/// The frame of `File "model.py", line 12, in forward`; nullopt for any other line.
std::optional<SourceLocation> parseTracebackFrame(std::string_view line) {
  constexpr std::string_view prefix = "File \"", middle = "\", line ";
  line = trim(line);
  if (line.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  size_t end = line.find(middle);
  if (end == std::string_view::npos)
    return std::nullopt;
  std::string_view rest = line.substr(end + middle.size());
  std::optional<uint32_t> number = parseLine(rest.substr(0, rest.find(',')));
  if (!number)
    return std::nullopt;
  SourceLocation frame;
  frame.file = std::string(line.substr(prefix.size(), end - prefix.size()));
  frame.line = *number;
  return frame;
}

} // namespace

bool graphc::frontend::isTorchFile(std::string_view file) {
  // What lies directly in the torch package; a user's folder that happens to be called torch holds other names.
  static constexpr std::string_view own[] = {
      "__init__.py", "_compile.py", "_jit_internal.py", "_ops.py",  "_tensor.py", "_utils.py", "functional.py",
      "random.py",   "_decomp",     "_dynamo",          "_export",  "_functorch", "_higher_order_ops",
      "_library",    "_prims",           "_refs",    "ao",         "autograd",  "cuda",
      "export",      "fx",          "jit",              "nn",       "utils"};
  if (file.substr(0, 15) == "<eval_with_key>") // code that torch.fx generated
    return true;
  std::string path(file);
  std::replace(path.begin(), path.end(), '\\', '/');
  for (std::string_view root : {"site-packages/torch/", "dist-packages/torch/"})
    if (path.find(root) != std::string::npos)
      return true;
  size_t at = path.rfind("/torch/");
  std::string_view rest = path;
  if (at != std::string::npos)
    rest.remove_prefix(at + 7);
  else if (rest.substr(0, 6) == "torch/")
    rest.remove_prefix(6);
  else
    return false;
  std::string_view head = rest.substr(0, rest.find('/'));
  return std::find(std::begin(own), std::end(own), head) != std::end(own);
}

std::vector<SourceLocation> graphc::frontend::parseTracedFrames(std::string_view text) {
  std::vector<SourceLocation> frames;
  for (std::string_view line : splitLines(text)) {
    if (trim(line).empty())
      continue;
    std::optional<SourceLocation> frame = parseTracedFrame(line);
    if (!frame)
      return {};
    frames.push_back(std::move(*frame));
  }
  return frames;
}

std::vector<SourceLocation> graphc::frontend::parseTraceback(std::string_view text) {
  std::vector<SourceLocation> frames;
  for (std::string_view line : splitLines(text)) {
    if (std::optional<SourceLocation> frame = parseTracebackFrame(line))
      frames.push_back(std::move(*frame));
    else if (!frames.empty() && frames.back().text.empty() && trim(line).find_first_not_of("^~") != line.npos)
      frames.back().text = std::string(trim(line));
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

std::optional<SourceLocation>
graphc::frontend::innermostUserFrame(const std::vector<SourceLocation> &innermostFirst) {
  for (const SourceLocation &frame : innermostFirst)
    if (!frame.file.empty() && frame.line != 0 && !isTorchFile(frame.file))
      return frame;
  return std::nullopt;
}
