// The inputs that a TorchScript file was traced with, as a guess at shapes for messages.
//
// Input: a TorchScript file and a method. Output: dtype and sizes of its tensor arguments by position, out of the entry
// traced_inputs.pkl, where the file has one. A guess only: the program may take other sizes. E.g. {f32[1, 3, 224, 224]}.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_TRACEDINPUTS_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_TRACEDINPUTS_H

#include "frontend/SourceGraph.h"

#include "llvm/ADT/StringRef.h"

namespace graphc::frontend {

/// nullopt for arguments that weren't tensors; empty for scripted files and ones whose record isn't understood.
std::vector<std::optional<ValueInfo::TensorMeta>> readTracedInputs(llvm::StringRef path, llvm::StringRef method);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_TRACEDINPUTS_H
