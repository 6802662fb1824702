// Preparing and running; binding is in ContextBinding.cpp, state in ContextState.cpp.
#include "runtime/exec/Context.h"

#include "runtime/exec/StridedCopy.h"
#include "runtime/status/Failure.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace graphc::runtime {
namespace {

/// The pool for the length of a run, where the run has use for it and may have it.
class PoolLease {
public:
  PoolLease(ThreadPool *pool, bool wait) : pool_(pool) {
    if (pool_ && wait)
      pool_->enter();
    else if (pool_ && !pool_->tryEnter())
      pool_ = nullptr; // busy: everything on the calling thread
  }
  ~PoolLease() {
    if (pool_)
      pool_->leave();
  }
  PoolLease(const PoolLease &) = delete;
  ThreadPool *pool() const { return pool_; }

private:
  ThreadPool *pool_;
};

std::string statusText(const plan::Plan &plan, const graphc_status_slot &status) {
  const auto index = static_cast<uint32_t>(status.value);
  switch (status.code) {
  case GRAPHC_STATUS_INDEX_OUT_OF_RANGE:
    return text("index ", status.value, " is out of range for a dim of size ", status.extent);
  case GRAPHC_STATUS_INTEGER_DIVISION_BY_ZERO: return text("integer division of ", status.value, " by zero");
  case GRAPHC_STATUS_USER_ERROR:
    return plan.messages() && index < plan.messages()->size() ? plan.messages()->Get(index)->str()
                                                              : "the model raised an error";
  case GRAPHC_STATUS_VALUE_OUT_OF_RANGE: return text("value ", status.value, " is outside the allowed bound ", status.extent);
  case GRAPHC_STATUS_BOUND_EXCEEDED: return text("size ", status.value, " exceeds the compiled bound ", status.extent);
  case GRAPHC_STATUS_SINGULAR_MATRIX: return text("a matrix of ", status.extent, " rows is singular: column ", status.value, " has no pivot other than 0");
  case GRAPHC_STATUS_NOT_POSITIVE_DEFINITE:
    return text("a matrix of ", status.extent, " rows is not positive-definite: its leading minor of order ", status.value, " is not positive");
  default: return text("status code ", status.code);
  }
}

/// What kernels rely on for a constant or state: the most that any of its buffers asks for.
uint32_t alignmentOf(const plan::Plan &plan, plan::BufferKind kind, uint32_t index) {
  uint32_t alignment = 1;
  for (const plan::Variant *variant : *plan.variants())
    for (const plan::Buffer *buffer : *variant->buffers())
      if (buffer->kind() == kind && buffer->index() == index && buffer->alias_of() == -1)
        alignment = std::max(alignment, buffer->alignment());
  return alignment;
}

} // namespace

Busy::Busy(Context &context) : flag_(context.busyFlag()) {
  if (flag_.exchange(true, std::memory_order_acquire))
    throw Failure(GRAPHC_ERROR_BUSY, "the context is running or in another call; a context takes one call at a time: wait for"
                                     " its completion, or create one context per thread");
}

Context::Context(std::shared_ptr<const Model> model, const ContextOptions &options)
    : model_(std::move(model)), options_(options), threads_(1) {
  const unsigned available = options_.pool ? options_.pool->threads() : ThreadPool::availableCpus();
  threads_ = std::max(1u, options_.threads == 0 ? available : std::min(options_.threads, available));
  options_.maxCachedShapes = std::max(1u, options_.maxCachedShapes);
  inputs_.resize(model_->inputs().size());
  outputs_.resize(model_->outputs().size());
  const size_t stateCount = model_->plan().states() ? model_->plan().states()->size() : 0;
  states_.resize(stateCount);
  scratch_.resize(options_.arenaOff ? threads_ : 1);
  scratchOf_.resize(threads_);
  if (options_.arenaOff)
    guardEverything();
  inputDimsScratch_.resize(inputs_.size());
  stateDimsScratch_.resize(stateCount);
  roots_.inputs.resize(inputs_.size());
  roots_.outputs.resize(outputs_.size());
  roots_.states.resize(stateCount);
  resetState();
}

