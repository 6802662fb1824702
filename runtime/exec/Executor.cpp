// See Executor.h. Nothing here allocates, locks or builds text; state dims are assigned within their capacity.
#include "runtime/exec/Executor.h"

#include "runtime/exec/Services.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {
namespace {

using namespace plan;

template <typename T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T> void store(std::byte *to, T value) { std::memcpy(to, &value, sizeof value); }

/// Adds the time of its life to one entry of the profile.
class StepTimer {
public:
  StepTimer(const ExecutionEnv &env, uint32_t step) : slot_(step < env.profileCount ? env.profile + step : nullptr) {
    if (slot_)
      begin_ = std::chrono::steady_clock::now();
  }
  ~StepTimer() {
    if (slot_)
      *slot_ += static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count());
  }

private:
  uint64_t *slot_;
  std::chrono::steady_clock::time_point begin_;
};

} // namespace

void storeInteger(DType dtype, int64_t value, std::byte *to) {
  switch (dtype) {
  case DType::U8: return store(to, static_cast<uint8_t>(value));
  case DType::I8: return store(to, static_cast<int8_t>(value));
  case DType::I16: return store(to, static_cast<int16_t>(value));
  case DType::I32: return store(to, static_cast<int32_t>(value));
  case DType::I64: return store(to, value);
  case DType::F32: return store(to, static_cast<float>(value));
  case DType::F64: return store(to, static_cast<double>(value));
  case DType::Bool: return store(to, static_cast<uint8_t>(value != 0));
  case DType::F16: case DType::BF16: return;
  }
}

int64_t loadInteger(DType dtype, const std::byte *from) {
  switch (dtype) {
  case DType::U8: return load<uint8_t>(from);
  case DType::I8: return load<int8_t>(from);
  case DType::I16: return load<int16_t>(from);
  case DType::I32: return load<int32_t>(from);
  case DType::I64: return load<int64_t>(from);
  case DType::Bool: return load<uint8_t>(from) != 0;
  default: return 0;
  }
}

void Executor::launch(uint32_t index, unsigned worker, int64_t begin, int64_t end) const {
  const ExecStep &step = instance_.steps()[index];
  const graphc_kernel_args args = {instance_.pointers(step),
                                   instance_.dims().values.data(),
                                   env_.status,
                                   &services(),
                                   env_.scratch[worker],
                                   static_cast<int32_t>(worker),
                                   static_cast<int32_t>(index)};
  step.kernel(&args, begin, end);
}

void Executor::runChunk(unsigned worker, uint32_t chunk) const {
  uint32_t index = groupBegin_;
  for (; chunk >= instance_.steps()[index].chunkCount; ++index)
    chunk -= instance_.steps()[index].chunkCount;
  const ExecStep &step = instance_.steps()[index];
  const int64_t begin = chunk * step.chunk;
  launch(index, worker, begin, std::min(begin + step.chunk, step.units));
}

void Executor::runGroup(uint32_t begin, uint32_t end) {
  for (uint32_t next = begin; next < end;) {
    groupBegin_ = next;
    uint32_t chunks = instance_.steps()[next].chunkCount;
    for (++next; next < end && chunks + instance_.steps()[next].chunkCount <= ThreadPool::maxChunks; ++next)
      chunks += instance_.steps()[next].chunkCount;
    const auto run = [](void *self, unsigned worker, uint32_t chunk) {
      static_cast<const Executor *>(self)->runChunk(worker, chunk);
    };
    env_.pool->parallel(env_.workers, chunks, run, this);
  }
}

bool Executor::isTrue(uint32_t buffer) const {
  return loadInteger(instance_.variant().buffers()->Get(buffer)->dtype(), instance_.address(buffer)) != 0;
}

