// Which compiled levels this machine's CPU can run. A level is a psABI level with extra features: "x86-64-v3",
// "x86-64-v4", "x86-64-v4+avx512bf16+avx512vnni". A feature counts when CPUID has it and the operating system saves its
// registers (XCR0).
//
//   missingFeatures("x86-64-v4")  →  {} or {"avx512f", "avx512bw", …}
#ifndef GRAPHC_RUNTIME_CPU_CPULEVEL_H
#define GRAPHC_RUNTIME_CPU_CPULEVEL_H

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// Features of the level that this machine lacks; a feature or base level that this library doesn't know counts as missing.
std::vector<std::string> missingFeatures(std::string_view level);

/// Orders levels of one target: more is better code. The base level counts first, then the number of extra features.
int levelRank(std::string_view level);

/// "x86-64-v4", "x86-64-v3", "x86-64-v2" or "x86-64-v1".
const char *machineLevel();

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_CPU_CPULEVEL_H
