// Building an instance: dims, guards, buffers, interface, steps, in that order. The plan was checked when it was loaded
// (CheckPlan); what depends on the values of dims is checked here.
#include "runtime/exec/Instance.h"

#include "runtime/exec/StridedCopy.h"
#include "runtime/exec/ThreadPool.h"
#include "runtime/status/Failure.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {
namespace {

using namespace plan;

constexpr int64_t maxBytes = int64_t(1) << 47;
constexpr int64_t serialCostNs = 10'000; // launches below stay on one thread
constexpr int64_t preferredMaxChunks = 1 << 20;

const char *relationText(Relation relation) {
  static const char *const names[] = {"==", "!=", "<", "<=", ">", ">="};
  return names[static_cast<int>(relation)];
}

bool holds(Relation relation, int64_t a, int64_t b) {
  switch (relation) {
  case Relation::Eq: return a == b;
  case Relation::Ne: return a != b;
  case Relation::Lt: return a < b;
  case Relation::Le: return a <= b;
  case Relation::Gt: return a > b;
  default: return a >= b;
  }
}

std::string shapeText(std::span<const int64_t> dims) {
  std::string result = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    result += (i ? ", " : "") + std::to_string(dims[i]);
  return result + "]";
}

} // namespace

bool Instance::conditionsHold(const Model &model, const flatbuffers::Vector<flatbuffers::Offset<Guard>> *conditions,
                              const DimValues &dims, std::string *why) {
  for (uint32_t i = 0; conditions && i < conditions->size(); ++i) {
    const Guard &guard = *conditions->Get(i);
    const auto left = static_cast<size_t>(guard.lhs()), right = static_cast<size_t>(guard.rhs());
    const bool valid = dims.valid[left] && dims.valid[right];
    if (valid && holds(guard.relation(), dims.values[left], dims.values[right]))
      continue;
    if (why) {
      const std::string l = dimText(model.plan(), guard.lhs()), r = dimText(model.plan(), guard.rhs());
      const std::string at = model.locationText(guard.location());
      *why = text("needs ", l, " ", relationText(guard.relation()), " ", r, ", found ",
                  valid ? text(dims.values[left], " and ", dims.values[right]) : "a size that overflows or divides by zero",
                  at.empty() ? "" : ", at " + at,
                  guard.message() && guard.message()->size() ? "; " + guard.message()->str() : "");
    }
    return false;
  }
  return true;
}

int64_t Instance::dimValue(int32_t ref, const char *what, uint32_t index) const {
  if (!dims_.valid[static_cast<size_t>(ref)])
    throw Failure(GRAPHC_ERROR_INPUT, text("the sizes of this run's inputs are too large or divide by zero: ", what, " ", index,
                                           " needs ", dimText(model_->plan(), ref)));
  return dims_.values[static_cast<size_t>(ref)];
}

void Instance::bufferDims(uint32_t buffer, std::vector<int64_t> &out) const {
  const auto *refs = variant_->buffers()->Get(buffer)->dims();
  out.clear();
  for (uint32_t i = 0; refs && i < refs->size(); ++i)
    out.push_back(dimValue(refs->Get(i), "the shape of buffer", buffer));
}

void Instance::build(const Model &model, uint32_t variant, const std::vector<DimValue> &symbols, const InstanceEnv &env) {
  isResolved_ = false;
  model_ = &model;
  variantIndex_ = variant;
  variant_ = model.plan().variants()->Get(variant);
  model.dimTable().evaluate(symbols, dims_);
  checkInputs(env);
  std::string why;
  if (!conditionsHold(model, variant_->guards(), dims_, &why))
    throw Failure(GRAPHC_ERROR_INPUT, "these inputs don't fit: the model " + why);
  placeBuffers(env);
  bindInterface(env);
  prepareSteps(env);
}

