// What a program's results, and values on the way to them, should be.
//
// Input: the module as importing made it, its SourceGraph, arguments for some calls in a row. Output: an expectation for each output of
// each call, and for each value asked for. Two references:
//   eager         LibTorch runs the TorchScript file twice, as it is and in double; where the file can't be run in double, the
//                 interpreter's double mode is the exact one
//   interpreter   for .pt2 and where there is no LibTorch: the interpreter in double, and, standing in for eager, with every op's result
//                 rounded to its dtype. That rounds less often than eager does, so limits are 4 times as wide.
#ifndef GRAPHC_TOOLS_VERIFY_REFERENCE_H
#define GRAPHC_TOOLS_VERIFY_REFERENCE_H

#include "frontend/SourceGraph.h"
#include "tools/verify/Inputs.h"
#include "tools/verify/Judge.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace graphc::verify {

/// Values that importing computes several times (in an unrolled loop) share an id; after this, `graph.value` attributes are unique
/// within each function. The table says what a new id stands for: the SourceGraph value and the how-manieth time it is computed.
struct ValueNames {
  struct Name {
    frontend::ValueId id = 0;
    unsigned occurrence = 0;
  };
  std::map<int64_t, Name> renamed;
  std::map<std::pair<std::string, frontend::ValueId>, unsigned> counts; // by function

  Name of(int64_t value) const;
};
ValueNames makeValuesUnique(mlir::ModuleOp module, const frontend::SourceGraph &source);

struct CallReference {
  std::vector<Expectation> outputs;
  std::map<int64_t, Expectation> values; // by graph.value
};

struct ReferenceRequest {
  mlir::ModuleOp imported; // with unique values
  const frontend::SourceGraph &source;
  const ValueNames &names;
  const driver::CompileOptions &options;
  llvm::DenseSet<int64_t> values; // to look at
  bool useEager = true;           // for .pt2 there is only the interpreter
};

struct Reference {
  std::vector<CallReference> calls;
  bool isEager = false;
  std::string note; // why it isn't eager although that was asked for
};

/// Errors: the program fails on these inputs, or has an op that the interpreter doesn't know.
llvm::Expected<Reference> computeReference(const ReferenceRequest &request, const std::vector<std::vector<Tensor>> &calls);

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_REFERENCE_H
