// Reads a TorchScript file (torch.jit.save) into a SourceGraph.
//
// Input: a path and the method to compile. Output: the inlined method with its module objects. The archive is checked by our
// own zip reader before LibTorch sees it. Builds without LibTorch have the function too; it answers with an error.
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_TORCHSCRIPTREADER_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_TORCHSCRIPTREADER_H

#include "frontend/SourceGraph.h"
#include "frontend/torchscript/NoLibTorch.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace graphc::frontend {

struct TorchScriptOptions {
  std::string method = "forward";
};

/// Errors name the file: not a zip, truncated, a state_dict or an exported program instead of TorchScript, a missing
/// method (with those there are), custom operators and classes, damaged tensors. NoLibTorch where the file can't be tried.
llvm::Expected<SourceGraph> readTorchScript(llvm::StringRef path, const TorchScriptOptions &options = {});

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_TORCHSCRIPTREADER_H