void Instance::checkInputs(const InstanceEnv &env) const {
  for (size_t i = 0; i < model_->inputs().size(); ++i) {
    const ModelTensor &input = model_->inputs()[i];
    for (size_t d = 0; d < input.dims.size(); ++d) {
      const auto ref = static_cast<size_t>(input.dimRefs[d]);
      if (dims_.valid[ref] && dims_.values[ref] == env.inputDims[i][d])
        continue;
      const char *symbol = input.dims[d].symbol ? input.dims[d].symbol : "the compiled size";
      throw Failure(GRAPHC_ERROR_INPUT,
                    text("input '", input.name, "' has size ", env.inputDims[i][d], " in dim ", d, ", expected ", symbol,
                         dims_.valid[ref] ? text(" = ", dims_.values[ref]) : " (which overflows)",
                         "; give inputs whose sizes agree, or compile the model with a dim of its own there"));
    }
  }
}

void Instance::placeBuffer(uint32_t index) {
  const Buffer &buffer = *variant_->buffers()->Get(index);
  Place &place = places_[index];
  place = Place();
  const int64_t bytes = dimValue(buffer.bytes(), "buffer", index);
  if (bytes < 0 || bytes > maxBytes)
    throw Failure(GRAPHC_ERROR_INPUT, text("buffer ", index, " would have ", bytes, " bytes; give smaller inputs"));
  place.bytes = static_cast<uint64_t>(bytes);
  if ((!buffer.dims() || buffer.dims()->size() == 0) &&
      place.bytes < graphc_dtype_size(static_cast<graphc_dtype>(buffer.dtype())))
    throw internalFailure(text("buffer ", index, " is 0-d and has ", bytes, " bytes"));
  if (buffer.alias_of() != -1) {
    const Place &root = places_[static_cast<size_t>(buffer.alias_of())];
    const bool isWhole = buffer.alias_offset() == -1 || place.bytes == 0; // no elements lie anywhere
    const int64_t offset = isWhole ? 0 : dimValue(buffer.alias_offset(), "buffer", index);
    if (offset < 0 || static_cast<uint64_t>(offset) > root.bytes || place.bytes > root.bytes - static_cast<uint64_t>(offset))
      throw internalFailure(text("buffer ", index, " (", bytes, " bytes at ", offset, ") exceeds buffer ", buffer.alias_of(),
                                 " of ", root.bytes, " bytes"));
    const uint64_t size = place.bytes;
    place = root;
    place.bytes = size;
    place.offset += static_cast<uint64_t>(offset);
    return;
  }
  place.index = buffer.index();
  switch (buffer.kind()) {
  case BufferKind::Arena:
    place.root = Root::Arena;
    place.index = static_cast<uint32_t>(requests_.size());
    requests_.push_back({place.bytes, buffer.first_step(), buffer.last_step(), buffer.alignment()});
    break;
  case BufferKind::Input: place.root = Root::Input; break;
  case BufferKind::Output: place.root = Root::Output; break;
  case BufferKind::State: place.root = Root::State; break;
  case BufferKind::Constant:
    place.root = Root::Constant;
    if (place.bytes > model_->plan().constants()->Get(buffer.index())->size())
      throw internalFailure(text("buffer ", index, " has ", bytes, " bytes, its constant fewer"));
  }
}

void Instance::placeArena(const InstanceEnv &env) {
  arenaBytes_ = 0;
  guarded_.clear();
  if (!env.guardedBuffers) {
    arenaBytes_ = planArena(requests_, offsets_);
  } else {
    for (const ArenaRequest &request : requests_)
      guarded_.emplace_back(Storage::guarded(request.alignment)).reserve(request.bytes);
    offsets_.assign(requests_.size(), 0);
  }
  for (Place &place : places_) {
    if (place.root != Root::Arena)
      continue;
    place.root = env.guardedBuffers ? Root::Guarded : Root::Arena;
    place.offset += offsets_[place.index];
  }
}

void Instance::placeBuffers(const InstanceEnv &env) {
  places_.resize(variant_->buffers()->size());
  addresses_.resize(places_.size());
  requests_.clear();
  for (uint32_t i = 0; i < places_.size(); ++i)
    placeBuffer(i);
  placeArena(env);
}