void Executor::writeState(uint32_t index) {
  const ExecStep &step = instance_.steps()[index];
  const StateWrite &write = *instance_.variant().steps()->Get(index)->body_as_StateWrite();
  StateSlot &state = (*env_.states)[step.to];
  state.bytes = step.bytes;
  if (write.from() < 0) {
    state.dims.clear();
    storeInteger(instance_.stateDType(step.to), step.value, state.storage.data());
    return;
  }
  instance_.bufferDims(step.from, state.dims);
  if (step.bytes > 0 && instance_.address(step.from) != state.storage.data())
    std::memmove(state.storage.data(), instance_.address(step.from), step.bytes);
}

bool Executor::runIf(uint32_t index, const If &step) {
  const bool taken = step.predicate() >= 0 ? isTrue(static_cast<uint32_t>(step.predicate()))
                                           : instance_.steps()[index].value != 0;
  return taken ? runBlock(index + 1, step.then_end()) : runBlock(step.then_end(), step.else_end());
}

bool Executor::runLoop(uint32_t index, const Loop &step) {
  const auto intAt = [&](int32_t buffer) {
    const auto at = static_cast<uint32_t>(buffer);
    return loadInteger(instance_.variant().buffers()->Get(at)->dtype(), instance_.address(at));
  };
  const int64_t trip = step.trip() >= 0 ? intAt(step.trip()) : instance_.steps()[index].value;
  for (int64_t n = 0; n < trip; ++n) {
    if (step.condition() >= 0 && !isTrue(static_cast<uint32_t>(step.condition())))
      break;
    if (step.iteration() >= 0) {
      const auto to = static_cast<uint32_t>(step.iteration());
      storeInteger(instance_.variant().buffers()->Get(to)->dtype(), n, instance_.address(to));
    }
    if (!runBlock(index + 1, step.body_end()))
      return false;
    for (uint32_t i = 0; step.carried() && i < step.carried()->size(); ++i) {
      const Carry &carry = *step.carried()->Get(i);
      if (instance_.address(carry.from()) != instance_.address(carry.to()))
        std::memmove(instance_.address(carry.to()), instance_.address(carry.from()), instance_.bytes(carry.from()));
    }
  }
  return true;
}

uint32_t Executor::runControl(uint32_t index) {
  const Step &step = *instance_.variant().steps()->Get(index);
  if (const If *branch = step.body_as_If())
    return runIf(index, *branch) ? branch->else_end() : stopped;
  if (const Loop *loop = step.body_as_Loop())
    return runLoop(index, *loop) ? loop->body_end() : stopped;
  const Raise &raise = *step.body_as_Raise();
  if (raise.predicate() >= 0 && !isTrue(static_cast<uint32_t>(raise.predicate())))
    return index + 1;
  services().report(env_.status, index, GRAPHC_STATUS_USER_ERROR, raise.message(), 0);
  return stopped;
}

uint32_t Executor::runStep(uint32_t index, uint32_t end) {
  const ExecStep &step = instance_.steps()[index];
  switch (step.kind) {
  case StepBody::Launch:
    if (step.parallel && env_.pool) {
      const uint32_t groupEnd = env_.profile || env_.observer ? index + 1 : std::min(step.groupEnd, end);
      runGroup(index, groupEnd);
      return groupEnd;
    }
    if (step.units > 0)
      launch(index, 0, 0, step.units);
    return index + 1;
  case StepBody::Copy:
    if (step.bytes > 0 && instance_.address(step.from) != instance_.address(step.to))
      std::memmove(instance_.address(step.to), instance_.address(step.from), step.bytes);
    return index + 1;
  case StepBody::StoreDim:
    storeInteger(instance_.variant().buffers()->Get(step.to)->dtype(), step.value, instance_.address(step.to));
    return index + 1;
  case StepBody::StateWrite: writeState(index); return index + 1;
  default: return runControl(index);
  }
}

bool Executor::runBlock(uint32_t begin, uint32_t end) {
  for (uint32_t index = begin; index < end;) {
    const uint32_t current = index;
    if (env_.observer)
      env_.observer->before(instance_, current);
    {
      const StepTimer timer(env_, current);
      index = runStep(current, end);
    }
    if (env_.observer)
      env_.observer->after(instance_, current);
    if (index == stopped)
      return false;
  }
  return true;
}

} // namespace graphc::runtime