void Context::guardEverything() {
  for (BoundInput &input : inputs_)
    input.copy = Storage::guarded(1);
  for (BoundOutput &output : outputs_)
    output.own = Storage::guarded(1);
  for (uint32_t i = 0; i < states_.size(); ++i)
    states_[i].storage = Storage::guarded(alignmentOf(model_->plan(), plan::BufferKind::State, i));
  for (Storage &scratch : scratch_)
    scratch = Storage::guarded(64);
  const auto *constants = model_->plan().constants();
  for (uint32_t i = 0; constants && i < constants->size(); ++i) {
    const size_t bytes = constants->Get(i)->size();
    Storage &copy = constants_.emplace_back(Storage::guarded(alignmentOf(model_->plan(), plan::BufferKind::Constant, i)));
    copy.reserve(bytes);
    if (bytes > 0)
      std::memcpy(copy.data(), model_->constant(i), bytes);
    copy.protect();
    roots_.constants.push_back(copy.data());
  }
}

void Context::makeKey() {
  key_.clear();
  key_.push_back(onlyCandidate() >= 0 ? onlyCandidate() : -2 - lastVariant_);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].isSet)
      throw Failure(GRAPHC_ERROR_INPUT, text("input '", model_->inputs()[i].name, "' (number ", i, " of ", inputs_.size(),
                                             ") is not set; call graphc_context_set_input for each input"));
    key_.insert(key_.end(), inputs_[i].dims.begin(), inputs_[i].dims.end());
  }
  for (const StateSlot &state : states_) {
    key_.push_back(static_cast<int64_t>(state.dims.size()));
    key_.insert(key_.end(), state.dims.begin(), state.dims.end());
  }
  evaluateSymbols();
  for (uint32_t i = 0; i < symbols_.size(); ++i) {
    const plan::SymbolSource source = model_->plan().symbols()->Get(i)->source();
    if (source == plan::SymbolSource::InputValue || source == plan::SymbolSource::StateValue)
      key_.push_back(symbols_[i].value);
  }
}

void Context::evaluateSymbols() {
  const auto *symbols = model_->plan().symbols();
  symbols_.resize(symbols ? symbols->size() : 0);
  for (uint32_t i = 0; i < symbols_.size(); ++i) {
    const plan::Symbol &symbol = *symbols->Get(i);
    const uint32_t index = symbol.index();
    switch (symbol.source()) {
    case plan::SymbolSource::InputDim: symbols_[i] = {inputs_[index].dims[symbol.dim()], true}; break;
    case plan::SymbolSource::InputValue:
      symbols_[i] = {loadInteger(static_cast<plan::DType>(model_->inputs()[index].dtype), inputs_[index].data), true};
      break;
    case plan::SymbolSource::StateValue: {
      const bool valid = states_[index].dims.empty();
      symbols_[i] = {valid ? loadInteger(model_->plan().states()->Get(index)->dtype(), states_[index].storage.data()) : 0, valid};
      break;
    }
    case plan::SymbolSource::StateDim: {
      const bool valid = symbol.dim() < states_[index].dims.size();
      symbols_[i] = {valid ? states_[index].dims[symbol.dim()] : 0, valid};
    }
    }
  }
}

const flatbuffers::Vector<uint32_t> *Context::candidates() const {
  const plan::Plan &plan = model_->plan();
  return lastVariant_ < 0 ? plan.start() : plan.variants()->Get(static_cast<uint32_t>(lastVariant_))->next();
}

int64_t Context::onlyCandidate() const {
  const auto *list = candidates();
  if (!list || list->size() == 0)
    return std::max<int64_t>(lastVariant_, 0);
  const bool unconditional = !model_->plan().variants()->Get(list->Get(0))->when();
  return list->size() == 1 && unconditional ? static_cast<int64_t>(list->Get(0)) : -1;
}

uint32_t Context::selectVariant() {
  if (onlyCandidate() >= 0)
    return static_cast<uint32_t>(onlyCandidate());
  model_->dimTable().evaluate(symbols_, selectionDims_);
  std::string why;
  for (uint32_t candidate : *candidates())
    if (Instance::conditionsHold(*model_, model_->plan().variants()->Get(candidate)->when(), selectionDims_, &why))
      return candidate;
  throw Failure(GRAPHC_ERROR_INPUT, text("the model was not compiled for these inputs after the runs before: it ", why,
                                         "; call graphc_context_reset, or compile for these inputs"));
}

