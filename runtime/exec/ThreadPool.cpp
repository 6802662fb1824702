// A step is published by storing one 64-bit word per worker: next chunk (24 bits), end of the share (24), workers that take
// part (16). A chunk is taken by compare-exchange on such a word; everything else about the step is read only after that, while
// the owner can't have gone on. Sleeping follows the usual pattern: announce, look again, sleep.
#include "runtime/exec/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <exception>
#include <fstream>
#include <immintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace graphc::runtime {
namespace {

constexpr std::chrono::microseconds spinTime{50};

constexpr uint64_t packShare(uint32_t next, uint32_t end, unsigned workers) {
  return uint64_t(next) | uint64_t(end) << 24 | uint64_t(workers) << 48;
}
constexpr uint32_t nextOf(uint64_t word) { return word & 0xffffff; }
constexpr uint32_t endOf(uint64_t word) { return (word >> 24) & 0xffffff; }
constexpr unsigned workersOf(uint64_t word) { return static_cast<unsigned>(word >> 48); }

uint32_t wakeBit(unsigned worker) { return 1u << (worker % 32); }

void futexWait(std::atomic<uint32_t> &word, uint32_t seen, uint32_t bits) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_BITSET_PRIVATE, seen, nullptr, nullptr, bits);
}

void futexWake(std::atomic<uint32_t> &word, uint32_t bits) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, bits);
}

/// Spins until `ready` or the time is up; true when ready.
template <typename Ready> bool spin(Ready ready) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    for (int i = 0; i < 64; ++i) {
      if (ready())
        return true;
      _mm_pause();
    }
    if (std::chrono::steady_clock::now() - begin > spinTime)
      return false;
  }
}

} // namespace

ThreadPool::ThreadPool(unsigned threads) : shares_(new Share[std::clamp(threads, 1u, maxThreads)]) {
  const unsigned wanted = std::clamp(threads, 1u, maxThreads);
  workers_.reserve(wanted - 1);
  for (unsigned worker = 1; worker < wanted; ++worker) {
    try {
      workers_.emplace_back([this, worker] { work(worker); });
    } catch (const std::exception &) {
      break; // a limit of the system or no memory: fewer threads
    }
    threads_ = worker + 1;
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  epoch_.fetch_add(1);
  futexWake(epoch_, FUTEX_BITSET_MATCH_ANY);
  for (std::thread &worker : workers_)
    worker.join();
}

bool ThreadPool::tryEnter() {
  const std::lock_guard lock(ownerMutex_);
  return owned_ ? false : (owned_ = true);
}

void ThreadPool::enter() {
  std::unique_lock lock(ownerMutex_);
  ownerLeft_.wait(lock, [&] { return !owned_; });
  owned_ = true;
}

void ThreadPool::leave() {
  {
    const std::lock_guard lock(ownerMutex_);
    owned_ = false;
  }
  ownerLeft_.notify_one();
}

bool ThreadPool::takeFrom(Share &share, unsigned worker, uint32_t &chunk) {
  uint64_t word = share.word.load(std::memory_order_acquire);
  while (nextOf(word) < endOf(word) && worker < workersOf(word)) {
    const uint64_t taken = packShare(nextOf(word) + 1, endOf(word), workersOf(word));
    if (share.word.compare_exchange_weak(word, taken, std::memory_order_acq_rel, std::memory_order_acquire)) {
      chunk = nextOf(word);
      return true;
    }
  }
  return false;
}

uint32_t ThreadPool::takeChunks(unsigned worker) {
  uint32_t count = 0, chunk = 0;
  for (unsigned i = 0; i < threads_; ++i) {
    Share &share = shares_[(worker + i) % threads_];
    for (; takeFrom(share, worker, chunk); ++count)
      run_(job_, worker, chunk);
  }
  return count;
}

void ThreadPool::finished(uint32_t count) {
  done_.fetch_add(count);
  if (ownerSleeps_.load())
    futexWake(done_, FUTEX_BITSET_MATCH_ANY);
}

void ThreadPool::parallel(unsigned workers, uint32_t chunks, RunChunk run, void *job) {
  if (chunks == 0)
    return;
  workers = std::min(workers, threads_);
  run_ = run;
  job_ = job;
  done_.store(0, std::memory_order_relaxed);
  const auto bound = [&](unsigned worker) { return static_cast<uint32_t>(uint64_t(chunks) * worker / workers); };
  uint32_t wake = 0;
  for (unsigned worker = 0; worker < workers; ++worker) {
    shares_[worker].word.store(packShare(bound(worker), bound(worker + 1), workers), std::memory_order_release);
    wake |= worker > 0 ? wakeBit(worker) : 0;
  }
  participants_.store(workers, std::memory_order_relaxed);
  epoch_.fetch_add(1);
  if (wake != 0 && sleepers_.load() > 0)
    futexWake(epoch_, wake);
  done_.fetch_add(takeChunks(0));
  const auto allDone = [&] { return done_.load() == chunks; };
  if (allDone() || spin(allDone))
    return;
  ownerSleeps_.store(1);
  for (uint32_t seen = done_.load(); seen != chunks; seen = done_.load())
    futexWait(done_, seen, FUTEX_BITSET_MATCH_ANY);
  ownerSleeps_.store(0);
}

void ThreadPool::work(unsigned worker) {
  uint32_t seen = 0;
  while (!stop_.load()) {
    const auto published = [&] { return epoch_.load(std::memory_order_acquire) != seen; };
    const bool idle = worker >= participants_.load(std::memory_order_relaxed); // no use spinning for others' steps
    if (!published() && (idle || !spin(published))) {
      sleepers_.fetch_add(1);
      while (!published())
        futexWait(epoch_, seen, wakeBit(worker));
      sleepers_.fetch_sub(1);
    }
    seen = epoch_.load(std::memory_order_acquire);
    if (const uint32_t count = takeChunks(worker))
      finished(count);
  }
}

unsigned ThreadPool::availableCpus() {
  cpu_set_t mask;
  unsigned count = std::thread::hardware_concurrency();
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    count = static_cast<unsigned>(CPU_COUNT(&mask));
  std::ifstream quotaFile("/sys/fs/cgroup/cpu.max"); // cgroup v2: "<quota µs or max> <period µs>"
  double quota = 0, period = 0;
  if (quotaFile >> quota >> period && quota > 0 && period > 0)
    count = std::min(count, static_cast<unsigned>(std::ceil(quota / period)));
  return std::clamp(count, 1u, maxThreads);
}

ThreadPool &ThreadPool::process() {
  static ThreadPool &pool = *new ThreadPool(availableCpus());
  return pool;
}

} // namespace graphc::runtime
