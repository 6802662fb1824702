// See Diagnostics.h.
#include "tools/compiler/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

using namespace graphc::compiler;
using llvm::StringRef;

/// Reads "FILE:LINE" or "FILE:LINE:COLUMN" at the start of `text`, which then starts behind it.
static bool takePlace(StringRef &text, ErrorEntry &entry) {
  static const llvm::Regex pattern("^([^ :]+|<[^>]+>):([0-9]+)(:([0-9]+))?(: |$| \\()");
  llvm::SmallVector<StringRef, 6> parts;
  if (!pattern.match(text, &parts) || parts[2].getAsInteger(10, entry.line))
    return false;
  entry.file = parts[1].str();
  parts[4].getAsInteger(10, entry.column);
  text = text.drop_front(parts[0].size() - (parts[5] == " (" ? 2 : 0));
  return true;
}

std::vector<ErrorEntry> graphc::compiler::splitErrors(const std::string &text) {
  std::vector<ErrorEntry> entries;
  std::string unsupported; // the name whose lines follow
  bool inReport = false;   // of what is unsupported
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    ErrorEntry entry;
    StringRef rest = line.ltrim();
    size_t indent = line.size() - rest.size();
    bool placed = takePlace(rest, entry);
    if (inReport && indent == 2 && !placed) {
      unsupported = rest.str();
      entries.push_back({"not supported: " + unsupported, "", 0, 0});
    } else if (placed && indent == 4 && !unsupported.empty()) {
      entry.message = "not supported: " + unsupported;
      if (entries.back().message == entry.message && entries.back().file.empty())
        entries.pop_back();
      entries.push_back(std::move(entry));
    } else if (placed && indent == 0) {
      entry.message = rest.trim().str();
      entries.push_back(std::move(entry));
    } else if (entries.empty()) {
      entries.push_back({line.str(), "", 0, 0});
      inReport = line.ends_with("not supported:");
    } else {
      entries.back().message += "\n" + line.str();
    }
  }
  return entries;
}
