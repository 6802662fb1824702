// Asynchronous runs on the CPU: a stream is a thread that takes its runs one after the other, a completion is where the result
// of one run arrives.
#ifndef GRAPHC_RUNTIME_EXEC_STREAM_H
#define GRAPHC_RUNTIME_EXEC_STREAM_H

#include "runtime/status/Failure.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace graphc::runtime {

class Completion {
public:
  void finish(std::optional<Failure> failure);
  bool done() const;
  /// Waits; the failure of the run, or nothing.
  const std::optional<Failure> &wait();

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::optional<Failure> failure_;
};

class Stream {
public:
  Stream();
  /// Runs what was submitted, then ends the thread.
  ~Stream();
  Stream(const Stream &) = delete;
  /// The job must not throw.
  void submit(std::function<void()> job);
  void synchronize();

private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool running_ = false, stop_ = false;
  std::thread thread_; // last: it uses the others
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_STREAM_H
