// Access lint: how many memory transactions a warp's accesses need, against the fewest possible.
//
// Input: every access of every thread, with the source line that made it. Output: per line, sectors of 32 bytes for
// global memory or wavefronts (bank conflicts) for shared memory, divided by the ideal. 1.00 is perfect.
//
//   gemm_mma.cuh:88 shared store 8 B: 64 accesses, 128 wavefronts, 128 ideal, ratio 1.00
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <source_location>
#include <string>
#include <vector>

namespace graphc::simt {

struct LintLine {
  std::string file; ///< without folders
  uint32_t line = 0;
  bool shared = false;
  bool write = false;
  uint32_t bytes = 0;    ///< per thread
  uint64_t accesses = 0; ///< warp accesses
  uint64_t transactions = 0;
  uint64_t ideal = 0;

  double ratio() const { return ideal ? double(transactions) / double(ideal) : 0; }
  std::string text() const;
};

class AccessLint {
public:
  explicit AccessLint(size_t threads) : log(threads) {}

  void record(size_t thread, const std::source_location &site, uint64_t address, uint32_t bytes, bool shared,
              bool write);

  /// The n-th access of each lane at one line is taken as one warp access.
  std::vector<LintLine> summarize() const;

private:
  struct Site {
    const char *file;
    uint32_t line, column;
    bool shared, write;
    uint32_t bytes;
    auto operator<=>(const Site &) const = default;
  };
  std::vector<std::map<Site, std::vector<uint64_t>>> log;
};

} // namespace graphc::simt
