// One variant of the plan for one tuple of dims: evaluated dims table, checked guards, arena offsets, launch sizes and
// addresses. Built when a tuple is first seen (or again after it fell out of the context's cache), then only re-pointed.
//
//   Instance instance;
//   instance.build(model, variant, symbolValues, env);   // throws Failure INPUT where a guard or shape doesn't hold
//   instance.resolve(roots);                              // addresses; does nothing when the roots are the ones of last time
#ifndef GRAPHC_RUNTIME_EXEC_INSTANCE_H
#define GRAPHC_RUNTIME_EXEC_INSTANCE_H

#include "runtime/exec/ArenaPlan.h"
#include "runtime/exec/Routines.h"
#include "runtime/exec/Storage.h"
#include "runtime/loader/Model.h"

#include <cstdint>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Where the memory of a run is. `constants` is empty where they are read from the artifact.
struct Roots {
  std::byte *arena = nullptr;
  std::vector<std::byte *> inputs, outputs, states, constants;
  bool operator==(const Roots &) const = default;
};

/// A plan step with everything that doesn't change while the tuple of dims stays.
struct ExecStep {
  plan::StepBody kind = plan::StepBody::NONE; // a routine's is Launch
  bool parallel = false;
  graphc_kernel kernel = nullptr;
  uint32_t firstPointer = 0; // into Instance::pointers
  uint32_t groupEnd = 0;     // parallel: one past the last launch that needs no barrier before it
  uint32_t chunkCount = 0;
  int64_t units = 0, chunk = 1;
  uint32_t from = 0, to = 0; // buffers of a copy, store or state write
  uint64_t bytes = 0;        // of a copy or state write
  int64_t value = 0;         // of a store or state write without a buffer
};

/// What the context knows when an instance is built.
struct InstanceEnv {
  std::span<const std::vector<int64_t>> inputDims;
  std::span<const std::vector<int64_t>> stateDims;
  bool guardedBuffers = false; // arena mode off
  unsigned threads = 1;        // steps are split only for 2 and more
};

class Instance {
public:
  void build(const Model &model, uint32_t variant, const std::vector<DimValue> &symbols, const InstanceEnv &env);
  void resolve(const Roots &roots);

  /// Whether all conditions hold; when not, and `why` isn't null, *why says which.
  static bool conditionsHold(const Model &model, const flatbuffers::Vector<flatbuffers::Offset<plan::Guard>> *conditions,
                             const DimValues &dims, std::string *why);

  struct Output {
    uint32_t buffer = 0;
    bool direct = false; // kernels write the output's own memory; else it is copied there at the end
    std::vector<int64_t> dims, strides;
    uint64_t bytes = 0;
  };
  struct Input {
    int32_t buffer = -1;
    uint32_t alignment = 1;
    uint64_t bytes = 0;
  };

  const plan::Variant &variant() const { return *variant_; }
  uint32_t variantIndex() const { return variantIndex_; }
  const DimValues &dims() const { return dims_; }
  const std::vector<ExecStep> &steps() const { return steps_; }
  void *const *pointers(const ExecStep &step) const { return pointers_.data() + step.firstPointer; }
  std::byte *address(uint32_t buffer) const { return addresses_[buffer]; }
  uint64_t bytes(uint32_t buffer) const { return places_[buffer].bytes; }
  /// Dims of a buffer, evaluated into `out`.
  void bufferDims(uint32_t buffer, std::vector<int64_t> &out) const;
  plan::DType stateDType(uint32_t state) const { return model_->plan().states()->Get(state)->dtype(); }
  const std::vector<Input> &inputs() const { return inputs_; }
  const std::vector<Output> &outputs() const { return outputs_; }
  /// Bytes that each state's storage must hold for this instance's writes.
  const std::vector<uint64_t> &stateBytes() const { return stateBytes_; }
  uint64_t arenaBytes() const { return arenaBytes_; }
  uint64_t scratchBytes() const { return scratchBytes_; } // of one worker, a multiple of 64
  bool hasParallelSteps() const { return hasParallelSteps_; }
  bool touchesState() const { return touchesState_; }
  /// Arena mode off: fills each buffer with NaN bytes; and after the run the first buffer beside which something was written, or -1.
  void poisonGuardedBuffers();
  int64_t overwrittenGuard() const;
  uint64_t guardedBytes() const;

  std::vector<int64_t> key; // of the context's cache
  uint64_t lastUsed = 0;

private:
  enum class Root : uint8_t { Arena, Input, Output, Constant, State, Guarded };
  struct Place {
    Root root = Root::Arena;
    uint32_t index = 0;
    uint64_t offset = 0, bytes = 0;
  };

  int64_t dimValue(int32_t ref, const char *what, uint32_t index) const;
  void checkInputs(const InstanceEnv &env) const;
  void placeBuffers(const InstanceEnv &env);
  void placeBuffer(uint32_t index);
  void placeArena(const InstanceEnv &env);
  void bindInterface(const InstanceEnv &env);
  void prepareSteps(const InstanceEnv &env);
  void prepareStep(uint32_t index, const InstanceEnv &env);
  void prepareLaunch(uint32_t index, const plan::Launch &launch, const InstanceEnv &env);
  void prepareRoutineCall(uint32_t index, const plan::LibraryCall &call, const InstanceEnv &env);
  std::byte *rootAddress(const Place &place, const Roots &roots) const;

  const Model *model_ = nullptr;
  const plan::Variant *variant_ = nullptr;
  uint32_t variantIndex_ = 0;
  DimValues dims_;
  std::vector<Place> places_;
  std::vector<std::byte *> addresses_;
  std::vector<Storage> guarded_;
  std::vector<ExecStep> steps_;
  std::vector<void *> pointers_;
  std::vector<RoutineCall> routines_; // pointers_ points into it
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<uint64_t> stateBytes_;
  std::vector<ArenaRequest> requests_;
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> requested_;
  uint64_t arenaBytes_ = 0, scratchBytes_ = 0;
  bool hasParallelSteps_ = false, touchesState_ = false;
  Roots resolved_;
  bool isResolved_ = false;
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_INSTANCE_H
