// The pool: every chunk exactly once, any number of workers, sleeping and waking.
#include "runtime/exec/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

using graphc::runtime::ThreadPool;

namespace {

struct Counts {
  explicit Counts(size_t n) : chunk(n) {}
  std::vector<std::atomic<int>> chunk;
  std::atomic<unsigned> largestWorker{0};
  static void run(void *self, unsigned worker, uint32_t index) {
    auto &counts = *static_cast<Counts *>(self);
    counts.chunk[index].fetch_add(1);
    unsigned seen = counts.largestWorker.load();
    while (seen < worker && !counts.largestWorker.compare_exchange_weak(seen, worker)) {
    }
  }
};

void runOnce(ThreadPool &pool, unsigned workers, uint32_t chunks) {
  Counts counts(chunks);
  pool.parallel(workers, chunks, Counts::run, &counts);
  for (uint32_t i = 0; i < chunks; ++i)
    ASSERT_EQ(counts.chunk[i].load(), 1) << "chunk " << i << " of " << chunks;
  ASSERT_LT(counts.largestWorker.load(), workers);
}

} // namespace

TEST(ThreadPool, RunsEachChunkOnce) {
  for (unsigned threads : {1, 2, 3, 8, 40}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    ASSERT_TRUE(pool.tryEnter());
    EXPECT_FALSE(pool.tryEnter());
    for (int round = 0; round < 200; ++round)
      for (uint32_t chunks : {0, 1, 2, 7, 100})
        runOnce(pool, 1 + static_cast<unsigned>(round) % threads, chunks);
    pool.leave();
  }
}

TEST(ThreadPool, WakesAfterSleeping) {
  ThreadPool pool(3);
  ASSERT_TRUE(pool.tryEnter());
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    runOnce(pool, 3, 50);
  }
  pool.leave();
}

TEST(ThreadPool, OthersWaitForTheOwner) {
  ThreadPool pool(2);
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        pool.enter();
        EXPECT_EQ(inside.fetch_add(1), 0);
        runOnce(pool, 2, 20);
        inside.fetch_sub(1);
        pool.leave();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(ThreadPool, CountsTheCpusItMayUse) {
  EXPECT_GE(ThreadPool::availableCpus(), 1u);
  EXPECT_LE(ThreadPool::availableCpus(), ThreadPool::maxThreads);
}
