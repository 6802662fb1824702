// Free blocks are kept sorted by offset; their number stays small (about the number of buffers alive at once).
#include "runtime/exec/ArenaPlan.h"

#include <algorithm>
#include <numeric>

namespace graphc::runtime {
namespace {

struct Block {
  uint64_t begin, end;
};

class FreeList {
public:
  uint64_t take(uint64_t bytes, uint64_t alignment) {
    auto best = free_.end();
    for (auto block = free_.begin(); block != free_.end(); ++block)
      if (alignUp(block->begin, alignment) + bytes <= block->end &&
          (best == free_.end() || block->end - block->begin < best->end - best->begin))
        best = block;
    if (best == free_.end())
      best = grow(bytes, alignment);
    const uint64_t begin = alignUp(best->begin, alignment);
    const Block before{best->begin, begin}, after{begin + bytes, best->end};
    best = free_.erase(best);
    if (after.begin < after.end)
      best = free_.insert(best, after);
    if (before.begin < before.end)
      free_.insert(best, before);
    return begin;
  }

  void give(Block block) {
    auto next = std::lower_bound(free_.begin(), free_.end(), block,
                                 [](const Block &a, const Block &b) { return a.begin < b.begin; });
    if (next != free_.end() && next->begin == block.end) {
      block.end = next->end;
      next = free_.erase(next);
    }
    if (next != free_.begin() && std::prev(next)->end == block.begin) {
      std::prev(next)->end = block.end;
      return;
    }
    free_.insert(next, block);
  }

  uint64_t size() const { return size_; }

private:
  static uint64_t alignUp(uint64_t offset, uint64_t alignment) { return (offset + alignment - 1) & ~(alignment - 1); }

  /// Extends the arena so that its last free block has the bytes.
  std::vector<Block>::iterator grow(uint64_t bytes, uint64_t alignment) {
    if (free_.empty() || free_.back().end != size_)
      free_.push_back({size_, size_});
    size_ = alignUp(free_.back().begin, alignment) + bytes;
    free_.back().end = size_;
    return std::prev(free_.end());
  }

  std::vector<Block> free_;
  uint64_t size_ = 0;
};

} // namespace

uint64_t planArena(const std::vector<ArenaRequest> &requests, std::vector<uint64_t> &offsets) {
  offsets.assign(requests.size(), 0);
  std::vector<uint32_t> byFirst(requests.size()), byLast;
  std::iota(byFirst.begin(), byFirst.end(), 0);
  byLast = byFirst;
  std::stable_sort(byFirst.begin(), byFirst.end(), [&](uint32_t a, uint32_t b) {
    const ArenaRequest &x = requests[a], &y = requests[b];
    return x.firstStep != y.firstStep ? x.firstStep < y.firstStep : x.bytes > y.bytes;
  });
  std::stable_sort(byLast.begin(), byLast.end(),
                   [&](uint32_t a, uint32_t b) { return requests[a].lastStep < requests[b].lastStep; });
  const auto rounded = [&](uint32_t index) { return (requests[index].bytes + 63) & ~uint64_t(63); };
  FreeList arena;
  size_t ended = 0;
  for (uint32_t index : byFirst) {
    for (; ended < byLast.size() && requests[byLast[ended]].lastStep < requests[index].firstStep; ++ended)
      if (const uint64_t bytes = rounded(byLast[ended]))
        arena.give({offsets[byLast[ended]], offsets[byLast[ended]] + bytes});
    if (const uint64_t bytes = rounded(index))
      offsets[index] = arena.take(bytes, std::max<uint32_t>(requests[index].alignment, 64));
  }
  return arena.size();
}

} // namespace graphc::runtime
