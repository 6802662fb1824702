// The emulator's own checks: each kind of fault is found and named, and right programs run clean.
#include "codegen/cuda/kernels/gc_bulk.h"
#include "test/kernels/Harness.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::test;
using simt::launch;
using simt::LaunchReport;

namespace {

::testing::AssertionResult mentions(const LaunchReport &report, const std::string &text) {
  if (report.error.find(text) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << report.error << "' does not mention '" << text << "'";
}

gc_u32 *word(int i) { return reinterpret_cast<gc_u32 *>(gc_shared()) + i; }

TEST(Emulator, EveryThreadOfEveryBlockRunsOnce) {
  for (uint64_t seed : allSeeds) {
    std::vector<int> ran(3 * 64);
    EXPECT_EQ(launch({.grid = {3}, .block = {64}, .seed = seed}, [&] { ++ran[gc_block() * 64 + gc_thread()]; }).error, "");
    EXPECT_EQ(ran, std::vector<int>(3 * 64, 1));
  }
}

TEST(Emulator, ShuffleReadsTheOtherLane) {
  std::vector<gc_u32> got(64);
  EXPECT_EQ(launch({.block = {64}, .seed = 5}, [&] { got[gc_thread()] = gc_shuffle_xor(gc_thread(), 16); }).error, "");
  for (gc_u32 i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], i ^ 16);
}

TEST(Emulator, BarrierOrdersSharedMemory) {
  for (uint64_t seed : allSeeds) {
    std::vector<gc_u32> got(64);
    const LaunchReport report = launch({.block = {64}, .sharedBytes = 256, .seed = seed}, [&] {
      gc_store_shared(word(gc_thread()), gc_thread() * 3);
      gc_sync_block();
      got[gc_thread()] = gc_load_shared<gc_u32>(word(63 - gc_thread()));
    });
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(got[5], 58u * 3);
  }
}

TEST(Emulator, MissingBarrierIsARaceInEveryOrder) {
  for (uint64_t seed : allSeeds)
    EXPECT_TRUE(mentions(launch({.block = {64}, .sharedBytes = 256, .seed = seed},
                                [&] {
                                  gc_store_shared(word(gc_thread()), gc_thread());
                                  gc_load_shared<gc_u32>(word(63 - gc_thread()));
                                }),
                         "race in shared memory"));
}

TEST(Emulator, WarpBarrierOrdersOnlyItsWarp) {
  auto exchange = [](gc_u32 mask) {
    gc_store_shared(word(gc_thread()), gc_thread());
    gc_sync_warp();
    gc_load_shared<gc_u32>(word(gc_thread() ^ mask));
  };
  EXPECT_EQ(launch({.block = {64}, .sharedBytes = 256}, [&] { exchange(1); }).error, "");
  EXPECT_TRUE(mentions(launch({.block = {64}, .sharedBytes = 256}, [&] { exchange(32); }), "race"));
}

TEST(Emulator, ShuffleDoesNotOrderSharedMemory) {
  EXPECT_TRUE(mentions(launch({.block = {32}, .sharedBytes = 256},
                              [&] {
                                gc_store_shared(word(gc_thread()), gc_thread());
                                gc_shuffle_xor(0, 1);
                                gc_load_shared<gc_u32>(word(gc_thread() ^ 1));
                              }),
                       "race"));
}

TEST(Emulator, DeadlockNamesWhoWaits) {
  EXPECT_TRUE(mentions(launch({.block = {64}},
                              [&] {
                                if (gc_thread() != 7)
                                  gc_sync_block();
                              }),
                       "deadlock: thread 0 waits for a barrier"));
}

TEST(Emulator, DivergedWarpIsAFault) {
  EXPECT_TRUE(mentions(launch({.block = {32}},
                              [&] {
                                if (gc_thread() < 16)
                                  gc_sync_warp();
                                else
                                  gc_shuffle_xor(0, 1);
                              }),
                       "lanes of one warp met at different points"));
}

TEST(Emulator, AccessesOutsideMemoryAreFaults) {
  std::vector<gc_u32> buffer(16);
  const simt::LaunchOptions options = {.block = {32}, .sharedBytes = 128, .memory = {{buffer.data(), 64, "buffer"}}};
  EXPECT_TRUE(mentions(launch(options, [&] { gc_store_shared(word(gc_thread() + 1), 0u); }),
                       "at offset 128 of shared memory, which has 128 bytes"));
  EXPECT_TRUE(mentions(launch(options, [&] { gc_load_shared<gc_bits8>(word(1)); }), "misaligned offset 4"));
  EXPECT_TRUE(mentions(launch(options, [&] { gc_load_global<gc_u32>(buffer.data() + gc_thread()); }),
                       "outside every buffer"));
  EXPECT_TRUE(mentions(launch(options, [&] { gc_store_global(buffer.data(), 1u); }), "'buffer', which the kernel may only read"));
}

TEST(Emulator, AsynchronousCopiesLandAtTheirWait) {
  std::vector<gc_bits16> source(32, gc_bits16{{1, 2, 3, 4}});
  auto kernel = [&](bool wait) {
    gc_u8 *mine = gc_shared() + gc_thread() * 16;
    gc_copy_async16(mine, &source[gc_thread()], 8);
    gc_copy_commit();
    if (wait)
      gc_copy_wait<0>();
    const auto got = gc_load_shared<gc_bits16>(mine);
    if (got.word[1] != 2 || got.word[2] != 0)
      simt::fail("wrong bytes", simt::Site::current());
  };
  for (uint64_t seed : allSeeds) {
    const simt::LaunchOptions options = {.block = {32}, .sharedBytes = 512, .seed = seed};
    EXPECT_EQ(launch(options, [&] { kernel(true); }).error, "");
    EXPECT_TRUE(mentions(launch(options, [&] { kernel(false); }), "copy into it is in flight"));
  }
  EXPECT_TRUE(mentions(launch({.block = {32}, .sharedBytes = 512},
                              [&] { gc_copy_async16(gc_shared() + gc_thread() * 16, &source[0], 16); }),
                       "never waited for"));
}

TEST(Emulator, PartialBarriersWorkWithoutTheRaceCheck) {
  const LaunchReport report = launch({.block = {128}}, [&] { gc_sync_threads(1 + gc_thread() / 64, 64); });
  EXPECT_EQ(report.error, "");
  EXPECT_FALSE(report.racesChecked);
}

TEST(Emulator, LintCountsSectorsAndBankConflicts) {
  std::vector<gc_u32> buffer(32 * 64 + 64);
  gc_u32 *aligned = buffer.data() + (128 - reinterpret_cast<uintptr_t>(buffer.data()) % 128) % 128 / 4;
  const LaunchReport report = launch({.block = {32}, .sharedBytes = 4096, .lint = true}, [&] {
    gc_load_global<gc_u32>(aligned + gc_thread());
    gc_load_global<gc_u32>(aligned + gc_thread() * 8);
    gc_store_shared(word(gc_thread()), 0u);
    gc_store_shared(word(gc_thread() * 32), 0u);
  });
  ASSERT_EQ(report.lint.size(), 4u);
  EXPECT_EQ(report.lint[0].transactions, 4u);
  EXPECT_EQ(report.lint[1].transactions, 32u);
  EXPECT_EQ(report.lint[2].transactions, 1u);
  EXPECT_EQ(report.lint[3].transactions, 32u);
}

// Every 16-bit value survives widening and rounding back; f32 values round to nearest even.
TEST(Emulator, SixteenBitFloats) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float half = simt::halfToFloat(uint16_t(bits)), bfloat = simt::bfloatToFloat(uint16_t(bits));
    EXPECT_EQ(simt::floatToHalf(half), std::isnan(half) ? 0x7fff : bits);
    EXPECT_EQ(simt::floatToBfloat(bfloat), std::isnan(bfloat) ? 0x7fff : bits);
  }
  EXPECT_EQ(simt::floatToHalf(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(simt::floatToHalf(1.0f + 0x3p-11f), 0x3c02);
  EXPECT_EQ(simt::floatToHalf(65519.99f), 0x7bff);
  EXPECT_EQ(simt::floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(simt::floatToHalf(-0x1p-25f), 0x8000);
  EXPECT_EQ(simt::floatToHalf(0x1.8p-25f), 0x0001);
}

TEST(Emulator, MatrixProductsUseTheDocumentedFragments) {
  std::vector<float> sums(16 * 8);
  EXPECT_EQ(launch({.block = {32}, .seed = 3},
                   [&] {
                     const gc_u32 lane = gc_thread(), row = lane / 4, k = lane % 4;
                     gc_u32 a[4];
                     for (gc_u32 i = 0; i < 4; ++i)
                       a[i] = gc_to_tf32(float((row + i % 2 * 8) * 8 + k + i / 2 * 4));
                     const gc_u32 b0 = gc_to_tf32(row == k), b1 = gc_to_tf32(row == k + 4); // identity
                     float d[4] = {};
                     gc_mma_tf32(d, a, b0, b1);
                     for (gc_u32 i = 0; i < 4; ++i)
                       sums[(row + i / 2 * 8) * 8 + k * 2 + i % 2] = d[i];
                   })
                .error,
            "");
  for (size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(sums[i], float(i));
}

// A pipeline over two slots of 512 bytes: warp 0 copies, warp 1 doubles; full and empty barriers by slot.
struct Pipeline {
  std::vector<gc_u32> source = std::vector<gc_u32>(128 * 6), result = std::vector<gc_u32>(128 * 6);
  gc_u32 announced = 512, firstParity = 1;
  bool waitsFull = true, waitsEmpty = true, initialises = true;

  Pipeline() {
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = gc_u32(i + 1);
  }
  gc_u64 *barrier(int i) const { return reinterpret_cast<gc_u64 *>(gc_shared()) + i; }
  static gc_u8 *slot(int i) { return gc_shared() + 512 + i * 512; }

  void produce() const {
    if (gc_thread() != 0)
      return;
    for (int step = 0; step < 6; ++step) {
      const int s = step % 2;
      if (waitsEmpty)
        gc_barrier_wait(barrier(2 + s), (firstParity + step / 2) % 2);
      gc_barrier_expect(barrier(s), announced);
      gc_bulk_copy(slot(s), &source[step * 128], 512, barrier(s));
    }
  }
  void consume() {
    for (int step = 0; step < 6; ++step) {
      const int s = step % 2;
      if (waitsFull)
        gc_barrier_wait(barrier(s), step / 2 % 2);
      for (int i = gc_thread() - 32; i < 128; i += 32)
        result[step * 128 + i] = 2 * gc_load_shared<gc_u32>(slot(s) + i * 4);
      gc_barrier_arrive(barrier(2 + s));
    }
  }
  void operator()() {
    if (initialises && gc_thread() == 0)
      for (int i = 0; i < 4; ++i)
        gc_barrier_init(barrier(i), i < 2 ? 1 : 32);
    gc_barrier_fence();
    gc_sync_block();
    if (gc_thread() < 32)
      produce();
    else
      consume();
  }
  /// The fault, or "wrong result", or "".
  std::string run(uint64_t seed) {
    const LaunchReport report = launch({.block = {64}, .sharedBytes = 2048, .seed = seed}, [&] { (*this)(); });
    if (!report.error.empty())
      return report.error;
    for (size_t i = 0; i < result.size(); ++i)
      if (result[i] != 2 * source[i])
        return "wrong result";
    return "";
  }
};

TEST(Bulk, PipelineThroughTwoSlots) {
  for (uint64_t seed : {0, 1, 2, 3, 4, 5})
    EXPECT_EQ(Pipeline().run(seed), "") << seed;
}

// Whether a bug shows depends on the order: some seed must find it.
std::string firstFault(void (*plant)(Pipeline &)) {
  for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    Pipeline pipeline;
    plant(pipeline);
    if (std::string fault = pipeline.run(seed); !fault.empty())
      return fault;
  }
  return "";
}

TEST(Bulk, FindsPlantedBugs) {
  EXPECT_NE(firstFault([](Pipeline &p) { p.waitsFull = false; }), "");
  EXPECT_NE(firstFault([](Pipeline &p) { p.waitsEmpty = false; }), "");
  EXPECT_NE(firstFault([](Pipeline &p) { p.announced = 528; }).find("deadlock"), std::string::npos);
  EXPECT_NE(firstFault([](Pipeline &p) { p.announced = 496; }), "");
  EXPECT_NE(firstFault([](Pipeline &p) { p.firstParity = 0; }).find("deadlock"), std::string::npos);
  EXPECT_NE(firstFault([](Pipeline &p) { p.initialises = false; }).find("used before it was initialised"), std::string::npos);
}

TEST(Bulk, MisusedBarriersAreFaults) {
  auto barrier = [] { return reinterpret_cast<gc_u64 *>(gc_shared()); };
  EXPECT_TRUE(mentions(launch({.block = {32}, .sharedBytes = 64}, [&] { gc_barrier_init(barrier(), 1); }), "initialised twice"));
  EXPECT_TRUE(mentions(launch({.block = {32}, .sharedBytes = 64},
                              [&] {
                                if (gc_thread() == 0) {
                                  gc_barrier_init(barrier(), 1);
                                  gc_bulk_copy(gc_shared() + 16, gc_shared(), 8, barrier());
                                }
                              }),
                       "multiples of 16"));
}

} // namespace
