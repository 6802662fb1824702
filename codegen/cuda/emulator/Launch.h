// Runs a kernel on the CPU as a GPU would order it: one fiber per thread, blocks one after another.
//
// Input: a callable that is the kernel's body (it reaches its thread through kernels/gc_host.h) and a launch shape.
// Output: a report: the first fault found, or none, and on request how well each access coalesces.
//
//   LaunchReport report = launch({.grid = {4}, .block = {256}, .sharedBytes = 49152, .seed = 7}, [&] { kernel(args); });
//   EXPECT_EQ(report.error, "");
//
// Faults found: deadlock, warps or barriers met by the wrong threads, accesses outside shared memory or outside the
// listed global regions, misaligned accesses, races in shared memory, reads of a pending asynchronous copy, mbarriers
// used before they were initialised.
#pragma once

#include "codegen/cuda/emulator/AccessLint.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace graphc::simt {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

/// Global memory that the kernel may touch.
struct MemoryRegion {
  const void *begin;
  size_t bytes;
  std::string name;
  bool writable = false;
};

struct LaunchOptions {
  Dim3 grid = {};
  Dim3 block = {}; ///< x * y * z must be a multiple of 32 and at most 1024
  size_t sharedBytes = 0;
  /// 0: threads in order, asynchronous copies land at once. Otherwise adversarial: blocks and threads in an order
  /// shuffled by the seed, threads interrupted at shared accesses, copies land as late as their waits allow and read
  /// as NaN until then.
  uint64_t seed = 0;
  /// Empty: global accesses are not checked.
  std::vector<MemoryRegion> memory = {};
  /// Fills LaunchReport::lint from the first block.
  bool lint = false;
};

struct LaunchReport {
  std::string error; ///< empty: no fault
  std::vector<LintLine> lint;
  /// False when the kernel used barriers of part of the block or mbarriers, which the race check does not model.
  bool racesChecked = true;
  uint64_t switches = 0;
};

/// Runs `kernel` once per thread of every block. Stops at the first fault. Not reentrant within a host thread; several
/// host threads may launch at once.
LaunchReport launch(const LaunchOptions &options, const std::function<void()> &kernel);

} // namespace graphc::simt
