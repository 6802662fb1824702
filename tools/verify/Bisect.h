// `graphc bisect`: the first pass, and the first kernel, that changes the answer.
//
// The program is compiled once and kept as it is after every pass; the interpreter in double runs these, halving the passes between the
// last that is right and the first that is wrong. Where all passes are right, the machine code is compared kernel by kernel.
//
//   llvm::Expected<BisectReport> report = bisect(options);     report->pass == "graphc-fuse-kernels"
#ifndef GRAPHC_TOOLS_VERIFY_BISECT_H
#define GRAPHC_TOOLS_VERIFY_BISECT_H

#include "tools/verify/Verify.h"

namespace graphc::verify {

struct StageReport {
  std::string pass; // "import", "graphc-decompose", …
  enum class State { NotRun, Right, Wrong } state = State::NotRun;
  Verdict verdict;     // of the output farthest beyond (or nearest to) what is allowed
  std::string problem; // why interpreting failed, which counts as wrong
};

struct BisectReport {
  bool right = false;
  std::string pass;                // the first after which the answer is another one; "codegen": the machine code; empty: nothing differs
  std::vector<StageReport> stages; // in order
  VerifyReport verified;           // of the artifact: outputs, and where it goes wrong first
};

/// On the first set of inputs on which the artifact is wrong. Errors: those of verify().
llvm::Expected<BisectReport> bisect(const VerifyOptions &options);

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_BISECT_H
