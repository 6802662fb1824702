// Reads a model file of either kind: what a file is, its content says, not its name.
//
// Input: a path. Output: its SourceGraph, through readTorchScript or readPt2.
#ifndef GRAPHC_FRONTEND_READMODEL_H
#define GRAPHC_FRONTEND_READMODEL_H

#include "frontend/SourceGraph.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace graphc::frontend {

struct ReadOptions {
  std::string method = "forward"; // of a TorchScript module; a .pt2 has "forward" only
  std::string name;               // what the SourceGraph calls the file; empty: its path
};

/// Errors say what the file is and what was expected: see the two readers.
llvm::Expected<SourceGraph> readModel(llvm::StringRef path, const ReadOptions &options = {});

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_READMODEL_H
