// One run at a time of a model: what is bound, memory, state, the cache of instances. The C API's graphc_context.
//
// A run: select the variant and its instance for the sizes and integers at hand (cached), point it at inputs, outputs and state,
// execute, copy what wasn't in place, report. With a tuple of dims that was seen before none of it allocates, locks (but for the
// pool's one) or builds text.
#ifndef GRAPHC_RUNTIME_EXEC_CONTEXT_H
#define GRAPHC_RUNTIME_EXEC_CONTEXT_H

#include "runtime/exec/Executor.h"
#include "runtime/exec/Instance.h"
#include "runtime/exec/Storage.h"
#include "runtime/exec/ThreadPool.h"
#include "runtime/loader/Model.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace graphc::runtime {

struct ContextOptions {
  unsigned threads = 0; // 0: the pool's
  ThreadPool *pool = nullptr; // null: the process's
  bool waitForPool = false;
  bool arenaOff = false;
  unsigned maxCachedShapes = 16;
};

class Context {
public:
  Context(std::shared_ptr<const Model> model, const ContextOptions &options);

  // All of these throw Failure. None may overlap another on the same context: see Busy.
  void setInput(uint32_t index, const graphc_tensor &tensor);
  void bindOutput(uint32_t index, const graphc_tensor *tensor);
  std::span<const int64_t> outputDims(uint32_t index);
  void run();
  graphc_tensor output(uint32_t index) const;
  void reset();
  uint64_t memory() const;
  uint32_t variant() const;
  void setProfile(uint64_t *nanoseconds, size_t count);
  /// Told of every step of the runs to come; null: nobody. Must outlive them.
  void setObserver(StepObserver *observer) { observer_ = observer; }

  const StateSlot &state(uint32_t index) const;
  void readState(uint32_t index, std::span<std::byte> to) const;
  void writeState(uint32_t index, std::span<const std::byte> from);
  std::vector<std::byte> saveState() const;
  void loadState(std::span<const std::byte> bytes);

  const Model &model() const { return *model_; }
  std::atomic<bool> &busyFlag() { return busy_; }

private:
  struct BoundInput {
    bool isSet = false, isDense = true;
    std::byte *data = nullptr;
    std::vector<int64_t> dims, strides, denseStrides;
    uint64_t extentBytes = 0; // from the first to the last element
    bool copied = false;      // this run reads `copy`
    Storage copy;
  };
  struct BoundOutput {
    bool isBound = false, isDense = true;
    std::byte *data = nullptr;
    std::vector<int64_t> dims, strides;
    uint64_t extentBytes = 0;
    bool inPlace = false; // this run writes the caller's memory directly
    Storage own;
  };

  Instance &prepare();
  void makeKey();
  void evaluateSymbols();
  /// Variants to try next, in order; null or empty: the last one again (the first one before any run).
  const flatbuffers::Vector<uint32_t> *candidates() const;
  /// The variant that the next run takes whatever the sizes, or -1 where conditions decide.
  int64_t onlyCandidate() const;
  uint32_t selectVariant();
  Instance &instanceToBuild();
  Instance &buildInstance();
  void reserveFor(Instance &instance);
  void reserveScratch(uint64_t bytes);
  void guardEverything();
  /// Arena mode off: fills what kernels have to write with NaN bytes; and throws where something was written beside a buffer.
  void poison(Instance &instance);
  void checkGuards(const Instance &instance) const;
  void bindMemory(Instance &instance);
  std::byte *inputAddress(size_t index, const Instance::Input &input);
  std::byte *outputAddress(size_t index, const Instance::Output &output);
  void checkOverlaps() const;
  void execute(Instance &instance);
  void finish(Instance &instance);
  [[noreturn]] void reportFailure(const Instance &instance) const;
  void resetState();

  std::shared_ptr<const Model> model_;
  ContextOptions options_;
  unsigned threads_;
  std::atomic<bool> busy_{false};
  std::vector<BoundInput> inputs_;
  std::vector<BoundOutput> outputs_;
  std::vector<StateSlot> states_;
  std::vector<std::vector<int64_t>> stateDimsScratch_, inputDimsScratch_;
  int64_t lastVariant_ = -1; // whose `next` comes; -1: start
  bool needsReset_ = false, hasOutputs_ = false;
  Storage arena_;
  std::vector<Storage> scratch_;     // one for all workers; arena mode off: one for each
  std::vector<std::byte *> scratchOf_; // each worker's
  std::vector<Storage> constants_;   // arena mode off: copies between guard pages
  std::vector<std::unique_ptr<Instance>> cache_;
  Instance *current_ = nullptr; // of the last preparation
  uint64_t runCount_ = 0;
  std::vector<int64_t> key_;
  std::vector<DimValue> symbols_;
  DimValues selectionDims_;
  Roots roots_;
  graphc_status_slot status_{};
  uint64_t *profile_ = nullptr;
  size_t profileCount_ = 0;
  StepObserver *observer_ = nullptr;
};

/// Marks a context as in use for a scope; throws BUSY where it is already.
class Busy {
public:
  explicit Busy(Context &context);
  ~Busy() { flag_.store(false, std::memory_order_release); }
  Busy(const Busy &) = delete;

private:
  std::atomic<bool> &flag_;
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_CONTEXT_H
