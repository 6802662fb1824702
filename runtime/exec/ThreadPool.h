// Worker threads that take chunks of one parallel step at a time.
//
//   if (pool.tryEnter()) {                         // one owner at a time
//     pool.parallel(4, chunkCount, runChunk, &job);  // chunks 0 … chunkCount-1, each exactly once; returns when all are done
//     pool.parallel(…);                              // a barrier lies between two calls
//     pool.leave();
//   }
//
// Between two calls workers spin for at most 50 µs, then sleep on a futex. The caller works too (as worker 0) and waits only
// for chunks that a worker has taken: a worker that the system doesn't schedule holds nobody up, and a pool whose threads are
// gone (after fork) still does everything on the caller. Which worker does a chunk is not fixed; each starts with its own share,
// so that consecutive steps over the same rows tend to stay in the same cache, then helps others.
#ifndef GRAPHC_RUNTIME_EXEC_THREADPOOL_H
#define GRAPHC_RUNTIME_EXEC_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace graphc::runtime {

class ThreadPool {
public:
  using RunChunk = void (*)(void *job, unsigned worker, uint32_t chunk);
  static constexpr uint32_t maxChunks = (1u << 24) - 1;
  static constexpr unsigned maxThreads = 1024;

  /// `threads` counts the caller: threads-1 are started. Fewer where the system refuses more.
  explicit ThreadPool(unsigned threads);
  /// Nobody may be inside.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  unsigned threads() const { return threads_; }
  bool tryEnter();
  /// Waits until the owner has left.
  void enter();
  void leave();

  /// Only between enter and leave, by the thread that entered. workers: 1 … threads(), chunks: 0 … maxChunks.
  void parallel(unsigned workers, uint32_t chunks, RunChunk run, void *job);

  /// CPUs that this process may use: its affinity mask, at most what its cgroup's quota allows; at least 1.
  static unsigned availableCpus();
  /// The pool of the process, started by the first call with availableCpus() threads. Never destroyed.
  static ThreadPool &process();

private:
  struct alignas(64) Share { // of one worker in the current step: next chunk, end, number of workers that take part
    std::atomic<uint64_t> word{0};
  };
  void work(unsigned worker);
  uint32_t takeChunks(unsigned worker);
  bool takeFrom(Share &share, unsigned worker, uint32_t &chunk);
  void finished(uint32_t count);

  unsigned threads_ = 1;
  std::unique_ptr<Share[]> shares_;
  RunChunk run_ = nullptr; // written by the owner while no chunk is out
  void *job_ = nullptr;
  alignas(64) std::atomic<uint32_t> epoch_{0}; // futex of sleeping workers
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<unsigned> participants_{0};
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<uint32_t> done_{0}; // futex of the waiting owner
  std::atomic<uint32_t> ownerSleeps_{0};
  std::mutex ownerMutex_;
  std::condition_variable ownerLeft_;
  bool owned_ = false;
  std::vector<std::thread> workers_;
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_THREADPOOL_H
