// Compiles CUDA C++ to cubins through the pinned NVRTC, loaded at run time; no GPU, driver or toolkit is needed.
//
// Input: kernel text (it may include the embedded templates) and an architecture. Output: a cubin with the facts ptxas
// reports, or an error that quotes the compiler's log. Kernels that spill, or that ptxas had to repair, are refused.
//
//   auto nvrtc = Nvrtc::open(defaultDepsFolder());
//   auto cubin = (*nvrtc)->compile("#include \"gemm_mma.cuh\"\n…", "sm_90a");
//   cubin->facts.find("linear_gelu")->registers
//
// Several small kernels belong into one text: a call costs about 40 ms before the first kernel.
#pragma once

#include "codegen/cuda/PtxasLog.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace graphc::cuda {

struct Cubin {
  std::string arch;
  std::string image; ///< ELF
  PtxasReport facts;
};

class Nvrtc {
public:
  /// The version whose output is part of what artifacts promise.
  static constexpr int pinnedMajor = 13, pinnedMinor = 0;

  /// Loads libnvrtc.so.13 from `deps`/wheels/nvidia/*/lib. An error names the folder searched and what to run.
  static llvm::Expected<std::unique_ptr<Nvrtc>> open(const std::string &deps);
  ~Nvrtc();

  /// `arch` is "sm_80", "sm_90a", …. Thread safe.
  llvm::Expected<Cubin> compile(const std::string &text, const std::string &arch) const;
  /// The same without refusing spills and advisories: for screening and for the tests of the refusal.
  llvm::Expected<Cubin> compileUnchecked(const std::string &text, const std::string &arch) const;
  llvm::Expected<std::string> compileToPtx(const std::string &text, const std::string &virtualArch) const;

private:
  Nvrtc();
  struct Api;
  struct Program;
  std::unique_ptr<Api> api;
};

/// $GRAPHC_DEPS, else ~/.cache/graphc/deps: where tools/setup.sh put the wheels.
std::string defaultDepsFolder();

} // namespace graphc::cuda