void Instance::bindInterface(const InstanceEnv &env) {
  std::vector<int64_t> dims;
  const auto denseBytes = [&](uint32_t buffer, graphc_dtype dtype, const char *what) {
    int64_t count;
    bufferDims(buffer, dims);
    if (!elementCount(dims, count) || static_cast<uint64_t>(count) * graphc_dtype_size(dtype) != places_[buffer].bytes)
      throw internalFailure(text(what, " has shape ", shapeText(dims), " in a buffer of ", places_[buffer].bytes, " bytes"));
  };
  inputs_.resize(model_->inputs().size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const int32_t buffer = variant_->inputs()->Get(static_cast<uint32_t>(i));
    inputs_[i] = Input();
    if (buffer < 0)
      continue;
    denseBytes(static_cast<uint32_t>(buffer), model_->inputs()[i].dtype, "an input");
    if (dims != env.inputDims[i])
      throw internalFailure(text("input ", i, " has a buffer of shape ", shapeText(dims)));
    inputs_[i] = {buffer, variant_->buffers()->Get(static_cast<uint32_t>(buffer))->alignment(),
                  places_[static_cast<size_t>(buffer)].bytes};
  }
  outputs_.resize(model_->outputs().size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output &output = outputs_[i];
    output.buffer = variant_->outputs()->Get(static_cast<uint32_t>(i));
    denseBytes(output.buffer, model_->outputs()[i].dtype, "an output");
    output.dims = dims;
    denseStrides(dims, model_->outputs()[i].order, output.strides);
    output.bytes = places_[output.buffer].bytes;
    const Place &place = places_[output.buffer];
    output.direct = place.root == Root::Output && place.index == i && place.offset == 0;
  }
  stateBytes_.assign(env.stateDims.size(), 0);
  touchesState_ = false;
  for (uint32_t i = 0; i < env.stateDims.size(); ++i) {
    const int32_t buffer = variant_->states()->Get(i);
    if (buffer < 0)
      continue;
    const State &state = *model_->plan().states()->Get(i);
    touchesState_ = true;
    denseBytes(static_cast<uint32_t>(buffer), static_cast<graphc_dtype>(state.dtype()), "a state");
    if (dims != env.stateDims[i])
      throw Failure(GRAPHC_ERROR_INPUT, text("state '", state.name()->str(), "' has shape ", shapeText(env.stateDims[i]),
                                             " from the runs before, these inputs need ", shapeText(dims),
                                             "; give inputs of the same sizes or call graphc_context_reset first"));
    stateBytes_[i] = places_[static_cast<size_t>(buffer)].bytes;
  }
}

void Instance::prepareLaunch(uint32_t index, const Launch &launch, const InstanceEnv &env) {
  ExecStep &step = steps_[index];
  const LoadedKernel &kernel = model_->kernel(launch.kernel());
  const auto pick = [&](int32_t ofKernel, int32_t ofLaunch, int64_t absent) {
    const int32_t ref = ofKernel >= 0 ? ofKernel : ofLaunch;
    return ref < 0 ? absent : dimValue(ref, "step", index);
  };
  step.kernel = kernel.function;
  step.units = pick(kernel.units, launch.units(), 0);
  step.chunk = pick(kernel.chunk, launch.chunk(), 1);
  const int64_t scratch = pick(kernel.scratchBytes, launch.scratch_bytes(), 0);
  if (step.units < 0 || step.chunk < 1 || scratch < 0 || scratch > maxBytes)
    throw internalFailure(text("step ", index, " has ", step.units, " units in chunks of ", step.chunk, " with ", scratch,
                               " bytes of scratch"));
  step.chunk = std::max(step.chunk, (step.units + preferredMaxChunks - 1) / preferredMaxChunks);
  step.chunkCount = static_cast<uint32_t>(step.units == 0 ? 0 : (step.units - 1) / step.chunk + 1);
  scratchBytes_ = std::max(scratchBytes_, (static_cast<uint64_t>(scratch) + 63) & ~uint64_t(63));
  const bool small = launch.cost_ns() >= 0 && dimValue(launch.cost_ns(), "step", index) < serialCostNs;
  step.parallel = env.threads > 1 && step.chunkCount > 1 && !small;
  hasParallelSteps_ |= step.parallel;
  step.firstPointer = static_cast<uint32_t>(pointers_.size());
  pointers_.resize(pointers_.size() + launch.buffers()->size());
  for (uint32_t buffer : *launch.buffers())
    touchesState_ |= places_[buffer].root == Root::State;
}

