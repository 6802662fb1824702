// See Stream.h.
#include "runtime/exec/Stream.h"

#include <utility>

namespace graphc::runtime {

void Completion::finish(std::optional<Failure> failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  done_ = true;
  changed_.notify_all();
}

bool Completion::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

const std::optional<Failure> &Completion::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
  return failure_;
}

Stream::Stream() : thread_([this] { work(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Stream::submit(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void Stream::synchronize() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.empty() && !running_; });
}

void Stream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
    if (jobs_.empty())
      return;
    {
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      running_ = true;
      lock.unlock();
      job();
    }
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

} // namespace graphc::runtime
