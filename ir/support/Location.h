// Locations as people read them: "model.py:42 (encoder.layer.0)". See GraphBuilder for how they are made: NameLoc(module path) around FileLineColLoc.
#ifndef GRAPHC_IR_SUPPORT_LOCATION_H
#define GRAPHC_IR_SUPPORT_LOCATION_H

#include "mlir/IR/Location.h"

#include <string>

namespace graphc {

/// A Python line, with the module path where there is one.
struct SourceLine {
  std::string file, modulePath;
  unsigned line = 0, column = 0;
};

/// All source lines of a location: several for a fused one, outermost order kept, duplicates dropped. Empty for an unknown location.
llvm::SmallVector<SourceLine> getSourceLines(mlir::Location loc);
/// The first source line as text, or "unknown location".
std::string describeLocation(mlir::Location loc);

} // namespace graphc

#endif // GRAPHC_IR_SUPPORT_LOCATION_H
