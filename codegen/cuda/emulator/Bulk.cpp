// Transaction barriers and bulk copies. See Bulk.h.
#include "codegen/cuda/emulator/Bulk.h"

#include "codegen/cuda/emulator/Block.h"

#include <cstring>

namespace graphc::simt {

namespace {

constexpr size_t barrierBytes = 8, bulkAlignment = 16;

size_t offsetOf(const Block &block, const void *address) {
  return size_t(static_cast<const std::byte *>(address) - block.shared);
}

PhaseBarrier &find(const void *address, const Site &site) {
  Block &block = *currentBlock();
  auto found = block.phaseBarriers.find(offsetOf(block, address));
  if (found == block.phaseBarriers.end())
    fail("barrier at offset " + std::to_string(offsetOf(block, address)) + " of shared memory used before it was initialised", site);
  return found->second;
}

void completeIfDone(PhaseBarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  barrier.pending = barrier.arrivals;
  barrier.parity ^= 1;
  noteProgress();
}

void land(Block &block, const BulkCopy &copy) {
  std::memcpy(copy.shared, copy.global, copy.bytes);
  PhaseBarrier &barrier = block.phaseBarriers.at(copy.barrier);
  barrier.bytes -= int64_t(copy.bytes);
  completeIfDone(barrier);
  noteProgress();
}

/// What these barriers order is not part of the race check's model.
void giveUpRaceCheck(Block &block) {
  block.shadow.reset();
  block.racesChecked = false;
}

} // namespace

void initBarrier(void *barrier, uint32_t arrivals, const Site &site) {
  Block &block = *currentBlock();
  touchShared(barrier, barrierBytes, true, site);
  giveUpRaceCheck(block);
  if (arrivals == 0)
    fail("a barrier needs at least one arrival", site);
  if (!block.phaseBarriers.try_emplace(offsetOf(block, barrier), PhaseBarrier{arrivals, arrivals, 0, 0}).second)
    fail("barrier initialised twice", site);
}

void arrive(void *address, uint32_t bytes, const Site &site) {
  PhaseBarrier &barrier = find(address, site);
  if (barrier.pending == 0)
    fail("more arrivals at a barrier than the " + std::to_string(barrier.arrivals) + " it takes", site);
  barrier.bytes += bytes;
  --barrier.pending;
  noteProgress();
  completeIfDone(barrier);
}

void waitPhase(void *address, uint32_t parity, const Site &site) {
  find(address, site);
  while (find(address, site).parity == parity)
    yieldThread("a phase of a transaction barrier", site);
}

void copyBulk(void *shared, const void *global, size_t bytes, void *barrier, const Site &site) {
  Block &block = *currentBlock();
  find(barrier, site);
  if (bytes % bulkAlignment || reinterpret_cast<uintptr_t>(global) % bulkAlignment || offsetOf(block, shared) % bulkAlignment)
    fail("bulk copy whose size or addresses are no multiples of 16", site);
  for (size_t at = 0; at < bytes; at += bulkAlignment) {
    touchShared(static_cast<std::byte *>(shared) + at, bulkAlignment, true, site);
    touchGlobal(static_cast<const std::byte *>(global) + at, bulkAlignment, false, site);
  }
  const BulkCopy copy = {static_cast<std::byte *>(shared), static_cast<const std::byte *>(global), bytes, offsetOf(block, barrier)};
  if (!block.adversarial())
    return land(block, copy);
  std::memset(shared, 0xff, bytes);
  block.bulkCopies.push_back(copy);
}

bool landBulkCopy() {
  Block &block = *currentBlock();
  if (block.bulkCopies.empty())
    return false;
  const size_t chosen = block.nextRandom() % block.bulkCopies.size();
  const BulkCopy copy = block.bulkCopies[chosen];
  block.bulkCopies.erase(block.bulkCopies.begin() + chosen);
  land(block, copy);
  return true;
}

} // namespace graphc::simt
