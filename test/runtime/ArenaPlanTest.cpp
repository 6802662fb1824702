// Arena offsets: buffers alive at the same time never overlap, dead ones are reused, alignment is kept.
#include "runtime/exec/ArenaPlan.h"

#include <gtest/gtest.h>

#include <random>

using namespace graphc::runtime;

namespace {

void check(const std::vector<ArenaRequest> &requests, const std::vector<uint64_t> &offsets, uint64_t size) {
  for (size_t a = 0; a < requests.size(); ++a) {
    ASSERT_LE(offsets[a] + requests[a].bytes, size);
    ASSERT_EQ(offsets[a] % std::max<uint64_t>(64, requests[a].alignment), 0u);
    for (size_t b = 0; b < a; ++b) {
      const bool alive = requests[a].firstStep <= requests[b].lastStep && requests[b].firstStep <= requests[a].lastStep;
      const bool apart = offsets[a] + requests[a].bytes <= offsets[b] || offsets[b] + requests[b].bytes <= offsets[a];
      ASSERT_TRUE(!alive || apart) << a << " and " << b;
    }
  }
}

} // namespace

TEST(ArenaPlan, ReusesWhatIsDead) {
  std::vector<uint64_t> offsets;
  EXPECT_EQ(planArena({{4096, 0, 3}, {64, 1, 1}, {4096, 4, 5}}, offsets), 4160u);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 4096, 0}));
  EXPECT_EQ(planArena({}, offsets), 0u);
  EXPECT_EQ(planArena({{0, 0, 1}, {1, 0, 1}}, offsets), 64u);
}

TEST(ArenaPlan, AChainNeedsTwoBuffers) {
  std::vector<ArenaRequest> chain;
  for (uint32_t i = 0; i < 100; ++i)
    chain.push_back({1000, i, i + 1});
  std::vector<uint64_t> offsets;
  EXPECT_EQ(planArena(chain, offsets), 2048u);
}

TEST(ArenaPlan, RandomRequestsNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaRequest> requests;
    uint64_t peak = 0;
    const uint32_t count = 1 + random() % 60;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t first = random() % 40;
      requests.push_back({random() % 5000, first, static_cast<uint32_t>(first + random() % 10), 1u << (random() % 13)});
      peak += requests.back().bytes + 4096 + 64;
    }
    std::vector<uint64_t> offsets;
    const uint64_t size = planArena(requests, offsets);
    check(requests, offsets, size);
    ASSERT_LE(size, peak);
  }
}
