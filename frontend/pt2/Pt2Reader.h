// Reads a torch.export file (.pt2) into a SourceGraph, without LibTorch.
//
// Input: a path (archive layouts A to C, schema 8.x). Output: the program in TorchScript's words (see SourceGraph.h), with
// symbolic dims, guards, and weights that stay mapped in the file.
#ifndef GRAPHC_FRONTEND_PT2_PT2READER_H
#define GRAPHC_FRONTEND_PT2_PT2READER_H

#include "frontend/SourceGraph.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace graphc::frontend {

/// Errors name the file and what in it: not a .pt2, an unknown schema, damaged or missing weights, custom
/// objects, sizes that can't be expressed over integers. Unsupported operators are not errors here: the builder reports them
/// all together.
llvm::Expected<SourceGraph> readPt2(llvm::StringRef path);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_PT2_PT2READER_H
