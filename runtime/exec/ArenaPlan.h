// Offsets of buffers in one arena, from their sizes and the steps in which they live: one pass in order of first use, best fit
// into what is free, neighbours merged.
//
//   std::vector<ArenaRequest> requests = {{4096, 0, 3}, {64, 1, 1}, {4096, 4, 5}};     // the third takes the first's place
//   uint64_t arenaBytes = planArena(requests, offsets);                                   // offsets = {0, 4096, 0}
#ifndef GRAPHC_RUNTIME_EXEC_ARENAPLAN_H
#define GRAPHC_RUNTIME_EXEC_ARENAPLAN_H

#include <cstdint>
#include <vector>

namespace graphc::runtime {

struct ArenaRequest {
  uint64_t bytes;               // rounded up to 64 by the planner
  uint32_t firstStep, lastStep; // inclusive
  uint32_t alignment = 64;      // power of two, at most 4096
};

/// The arena's size, and one offset per request. Requests whose steps overlap never share a byte.
uint64_t planArena(const std::vector<ArenaRequest> &requests, std::vector<uint64_t> &offsets);

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_ARENAPLAN_H
