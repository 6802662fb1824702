// `graphc verify`: is what graphc computes right, and where not, at which op does it start?
//
// The artifact is made as `graphc MODEL` makes it. Its outputs are judged (Judge.h) against a reference (Reference.h); values that
// survive as kernels' outputs are compared on the way, so that fusion is the artifact's own.
//
//   llvm::Expected<VerifyReport> report = verify({.compile = options});
//   if (!report->right) … report->finding->value, report->finding->location
#ifndef GRAPHC_TOOLS_VERIFY_VERIFY_H
#define GRAPHC_TOOLS_VERIFY_VERIFY_H

#include "tools/driver/Compiler.h"
#include "tools/npz/Array.h"
#include "tools/verify/Judge.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::verify {

struct NamedInputs {
  std::string name; // for the report: the file's
  std::vector<npz::NamedArray> arrays;
};

struct VerifyOptions {
  driver::CompileOptions compile;  // emit and output are ignored
  std::vector<NamedInputs> inputs; // empty: made up
  unsigned seeds = 2;              // how many made-up sets, where no inputs are given
  unsigned calls = 0;              // in a row, each with the state of the one before; 0: 3 for models with state, else 1
  unsigned threads = 0;            // 0: all
  bool interpreterOnly = false;    // don't run LibTorch
};

struct OutputReport {
  std::string name, shape;
  Verdict verdict;
};

struct CallReport {
  std::string inputs; // the set's name
  unsigned call = 0;  // from 0
  std::vector<OutputReport> outputs;
  size_t valuesCompared = 0; // on the way
  size_t valuesWrong = 0;    // of those, clearly: whether or not an output shows it
};

/// Where it goes wrong first.
struct Finding {
  std::string inputs;
  unsigned call = 0;
  std::string kernel;
  size_t launch = 0;              // how many launches the call made before it
  std::string op, value;          // "relu", the SourceGraph's name for the value; empty where the kernel's output is no value of the source
  std::string location;           // "model.py:12 (encoder.layer.0)"
  std::vector<std::string> lines; // of everything in the kernel
  std::string shape;
  Verdict verdict;
  std::string cause; // what interpreting the kernel, and compiling without fusion, say about it
};

struct VerifyReport {
  bool right = false;
  std::string reference; // "eager PyTorch (LibTorch), errors against fp64"
  std::vector<std::string> notes;
  size_t kernels = 0;
  std::vector<CallReport> calls;
  std::optional<Finding> finding; // of the first call that isn't right
};

/// Errors: those of compile(), inputs that don't fit, a program that fails on them.
llvm::Expected<VerifyReport> verify(const VerifyOptions &options);

class Subject;
struct InputSet;
/// The same for a program that is compiled already, with its inputs.
llvm::Expected<VerifyReport> verify(const VerifyOptions &options, Subject &subject, const std::vector<InputSet> &sets);
/// The sets that the options name or ask to make up.
llvm::Expected<std::vector<InputSet>> makeInputSets(const VerifyOptions &options, Subject &subject);

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_VERIFY_H