Instance &Context::instanceToBuild() {
  if (cache_.size() < options_.maxCachedShapes)
    return *cache_.emplace_back(std::make_unique<Instance>());
  return **std::min_element(cache_.begin(), cache_.end(),
                            [](const auto &a, const auto &b) { return a->lastUsed < b->lastUsed; });
}

Instance &Context::buildInstance() {
  for (uint32_t i = 0; i < symbols_.size(); ++i) {
    const plan::Symbol &symbol = *model_->plan().symbols()->Get(i);
    if (symbols_[i].valid && (symbols_[i].value < symbol.min() || symbols_[i].value > symbol.max()))
      throw Failure(GRAPHC_ERROR_INPUT, text(symbol.name()->str(), " (", symbol.origin() ? symbol.origin()->str() : "a size",
                                             ") is ", symbols_[i].value, ", the model was compiled for ", symbol.min(), " to ",
                                             symbol.max()));
  }
  const uint32_t variant = selectVariant();
  for (size_t i = 0; i < inputs_.size(); ++i)
    inputDimsScratch_[i] = inputs_[i].dims;
  for (size_t i = 0; i < states_.size(); ++i)
    stateDimsScratch_[i] = states_[i].dims;
  Instance &instance = instanceToBuild();
  instance.key.clear(); // not found by any key should building fail
  if (current_ == &instance)
    current_ = nullptr;
  instance.build(*model_, variant, symbols_, {inputDimsScratch_, stateDimsScratch_, options_.arenaOff, threads_});
  instance.key = key_;
  return instance;
}

void Context::reserveFor(Instance &instance) {
  if (arena_.capacity() < instance.arenaBytes())
    arena_ = Storage(); // contents don't matter: no need for both at once
  arena_.reserve(instance.arenaBytes());
  reserveScratch(instance.scratchBytes());
  for (size_t i = 0; i < states_.size(); ++i)
    states_[i].storage.reserve(instance.stateBytes()[i]);
}

void Context::reserveScratch(uint64_t bytes) {
  const uint64_t stride = options_.arenaOff ? 0 : (bytes + 4095) & ~uint64_t(4095);
  for (Storage &scratch : scratch_) {
    if (options_.arenaOff && scratch.capacity() != bytes)
      scratch = Storage::guarded(64);
    scratch.reserve(options_.arenaOff ? bytes : stride * threads_);
  }
  for (unsigned worker = 0; worker < threads_; ++worker)
    scratchOf_[worker] = options_.arenaOff ? scratch_[worker].data() : scratch_[0].data() + worker * stride;
}

Instance &Context::prepare() {
  makeKey();
  Instance *found = current_ && current_->key == key_ ? current_ : nullptr;
  for (size_t i = 0; !found && i < cache_.size(); ++i)
    if (cache_[i]->key == key_)
      found = cache_[i].get();
  if (!found)
    found = &buildInstance();
  reserveFor(*found);
  found->lastUsed = ++runCount_;
  return *(current_ = found);
}

std::span<const int64_t> Context::outputDims(uint32_t index) {
  if (index >= outputs_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("output ", index, " does not exist; the model has ", outputs_.size()));
  hasOutputs_ = false;
  return prepare().outputs()[index].dims;
}

void Context::execute(Instance &instance) {
  status_ = {GRAPHC_STATUS_NONE, -1, 0, 0};
  ExecutionEnv env;
  env.workers = threads_;
  env.scratch = scratchOf_.data();
  env.status = &status_;
  env.states = &states_;
  env.profile = profile_;
  env.profileCount = profileCount_;
  env.observer = observer_;
  ThreadPool *pool = nullptr;
  if (instance.hasParallelSteps())
    pool = options_.pool ? options_.pool : &ThreadPool::process();
  const PoolLease lease(pool, options_.waitForPool);
  env.pool = lease.pool();
  if (options_.arenaOff)
    poison(instance);
  Executor(instance, env).run();
}

void Context::finish(Instance &instance) {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].copied && model_->inputs()[i].isMutated)
      stridedCopy(inputs_[i].dims, graphc_dtype_size(model_->inputs()[i].dtype), inputs_[i].data, inputs_[i].strides,
                  inputs_[i].copy.data(), inputs_[i].denseStrides);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Instance::Output &output = instance.outputs()[i];
    BoundOutput &bound = outputs_[i];
    if (output.bytes == 0 || bound.inPlace)
      continue;
    const std::byte *held = output.direct ? bound.own.data() : instance.address(output.buffer);
    if (bound.isBound)
      stridedCopy(output.dims, graphc_dtype_size(model_->outputs()[i].dtype), bound.data, bound.strides, held, output.strides);
    else if (!output.direct)
      std::memcpy(bound.own.data(), held, output.bytes);
  }
  lastVariant_ = instance.variantIndex();
  hasOutputs_ = true;
}

