// The model that `run` and `bench` execute: a .gcx as it is, or a .pt / .pt2 compiled in memory on the way. There is one way to
// execute: both end as an artifact that libgraphc loads.
#ifndef GRAPHC_TOOLS_GRAPHC_LOADEDMODEL_H
#define GRAPHC_TOOLS_GRAPHC_LOADEDMODEL_H

#include "runtime/graphc.hpp"
#include "tools/driver/Compiler.h"
#include "tools/graphc/CompileArguments.h"
#include "tools/npz/Array.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::cli {

struct LoadedModel {
  std::shared_ptr<std::byte> memory; // of an artifact compiled here; must outlive the model
  std::unique_ptr<graphc::Model> model;
  std::optional<driver::CompileSummary> compiled; // where a model file was given
  double compileSeconds = 0, loadSeconds = 0;
};

/// True where the file starts as an artifact does. Errors as driver::readFile.
llvm::Expected<bool> isArtifact(const std::string &path);

/// The arrays' types as --input specs. Arrays named out0, out1, … are results that were stored beside the inputs.
std::vector<driver::InputSpec> specsOf(const std::vector<npz::NamedArray> &arrays);

/// Opens or compiles what `arguments` name. A TorchScript file without --input takes dtypes and dims from `arrays`, the
/// inputs that will be run. Errors: those of compile(), of the runtime, and Usage for compile options beside an artifact.
llvm::Expected<LoadedModel> loadModel(const CompileArguments &arguments, const std::vector<npz::NamedArray> &arrays);

/// A failed call of the runtime as an error with its exit status.
llvm::Error fromRuntime(const graphc::Error &error);

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_LOADEDMODEL_H