/// Routines take their buffers' dims at their word: the memory must hold that many elements, in default order.
static void checkRowMajor(uint32_t step, const Buffer &planned, const RoutineBuffer &buffer, uint64_t bytes) {
  uint64_t needed = graphc_dtype_size(static_cast<graphc_dtype>(buffer.dtype));
  bool fits = true;
  for (int64_t size : buffer.dims)
    fits = fits && size >= 0 && !__builtin_mul_overflow(needed, static_cast<uint64_t>(size), &needed);
  for (uint32_t d = 0; planned.order() && d < planned.order()->size(); ++d)
    fits = fits && planned.order()->Get(d) == d;
  if (!fits || needed > bytes)
    throw internalFailure(text("step ", step, " calls a routine on a buffer of ", bytes, " bytes that is smaller than its dims or not in default order"));
}

/// A routine runs as a kernel whose first pointer is its call.
void Instance::prepareRoutineCall(uint32_t index, const LibraryCall &call, const InstanceEnv &env) {
  std::vector<RoutineBuffer> buffers;
  ExecStep &step = steps_[index];
  step.firstPointer = static_cast<uint32_t>(pointers_.size());
  for (uint32_t buffer : *call.buffers()) {
    buffers.push_back({variant_->buffers()->Get(buffer)->dtype(), {}});
    bufferDims(buffer, buffers.back().dims);
    checkRowMajor(index, *variant_->buffers()->Get(buffer), buffers.back(), places_[buffer].bytes);
    touchesState_ |= places_[buffer].root == Root::State;
  }
  const RoutineCall &routine =
      routines_.emplace_back(prepareRoutine(call.function()->string_view(), {call.config()->data(), call.config()->size()}, buffers));
  step.kind = StepBody::Launch;
  step.kernel = routine.kernel;
  step.units = routine.units;
  step.chunk = std::max(routine.chunk, (step.units + preferredMaxChunks - 1) / preferredMaxChunks);
  step.chunkCount = static_cast<uint32_t>(step.units == 0 ? 0 : (step.units - 1) / step.chunk + 1);
  scratchBytes_ = std::max(scratchBytes_, (routine.scratchBytes + 63) & ~uint64_t(63));
  step.parallel = env.threads > 1 && step.chunkCount > 1;
  hasParallelSteps_ |= step.parallel;
  pointers_.resize(pointers_.size() + 1 + buffers.size());
}

void Instance::prepareStep(uint32_t index, const InstanceEnv &env) {
  const Step &planStep = *variant_->steps()->Get(index);
  ExecStep &step = steps_[index];
  step.kind = planStep.body_type();
  if (const Launch *launch = planStep.body_as_Launch()) {
    prepareLaunch(index, *launch, env);
  } else if (const LibraryCall *call = planStep.body_as_LibraryCall()) {
    prepareRoutineCall(index, *call, env);
  } else if (const Copy *copy = planStep.body_as_Copy()) {
    step.from = copy->from(), step.to = copy->to();
    step.bytes = places_[step.from].bytes;
    if (step.bytes != places_[step.to].bytes)
      throw internalFailure(text("step ", index, " copies ", step.bytes, " bytes to ", places_[step.to].bytes));
  } else if (const StoreDim *store = planStep.body_as_StoreDim()) {
    step.to = store->to();
    step.value = dimValue(store->value(), "step", index);
  } else if (const StateWrite *write = planStep.body_as_StateWrite()) {
    touchesState_ = true;
    step.to = write->state();
    if (write->from() >= 0) {
      step.from = static_cast<uint32_t>(write->from());
      step.bytes = places_[step.from].bytes;
      std::vector<int64_t> dims;
      bufferDims(step.from, dims); // throws now rather than in the run
    } else {
      step.value = dimValue(write->value(), "step", index);
      step.bytes = graphc_dtype_size(static_cast<graphc_dtype>(model_->plan().states()->Get(step.to)->dtype()));
    }
    stateBytes_[step.to] = std::max(stateBytes_[step.to], step.bytes);
  } else if (const If *branch = planStep.body_as_If()) {
    step.value = branch->predicate() >= 0 ? 0 : dimValue(branch->predicate_dim(), "step", index);
  } else if (const Loop *loop = planStep.body_as_Loop()) {
    step.value = loop->trip_dim() >= 0 ? dimValue(loop->trip_dim(), "step", index) : INT64_MAX;
    for (uint32_t i = 0; loop->carried() && i < loop->carried()->size(); ++i)
      if (places_[loop->carried()->Get(i)->from()].bytes != places_[loop->carried()->Get(i)->to()].bytes)
        throw internalFailure(text("step ", index, " carries values of different sizes"));
  }
}

