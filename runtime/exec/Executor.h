// Executes the steps of a resolved instance once. The calling thread walks the steps and evaluates predicates; launches that
// are worth it are split into chunks over the pool, with a barrier between two such launches (consecutive small steps cost none:
// they run on the calling thread). Chunks depend on shapes only and kernels' bits don't depend on chunks, so results are
// the same for any number of threads.
#ifndef GRAPHC_RUNTIME_EXEC_EXECUTOR_H
#define GRAPHC_RUNTIME_EXEC_EXECUTOR_H

#include "runtime/exec/Instance.h"
#include "runtime/exec/Storage.h"
#include "runtime/exec/ThreadPool.h"

#include <chrono>
#include <vector>

namespace graphc::runtime {

/// One state of a context. `dims` and `bytes` are the current ones; storage may be larger.
struct StateSlot {
  Storage storage;
  std::vector<int64_t> dims;
  uint64_t bytes = 0;
};

/// For tools that look into a run (`graphc verify`): told before and after each step, on the calling thread. Observed runs put a
/// barrier around every step; what a step reads is intact when `before` is called, what it writes when `after` is.
class StepObserver {
public:
  virtual ~StepObserver() = default;
  virtual void before(const Instance &instance, uint32_t step) = 0;
  virtual void after(const Instance &instance, uint32_t step) = 0;
};

struct ExecutionEnv {
  ThreadPool *pool = nullptr; // entered by the caller; null: everything on the calling thread
  unsigned workers = 1;
  std::byte *const *scratch = nullptr; // of each worker
  graphc_status_slot *status = nullptr;
  std::vector<StateSlot> *states = nullptr;
  uint64_t *profile = nullptr; // nanoseconds per step are added
  size_t profileCount = 0;
  StepObserver *observer = nullptr;
};

class Executor {
public:
  Executor(const Instance &instance, const ExecutionEnv &env) : instance_(instance), env_(env) {}
  /// Failures are in the status slot. False: the program raised and the rest was not executed.
  bool run() { return runBlock(0, static_cast<uint32_t>(instance_.steps().size())); }

private:
  bool runBlock(uint32_t begin, uint32_t end);
  /// Returns the next step, or stopped.
  uint32_t runStep(uint32_t index, uint32_t end);
  uint32_t runControl(uint32_t index);
  void runGroup(uint32_t begin, uint32_t end);
  void launch(uint32_t index, unsigned worker, int64_t begin, int64_t end) const;
  void runChunk(unsigned worker, uint32_t chunk) const;
  bool runIf(uint32_t index, const plan::If &step);
  bool runLoop(uint32_t index, const plan::Loop &step);
  void writeState(uint32_t index);
  bool isTrue(uint32_t buffer) const;

  static constexpr uint32_t stopped = UINT32_MAX;
  const Instance &instance_;
  const ExecutionEnv &env_;
  uint32_t groupBegin_ = 0, groupEnd_ = 0; // what runChunk counts through
};

/// Writes an integer into a 0-d place of this dtype; f16 and bf16 are refused by the loader.
void storeInteger(plan::DType dtype, int64_t value, std::byte *to);
/// Reads a 0-d integer or bool.
int64_t loadInteger(plan::DType dtype, const std::byte *from);

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_EXECUTOR_H
