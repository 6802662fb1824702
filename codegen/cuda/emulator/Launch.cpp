// Block loop and fiber scheduler. See Launch.h.
//
// Each sweep resumes every live thread once, in order or shuffled. A sweep in which no thread finished, met its partners
// or was interrupted on purpose is a deadlock, unless a bulk copy can still land: nothing else can ever change again.
#include "codegen/cuda/emulator/Launch.h"

#include "codegen/cuda/emulator/Block.h"
#include "codegen/cuda/emulator/Bulk.h"
#include "codegen/cuda/emulator/Fiber.h"

#include <cstdlib>
#include <cstring>
#include <numeric>

namespace graphc::simt {

namespace {

constexpr size_t sharedAlignment = 1024;
constexpr uint32_t maxThreads = 1024;
// One sweep in this many lands a bulk copy although threads could go on.
constexpr uint32_t landOneIn = 16;

bool hasCopiesInFlight(const Thread &thread) {
  for (const std::vector<AsyncCopy> &group : thread.copyGroups)
    if (!group.empty())
      return true;
  return !thread.openCopies.empty();
}

void threadMain() {
  Block *block = currentBlock();
  Thread *self = block->current;
  enteredFiber(block->scheduler);
  try {
    (*block->kernel)();
    if (hasCopiesInFlight(*self))
      fail("thread ends with asynchronous copies that were never waited for", Site());
  } catch (const Fault &fault) {
    block->error = fault.text;
  }
  self->done = true;
  block->progress = true;
  for (;;)
    switchContext(self->context, block->scheduler);
}

void resume(Block &block, Thread &thread) {
  block.current = &thread;
  ++block.switches;
  switchContext(block.scheduler, thread.context);
}

template <class Range> void shuffle(Block &block, Range &range) {
  for (size_t i = range.size(); i > 1; --i)
    std::swap(range[i - 1], range[block.nextRandom() % i]);
}

std::string describeDeadlock(const Block &block) {
  std::string text = "deadlock:";
  int shown = 0;
  for (const Thread &thread : block.threads) {
    if (thread.done || shown == 4)
      continue;
    text += (shown++ ? "; thread " : " thread ") + std::to_string(thread.linear) + " waits for " +
            (thread.waitingFor ? thread.waitingFor : "nothing") + " at line " + std::to_string(thread.waitingLine);
  }
  return text;
}

void startBlock(Block &block, FiberStacks &stacks, Dim3 index) {
  block.index = index;
  block.warps.assign(block.threads.size() / warpSize, Warp());
  std::fill(std::begin(block.barriers), std::end(block.barriers), Barrier());
  block.phaseBarriers.clear();
  block.bulkCopies.clear();
  block.epoch = 0;
  std::memset(block.shared, 0xff, block.options->sharedBytes);
  if (block.shadow)
    block.shadow->clear();
  const Dim3 shape = block.options->block;
  for (uint32_t i = 0; i < block.threads.size(); ++i) {
    Thread &thread = block.threads[i];
    thread = Thread();
    thread.linear = i;
    thread.index = {i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y};
    thread.context = stacks.prepare(i, threadMain);
  }
}

void runBlock(Block &block) {
  std::vector<uint32_t> order(block.threads.size());
  std::iota(order.begin(), order.end(), 0u);
  for (size_t live = order.size(); live != 0;) {
    if (block.adversarial())
      shuffle(block, order);
    block.progress = false;
    live = 0;
    for (uint32_t i : order) {
      Thread &thread = block.threads[i];
      if (thread.done)
        continue;
      resume(block, thread);
      if (!block.error.empty())
        return;
      live += !thread.done;
    }
    // Bulk copies land now and then, and all threads waiting is the latest time for one.
    if ((live != 0 && !block.progress) || block.nextRandom() % landOneIn == 0)
      if (!landBulkCopy() && live != 0 && !block.progress) {
        block.error = describeDeadlock(block);
        return;
      }
  }
  if (!block.bulkCopies.empty())
    block.error = "block ends with bulk copies in flight";
}

std::string checkShape(const LaunchOptions &options) {
  const uint64_t threads = uint64_t(options.block.x) * options.block.y * options.block.z;
  if (threads == 0 || threads > maxThreads || threads % warpSize)
    return "a block of " + std::to_string(threads) + " threads: expected a multiple of 32, at most 1024";
  return "";
}

void runGrid(Block &block, FiberStacks &stacks) {
  const Dim3 grid = block.options->grid;
  std::vector<uint64_t> order(uint64_t(grid.x) * grid.y * grid.z);
  std::iota(order.begin(), order.end(), uint64_t(0));
  if (block.adversarial())
    shuffle(block, order);
  for (uint64_t i : order) {
    const Dim3 index = {uint32_t(i % grid.x), uint32_t(i / grid.x % grid.y), uint32_t(i / grid.x / grid.y)};
    block.lintNow = block.options->lint && i == 0;
    startBlock(block, stacks, index);
    runBlock(block);
    if (!block.error.empty())
      return;
  }
}

} // namespace

uint32_t Block::nextRandom() {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return uint32_t(random >> 16);
}

LaunchReport launch(const LaunchOptions &options, const std::function<void()> &kernel) {
  LaunchReport report;
  report.error = checkShape(options);
  if (!report.error.empty())
    return report;
  Block block;
  block.options = &options;
  block.kernel = &kernel;
  block.threads.resize(size_t(options.block.x) * options.block.y * options.block.z);
  block.random = options.seed * 0x9e3779b97f4a7c15ull | 1;
  block.shadow = std::make_unique<SharedShadow>(options.sharedBytes + 1);
  if (options.lint)
    block.lint.emplace(block.threads.size());
  const size_t bytes = (options.sharedBytes / sharedAlignment + 1) * sharedAlignment;
  block.shared = static_cast<std::byte *>(std::aligned_alloc(sharedAlignment, bytes));
  FiberStacks stacks(block.threads.size());
  setCurrentBlock(&block);
  runGrid(block, stacks);
  setCurrentBlock(nullptr);
  std::free(block.shared);
  report.error = std::move(block.error);
  report.switches = block.switches;
  report.racesChecked = block.racesChecked;
  if (block.lint)
    report.lint = block.lint->summarize();
  return report;
}

} // namespace graphc::simt
