// A TorchScript file as LibTorch has it and as a SourceGraph, with what leads from one to the other.
//
// Input: path and method name. Output: the loaded module, the inlined method and its SourceGraph, whose value ids `ids` gives by
// jit::Value. Private to this folder: includes torch's headers. Used by Import.cpp (the graph) and Eager.cpp (which runs it).
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_CONVERTFILE_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_CONVERTFILE_H

#include "frontend/SourceGraph.h"

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <unordered_map>

namespace graphc::frontend::torchscript {

struct ConvertedFile {
  torch::jit::Module module;
  std::shared_ptr<torch::jit::Graph> inlined; // of `source`; the module's own method is untouched
  SourceGraph source;
  std::unordered_map<const torch::jit::Value *, ValueId> ids;
};

/// \throws ReadError, c10::Error.
ConvertedFile convertFile(const std::string &path, const std::string &method);

/// Runs the action; what it throws becomes a text of one or a few lines, "" where nothing was thrown.
std::string textOfThrown(const std::function<void()> &action);

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_CONVERTFILE_H
