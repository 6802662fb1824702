// What ptxas -v says about each kernel, read from NVRTC's log.
//
// Input: the log. Output: registers, spills, stack, shared memory and barriers by kernel, and every advisory warning
// (C7510…C7519: ptxas serialised or repaired something that should have been right).
//
//   ptxas info    : Used 98 registers, used 1 barriers, 400 bytes cmem[0]      ->  registers 98, barriers 1
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphc::cuda {

struct KernelFacts {
  std::string name;
  int registers = 0;
  int barriers = 0;
  int stackBytes = 0;
  int spillStoreBytes = 0, spillLoadBytes = 0;
  int staticSharedBytes = 0;
};

struct PtxasReport {
  std::vector<KernelFacts> kernels;
  std::vector<std::string> advisories; ///< whole lines with a C75xx code

  const KernelFacts *find(std::string_view name) const;
  /// Why a kernel must not be used: spills or an advisory; empty when all is well. A stack frame is no reason: the slow paths
  /// of sin, cos and tan have one.
  std::string problem() const;
};

PtxasReport parsePtxasLog(std::string_view log);

} // namespace graphc::cuda
