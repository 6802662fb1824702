// Race check for shared memory: remembers who touched each two bytes since the last barrier.
//
// Input: every shared access with the thread that made it. Output: a text for the first pair of accesses, at least one
// of them a write, that no block barrier and no warp barrier of their common warp lies between; or for an access to
// bytes that an asynchronous copy still owns.
//
// Only these two barriers order accesses here; collectives such as shuffles do not. A missing barrier is found in every
// thread order, also where the values happen to come out right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphc::simt {

class SharedShadow {
public:
  explicit SharedShadow(size_t bytes) : cells((bytes + cellBytes - 1) / cellBytes) {}

  /// A thread and the time at which it acts: barriers passed by its block and by its warp.
  struct Actor {
    uint16_t thread = 0;
    uint32_t blockEpoch = 0;
    uint32_t warpEpoch = 0;
  };

  /// Each returns an empty string or the fault.
  std::string read(const Actor &actor, size_t offset, size_t bytes);
  std::string write(const Actor &actor, size_t offset, size_t bytes);
  std::string startCopy(const Actor &actor, size_t offset, size_t bytes);
  void finishCopy(const Actor &actor, size_t offset, size_t bytes);

  /// Forgets everything: called when a block starts.
  void clear();

private:
  static constexpr size_t cellBytes = 2;
  static constexpr uint16_t nobody = 0xffff;
  static constexpr uint16_t severalWarps = 0xfffe;
  static constexpr uint16_t wholeWarp = 0x8000; ///< plus the warp's number: several lanes of one warp

  struct Cell {
    uint16_t writer = nobody, reader = nobody;
    bool pending = false;
    uint32_t writeBlockEpoch = 0, writeWarpEpoch = 0;
    uint32_t readBlockEpoch = 0, readWarpEpoch = 0;
  };

  static bool ordered(const Actor &actor, uint16_t other, uint32_t blockEpoch, uint32_t warpEpoch);
  std::string checkWrite(const Actor &actor, const Cell &cell, size_t offset) const;

  std::vector<Cell> cells;
};

} // namespace graphc::simt
