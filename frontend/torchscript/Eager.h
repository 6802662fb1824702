// PyTorch eager as the reference that `graphc verify` compares with: the file's method run by LibTorch, op by op.
//
// Input: a TorchScript file, arguments for one or more calls in a row, and the ids of SourceGraph values to look at. Output:
// each call's results and those values as they were when they were computed (a copy each time, so later in-place writes don't
// show). LibTorch's optimiser doesn't run. With `widen` the program computes in double wherever it says f32, f16 or bf16.
//
//   EagerRequest request{.path = "model.pt", .calls = {{EagerTensor{ScalarType::F32, {1, 512}, bytes}}}, .taps = {17, 23}};
//   llvm::Expected<EagerResult> result = runEager(request);   result->calls[0].values.at(17)[0]
#ifndef GRAPHC_FRONTEND_TORCHSCRIPT_EAGER_H
#define GRAPHC_FRONTEND_TORCHSCRIPT_EAGER_H

#include "frontend/SourceGraph.h"

namespace graphc::frontend::torchscript {

/// Row-major elements.
struct EagerTensor {
  ScalarType dtype = ScalarType::F32;
  std::vector<int64_t> sizes;
  std::vector<std::byte> data;
};

/// monostate: the argument's default (None where it has none and may be); text: a number, bool, string, list or None, read as the
/// argument's type; several tensors: a list or tuple of them.
using EagerArgument = std::variant<std::monostate, EagerTensor, std::vector<EagerTensor>, std::string>;

struct EagerRequest {
  std::string path, method = "forward";
  bool widen = false;                            // f32, f16, bf16 become f64: weights, constants, arguments, casts
  std::vector<std::vector<EagerArgument>> calls; // per call one for each SourceGraph::inputs; state lives on between them
  std::vector<ValueId> taps;
};

struct EagerCall {
  std::vector<EagerTensor> outputs; // nested results flattened in order; numbers are 0-d tensors, None is left out
  std::map<ValueId, std::vector<EagerTensor>> values; // one for each time the value was computed
};

struct EagerResult {
  std::vector<EagerCall> calls;
  bool keptNarrow = false; // widen: something was computed in f32, f16 or bf16 nevertheless
  std::string error;       // what went wrong; then the rest means nothing
};

/// The one function of the shared library that does it, and its name there.
using EagerFunction = void(const EagerRequest &request, EagerResult &result);
inline constexpr const char *eagerSymbol = "graphcRunTorchScript";

/// Loads the library as reading a file does. Never throws: EagerResult::error says what went wrong.
EagerResult runEager(const EagerRequest &request);

} // namespace graphc::frontend::torchscript

#endif // GRAPHC_FRONTEND_TORCHSCRIPT_EAGER_H
