// State of the block that a host thread is emulating. Private to the emulator's own files.
#pragma once

#include "codegen/cuda/emulator/AccessLint.h"
#include "codegen/cuda/emulator/Fiber.h"
#include "codegen/cuda/emulator/Launch.h"
#include "codegen/cuda/emulator/SharedShadow.h"
#include "codegen/cuda/emulator/Thread.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace graphc::simt {

constexpr uint32_t warpSize = 32;
constexpr uint32_t barrierCount = 16;

/// Thrown by fail() and caught where the fiber began.
struct Fault {
  std::string text;
};

struct AsyncCopy {
  std::byte *shared;
  const std::byte *global;
  size_t bytes, valid;
};

/// A bulk copy in flight; `barrier` is the offset of the one that counts its bytes.
struct BulkCopy {
  std::byte *shared;
  const std::byte *global;
  size_t bytes, barrier;
};

struct PhaseBarrier {
  uint32_t arrivals, pending;
  uint32_t parity; ///< of the phase that runs
  int64_t bytes;   ///< announced and not yet there; negative while copies are ahead of their announcement
};

struct Thread {
  Context context;
  uint32_t linear = 0;
  Dim3 index;
  bool done = false;
  const char *waitingFor = nullptr;
  uint32_t waitingLine = 0;
  std::vector<AsyncCopy> openCopies;
  std::deque<std::vector<AsyncCopy>> copyGroups;
};

struct Warp {
  uint32_t generation = 0, arrived = 0, epoch = 0;
  const char *what = nullptr;
  void *lanes[warpSize] = {};
};

struct Barrier {
  uint32_t generation = 0, arrived = 0, expected = 0;
};

struct Block {
  const LaunchOptions *options = nullptr;
  const std::function<void()> *kernel = nullptr;
  Dim3 index;
  std::byte *shared = nullptr;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  Barrier barriers[barrierCount];
  std::map<size_t, PhaseBarrier> phaseBarriers; ///< by offset in shared memory
  std::vector<BulkCopy> bulkCopies;
  uint32_t epoch = 0;
  std::unique_ptr<SharedShadow> shadow; ///< null once partial barriers were used
  std::optional<AccessLint> lint;
  bool lintNow = false;
  Thread *current = nullptr;
  Context scheduler;
  bool progress = false;
  std::string error;
  uint64_t random = 0;
  uint64_t switches = 0;
  bool racesChecked = true;

  bool adversarial() const { return options->seed != 0; }
  uint32_t nextRandom();
};

/// The block of this host thread; null outside launch().
Block *currentBlock();
void setCurrentBlock(Block *block);

} // namespace graphc::simt