void Instance::prepareSteps(const InstanceEnv &env) {
  steps_.assign(variant_->steps()->size(), ExecStep());
  pointers_.clear();
  routines_.clear();
  routines_.reserve(steps_.size());
  scratchBytes_ = 0;
  hasParallelSteps_ = false;
  for (uint32_t i = 0; i < steps_.size(); ++i)
    prepareStep(i, env);
  for (uint32_t i = static_cast<uint32_t>(steps_.size()); i-- > 0;) {
    const bool joins = steps_[i].parallel && i + 1 < steps_.size() && steps_[i + 1].parallel &&
                       variant_->steps()->Get(i + 1)->independent();
    steps_[i].groupEnd = joins ? steps_[i + 1].groupEnd : i + 1;
  }
}

std::byte *Instance::rootAddress(const Place &place, const Roots &roots) const {
  switch (place.root) {
  case Root::Arena: return roots.arena;
  case Root::Input: return roots.inputs[place.index];
  case Root::Output: return roots.outputs[place.index];
  case Root::State: return roots.states[place.index];
  case Root::Guarded: return guarded_[place.index].data();
  case Root::Constant: break;
  }
  if (!roots.constants.empty())
    return roots.constants[place.index];
  static std::byte nothing[64];
  const std::byte *constant = model_->constant(place.index);
  return constant ? const_cast<std::byte *>(constant) : nothing; // kernels read constants only (the mapping is read only)
}

void Instance::resolve(const Roots &roots) {
  if (isResolved_ && roots == resolved_)
    return;
  for (size_t i = 0; i < places_.size(); ++i)
    addresses_[i] = rootAddress(places_[i], roots) + places_[i].offset;
  for (size_t i = 0, routine = 0; i < steps_.size(); ++i) {
    const Step &step = *variant_->steps()->Get(static_cast<uint32_t>(i));
    const Launch *launch = step.body_as_Launch();
    const LibraryCall *call = step.body_as_LibraryCall();
    void **pointer = pointers_.data() + steps_[i].firstPointer;
    if (call)
      *pointer++ = &routines_[routine++];
    const auto *buffers = launch ? launch->buffers() : call ? call->buffers() : nullptr;
    for (uint32_t p = 0; buffers && p < buffers->size(); ++p)
      pointer[p] = addresses_[buffers->Get(p)];
  }
  resolved_ = roots;
  isResolved_ = true;
}

void Instance::poisonGuardedBuffers() {
  for (Storage &storage : guarded_)
    std::memset(storage.data(), 0xff, storage.capacity());
}

int64_t Instance::overwrittenGuard() const {
  for (size_t i = 0; i < places_.size(); ++i)
    if (places_[i].root == Root::Guarded && !guarded_[places_[i].index].slackIntact())
      return static_cast<int64_t>(i);
  return -1;
}

uint64_t Instance::guardedBytes() const {
  uint64_t total = 0;
  for (const Storage &storage : guarded_)
    total += storage.footprint();
  return total;
}

} // namespace graphc::runtime
