// See Location.h.
#include "ir/support/Location.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc;

static void collect(Location loc, StringRef modulePath, SmallVectorImpl<SourceLine> &lines) {
  llvm::TypeSwitch<LocationAttr>(loc)
      .Case<FileLineColLoc>([&](FileLineColLoc file) {
        SourceLine line{file.getFilename().str(), modulePath.str(), file.getLine(), file.getColumn()};
        bool known = llvm::any_of(lines, [&](const SourceLine &other) {
          return other.file == line.file && other.line == line.line && other.modulePath == line.modulePath;
        });
        if (!known)
          lines.push_back(line);
      })
      .Case<NameLoc>([&](NameLoc name) { collect(name.getChildLoc(), name.getName(), lines); })
      .Case<CallSiteLoc>([&](CallSiteLoc call) { collect(call.getCallee(), modulePath, lines); })
      .Case<FusedLoc>([&](FusedLoc fused) {
        for (Location inner : fused.getLocations())
          collect(inner, modulePath, lines);
      })
      .Default([](LocationAttr) {});
}

SmallVector<SourceLine> graphc::getSourceLines(Location loc) {
  SmallVector<SourceLine> lines;
  collect(loc, "", lines);
  return lines;
}

std::string graphc::describeLocation(Location loc) {
  SmallVector<SourceLine> lines = getSourceLines(loc);
  if (lines.empty())
    return "unknown location";
  const SourceLine &line = lines.front();
  std::string text = line.file + ":" + std::to_string(line.line);
  return line.modulePath.empty() ? text : text + " (" + line.modulePath + ")";
}
