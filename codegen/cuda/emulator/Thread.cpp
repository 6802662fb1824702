// Barriers, collectives, asynchronous copies and access checks of one emulated thread. See Thread.h.
#include "codegen/cuda/emulator/Thread.h"

#include "codegen/cuda/emulator/Block.h"
#include "codegen/cuda/emulator/Fiber.h"

#include <cstring>

namespace graphc::simt {

namespace {
thread_local Block *runningBlock = nullptr;

// One shared access in this many lets other threads run first in adversarial mode.
constexpr uint32_t interruptOneIn = 64;

SharedShadow::Actor actor(const Block &block) {
  const uint32_t thread = block.current->linear;
  return {uint16_t(thread), block.epoch, block.warps[thread / warpSize].epoch};
}

std::string hex(const void *address) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

size_t sharedOffset(const Block &block, const void *address, size_t bytes, const Site &site) {
  const auto *at = static_cast<const std::byte *>(address);
  const auto offset = static_cast<size_t>(at - block.shared);
  if (at < block.shared || offset + bytes > block.options->sharedBytes)
    fail("access to " + std::to_string(bytes) + " bytes at offset " + std::to_string(at - block.shared) +
             " of shared memory, which has " + std::to_string(block.options->sharedBytes) + " bytes",
         site);
  if (offset % bytes)
    fail("access to " + std::to_string(bytes) + " bytes of shared memory at the misaligned offset " +
             std::to_string(offset),
         site);
  return offset;
}

void recordGlobal(Block &block, const void *address, size_t bytes, bool write, const Site &site) {
  if (block.lintNow)
    block.lint->record(block.current->linear, site, reinterpret_cast<uintptr_t>(address), uint32_t(bytes), false,
                       write);
}

void checkRegions(const Block &block, const void *address, size_t bytes, bool write, const Site &site) {
  if (block.options->memory.empty())
    return;
  const auto *at = static_cast<const std::byte *>(address);
  for (const MemoryRegion &region : block.options->memory) {
    const auto *begin = static_cast<const std::byte *>(region.begin);
    if (at < begin || at + bytes > begin + region.bytes)
      continue;
    if (write && !region.writable)
      fail("write into '" + region.name + "', which the kernel may only read", site);
    return;
  }
  fail(std::string(write ? "write of " : "read of ") + std::to_string(bytes) + " bytes at " + hex(address) +
           ", outside every buffer of the kernel",
       site);
}

void completeCopy(Block &block, const AsyncCopy &copy) {
  std::memcpy(copy.shared, copy.global, copy.valid);
  std::memset(copy.shared + copy.valid, 0, copy.bytes - copy.valid);
  if (block.shadow)
    block.shadow->finishCopy(actor(block), copy.shared - block.shared, copy.bytes);
}

void checkFault(std::string fault, const Site &site) {
  if (!fault.empty())
    fail(fault, site);
}
} // namespace

Block *currentBlock() { return runningBlock; }
void setCurrentBlock(Block *block) { runningBlock = block; }

const Dim3 &threadIndex() { return runningBlock->current->index; }
const Dim3 &blockIndex() { return runningBlock->index; }
const Dim3 &blockShape() { return runningBlock->options->block; }
const Dim3 &gridShape() { return runningBlock->options->grid; }
std::byte *sharedMemory() { return runningBlock->shared; }

void yieldThread(const char *waitingFor, const Site &site) {
  Thread *self = runningBlock->current;
  self->waitingFor = waitingFor;
  self->waitingLine = site.line();
  switchContext(self->context, runningBlock->scheduler);
}

void noteProgress() { runningBlock->progress = true; }

void fail(const std::string &text, const Site &site) {
  Block &block = *runningBlock;
  throw Fault{text + " (" + (site.line() ? "line " + std::to_string(site.line()) + ", " : "") + "thread " +
                std::to_string(block.current->linear) + ", block " + std::to_string(block.index.x) + "," +
                std::to_string(block.index.y) + "," + std::to_string(block.index.z) + ")"};
}

void touchShared(const void *address, size_t bytes, bool write, const Site &site) {
  Block &block = *runningBlock;
  const size_t offset = sharedOffset(block, address, bytes, site);
  if (block.adversarial() && block.nextRandom() % interruptOneIn == 0) {
    noteProgress();
    yieldThread("nothing", site);
  }
  if (block.shadow)
    checkFault(write ? block.shadow->write(actor(block), offset, bytes)
                     : block.shadow->read(actor(block), offset, bytes),
               site);
  if (block.lintNow)
    block.lint->record(block.current->linear, site, offset, uint32_t(bytes), true, write);
}

void touchGlobal(const void *address, size_t bytes, bool write, const Site &site) {
  Block &block = *runningBlock;
  if (reinterpret_cast<uintptr_t>(address) % bytes)
    fail("access to " + std::to_string(bytes) + " bytes of global memory at the misaligned address " + hex(address),
         site);
  recordGlobal(block, address, bytes, write, site);
  checkRegions(block, address, bytes, write, site);
}

void syncThreads(uint32_t id, uint32_t threads, const Site &site) {
  Block &block = *runningBlock;
  if (id >= barrierCount || threads == 0 || threads % warpSize || threads > block.threads.size())
    fail("barrier " + std::to_string(id) + " for " + std::to_string(threads) + " threads of a block of " +
             std::to_string(block.threads.size()),
         site);
  const bool whole = threads == block.threads.size();
  if (!whole) {
    block.shadow.reset();
    block.racesChecked = false;
  }
  Barrier &barrier = block.barriers[id];
  if (barrier.arrived && barrier.expected != threads)
    fail("threads met at barrier " + std::to_string(id) + " with different counts", site);
  barrier.expected = threads;
  const uint32_t generation = barrier.generation;
  if (++barrier.arrived == threads) {
    barrier.arrived = 0;
    ++barrier.generation;
    block.epoch += whole;
    noteProgress();
    return;
  }
  while (barrier.generation == generation)
    yieldThread("a barrier", site);
}

void syncBlock(const Site &site) { syncThreads(0, uint32_t(runningBlock->threads.size()), site); }

void warpCollective(const char *what, void *input, void (*combine)(void *const *lanes), const Site &site) {
  Block &block = *runningBlock;
  const uint32_t lane = block.current->linear % warpSize;
  Warp &warp = block.warps[block.current->linear / warpSize];
  if (warp.arrived && warp.what != what)
    fail(std::string("lanes of one warp met at different points: ") + what + " and " + warp.what, site);
  warp.what = what;
  warp.lanes[lane] = input;
  warp.arrived |= 1u << lane;
  const uint32_t generation = warp.generation;
  if (warp.arrived == ~0u) {
    combine(warp.lanes);
    warp.arrived = 0;
    ++warp.generation;
    noteProgress();
    return;
  }
  while (warp.generation == generation)
    yieldThread(what, site);
}

void syncWarp(const Site &site) {
  Warp &warp = runningBlock->warps[runningBlock->current->linear / warpSize];
  warpCollective("a warp barrier", &warp, [](void *const *lanes) { ++static_cast<Warp *>(lanes[0])->epoch; }, site);
}

void copyAsync(void *shared, const void *global, size_t bytes, size_t valid, const Site &site) {
  Block &block = *runningBlock;
  const size_t offset = sharedOffset(block, shared, bytes, site);
  if (valid > bytes)
    fail("asynchronous copy of more bytes than its size", site);
  if (reinterpret_cast<uintptr_t>(global) % bytes)
    fail("asynchronous copy from the misaligned address " + hex(global), site);
  if (valid) {
    recordGlobal(block, global, bytes, false, site);
    checkRegions(block, global, valid, false, site);
  }
  if (block.shadow)
    checkFault(block.shadow->startCopy(actor(block), offset, bytes), site);
  if (block.lintNow)
    block.lint->record(block.current->linear, site, offset, uint32_t(bytes), true, true);
  const AsyncCopy copy = {static_cast<std::byte *>(shared), static_cast<const std::byte *>(global), bytes, valid};
  if (block.adversarial()) {
    std::memset(shared, 0xff, bytes);
  } else {
    std::memcpy(shared, global, valid);
    std::memset(copy.shared + valid, 0, bytes - valid);
  }
  block.current->openCopies.push_back(copy);
}

void commitCopies() {
  Thread *self = runningBlock->current;
  self->copyGroups.push_back(std::move(self->openCopies));
  self->openCopies.clear();
}

void waitCopies(size_t pending) {
  Thread *self = runningBlock->current;
  while (self->copyGroups.size() > pending) {
    for (const AsyncCopy &copy : self->copyGroups.front())
      completeCopy(*runningBlock, copy);
    self->copyGroups.pop_front();
  }
}

} // namespace graphc::simt