void Context::run() {
  if (needsReset_)
    throw Failure(GRAPHC_ERROR_NEEDS_RESET, "an earlier run of this context failed while it changed the model's state; call"
                                            " graphc_context_reset (or graphc_context_state_load) first");
  hasOutputs_ = false;
  Instance &instance = prepare();
  bindMemory(instance);
  needsReset_ = instance.touchesState(); // until all of it went well
  execute(instance);
  if (status_.code != GRAPHC_STATUS_NONE)
    reportFailure(instance);
  if (options_.arenaOff)
    checkGuards(instance);
  finish(instance);
  needsReset_ = false;
}

void Context::poison(Instance &instance) {
  instance.poisonGuardedBuffers();
  for (const BoundOutput &output : outputs_)
    std::memset(output.own.data(), 0xff, output.own.capacity());
  for (const Storage &scratch : scratch_)
    std::memset(scratch.data(), 0xff, scratch.capacity());
}

void Context::checkGuards(const Instance &instance) const {
  if (const int64_t buffer = instance.overwrittenGuard(); buffer >= 0)
    throw internalFailure(text("a kernel wrote outside of buffer ", buffer));
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!inputs_[i].copy.slackIntact())
      throw internalFailure(text("a kernel wrote outside of input '", model_->inputs()[i].name, "'"));
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (!outputs_[i].own.slackIntact())
      throw internalFailure(text("a kernel wrote outside of output '", model_->outputs()[i].name, "'"));
  for (size_t i = 0; i < states_.size(); ++i)
    if (!states_[i].storage.slackIntact())
      throw internalFailure(text("a kernel wrote outside of state ", i));
  for (const Storage &scratch : scratch_)
    if (!scratch.slackIntact())
      throw internalFailure("a kernel wrote outside of its scratch memory");
}

void Context::reportFailure(const Instance &instance) const {
  const plan::Plan &plan = model_->plan();
  FailureDetails details;
  details.code = static_cast<int32_t>(status_.code);
  details.step = status_.step;
  details.value = status_.value;
  details.extent = status_.extent;
  std::string at;
  const auto &steps = *instance.variant().steps();
  if (status_.step >= 0 && status_.step < steps.size()) {
    const plan::Step &step = *steps.Get(static_cast<uint32_t>(status_.step));
    details.op = step.name() ? step.name()->str() : "";
    if (step.locations() && step.locations()->size() > 0 && plan.locations()) {
      const plan::Location &location = *plan.locations()->Get(step.locations()->Get(0));
      details.file = location.file() ? location.file()->str() : "";
      details.line = location.line();
      details.modulePath = location.module_path() ? location.module_path()->str() : "";
      at = model_->locationText(step.locations()->Get(0));
    }
  }
  const std::string message = text("the run failed: ", statusText(plan, status_),
                                   details.op.empty() ? "" : ", in " + details.op, at.empty() ? "" : ", at " + at);
  throw Failure(GRAPHC_ERROR_RUN, message, std::move(details));
}

uint64_t Context::memory() const {
  uint64_t total = arena_.footprint();
  for (const Storage &scratch : scratch_)
    total += scratch.footprint();
  for (const Storage &constant : constants_)
    total += constant.footprint();
  for (const BoundInput &input : inputs_)
    total += input.copy.footprint();
  for (const BoundOutput &output : outputs_)
    total += output.own.footprint();
  for (const StateSlot &state : states_)
    total += state.storage.footprint();
  for (const auto &instance : cache_)
    total += instance->guardedBytes();
  return total;
}

uint32_t Context::variant() const {
  if (lastVariant_ >= 0)
    return static_cast<uint32_t>(lastVariant_);
  const auto *start = model_->plan().start();
  return start && start->size() > 0 ? start->Get(0) : 0;
}

void Context::setProfile(uint64_t *nanoseconds, size_t count) {
  profile_ = nanoseconds;
  profileCount_ = nanoseconds ? count : 0;
}

} // namespace graphc::runtime
