// Binding and running; state is in ContextState.cpp.
#include "runtime/exec/Context.h"

#include "runtime/exec/StridedCopy.h"
#include "runtime/status/Failure.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace graphc::runtime {
namespace {

size_t sizeOf(graphc_dtype dtype) { return graphc_dtype_size(dtype); }

/// Memory for zero bytes: kernels get a valid address.
std::byte *orNothing(std::byte *data) {
  alignas(64) static std::byte nothing[64];
  return data ? data : nothing;
}

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

bool overlap(const std::byte *a, uint64_t aBytes, const std::byte *b, uint64_t bBytes) {
  return aBytes > 0 && bBytes > 0 && a < b + bBytes && b < a + aBytes;
}

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
  default: return text("status code ", status.code);
  }
}

std::string shapeText(std::span<const int64_t> dims) {
  std::string result = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    result += (i ? ", " : "") + std::to_string(dims[i]);
  return result + "]";
}

/// dtype, rank and pointers of a tensor that the caller passes for `expected`.
void checkTensor(const graphc_tensor &tensor, const ModelTensor &expected, const char *what) {
  if (tensor.size < sizeof(graphc_tensor))
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("graphc_tensor::size is ", tensor.size, ", expected ", sizeof(graphc_tensor),
                                              "; set it to sizeof(graphc_tensor)"));
  if (tensor.dtype != expected.dtype)
    throw Failure(GRAPHC_ERROR_INPUT, text(what, " '", expected.name, "' has dtype ", graphc_dtype_name(tensor.dtype),
                                           ", expected ", graphc_dtype_name(expected.dtype), "; convert it first"));
  if (tensor.rank != expected.dims.size())
    throw Failure(GRAPHC_ERROR_INPUT, text(what, " '", expected.name, "' has rank ", tensor.rank, ", expected ",
                                           expected.dims.size(), "; add or remove dims of size 1"));
  if (tensor.rank > 0 && !tensor.dims)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text(what, " '", expected.name, "' has no dims; set graphc_tensor::dims"));
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    const graphc_dim &dim = expected.dims[d];
    if (tensor.dims[d] >= dim.min && tensor.dims[d] <= dim.max && tensor.dims[d] >= 0)
      continue;
    throw Failure(GRAPHC_ERROR_INPUT,
                  text(what, " '", expected.name, "' has size ", tensor.dims[d], " in dim ", d, ", expected ",
                       dim.value >= 0         ? text(dim.value)
                       : dim.max == INT64_MAX ? text(dim.symbol, " of ", dim.min, " or more")
                                              : text(dim.symbol, " between ", dim.min, " and ", dim.max),
                       dim.value >= 0 ? "; compile the model with a symbolic dim there to run other sizes" : ""));
  }
}

/// Bytes from the first to the last element; throws where strides are negative or the whole is too large.
uint64_t extentBytes(const graphc_tensor &tensor, std::span<const int64_t> strides, const ModelTensor &expected,
                     const char *what) {
  int64_t count = 0, extent = 0;
  const std::span<const int64_t> dims(tensor.dims, tensor.rank);
  if (!elementCount(dims, count) || !elementExtent(dims, strides, extent) || extent > int64_t(1) << 46)
    throw Failure(GRAPHC_ERROR_INPUT, text(what, " '", expected.name, "' has dims and strides that no memory holds; strides must",
                                           " not be negative"));
  if (extent > 0 && !tensor.data)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text(what, " '", expected.name, "' has no data; set graphc_tensor::data"));
  return static_cast<uint64_t>(extent) * sizeOf(tensor.dtype);
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
  if (options_.arenaOff) {
    for (BoundInput &input : inputs_)
      input.copy = Storage(true);
    for (BoundOutput &output : outputs_)
      output.own = Storage(true);
  }
  inputDimsScratch_.resize(inputs_.size());
  stateDimsScratch_.resize(stateCount);
  roots_.inputs.resize(inputs_.size());
  roots_.outputs.resize(outputs_.size());
  roots_.states.resize(stateCount);
  resetState();
}

void Context::setInput(uint32_t index, const graphc_tensor &tensor) {
  if (index >= inputs_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("input ", index, " does not exist; the model has ", inputs_.size()));
  const ModelTensor &expected = model_->inputs()[index];
  BoundInput &input = inputs_[index];
  input.isSet = false;
  checkTensor(tensor, expected, "input");
  input.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  denseStrides(input.dims, expected.order, input.denseStrides);
  input.strides = input.denseStrides;
  if (tensor.strides)
    input.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  input.extentBytes = extentBytes(tensor, input.strides, expected, "input");
  for (uint32_t d = 0; expected.isMutated && d < tensor.rank; ++d)
    if (input.dims[d] > 1 && input.strides[d] == 0)
      throw Failure(GRAPHC_ERROR_INPUT, text("input '", expected.name, "', which the model writes, has stride 0 in dim ", d,
                                             "; its elements must not share memory"));
  input.isDense = sameLayout(input.dims, input.strides, input.denseStrides);
  input.data = static_cast<std::byte *>(tensor.data);
  input.isSet = true;
}

void Context::bindOutput(uint32_t index, const graphc_tensor *tensor) {
  if (index >= outputs_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("output ", index, " does not exist; the model has ", outputs_.size()));
  BoundOutput &output = outputs_[index];
  output.isBound = false;
  hasOutputs_ = false;
  if (!tensor)
    return;
  const ModelTensor &expected = model_->outputs()[index];
  checkTensor(*tensor, expected, "output");
  output.dims.assign(tensor->dims, tensor->dims + tensor->rank);
  std::vector<int64_t> dense;
  denseStrides(output.dims, expected.order, dense);
  output.strides = tensor->strides ? std::vector<int64_t>(tensor->strides, tensor->strides + tensor->rank) : dense;
  output.extentBytes = extentBytes(*tensor, output.strides, expected, "output");
  for (uint32_t d = 0; d < tensor->rank; ++d)
    if (output.dims[d] > 1 && output.strides[d] == 0)
      throw Failure(GRAPHC_ERROR_INPUT, text("output '", expected.name, "' has stride 0 in dim ", d,
                                             "; its elements must not share memory"));
  output.isDense = sameLayout(output.dims, output.strides, dense);
  output.data = static_cast<std::byte *>(tensor->data);
  output.isBound = true;
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
  const uint64_t stride = (instance.scratchBytes() + 4095) & ~uint64_t(4095);
  scratch_.reserve(stride * threads_);
  for (size_t i = 0; i < states_.size(); ++i)
    states_[i].storage.reserve(instance.stateBytes()[i]);
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

std::byte *Context::inputAddress(size_t index, const Instance::Input &input) {
  BoundInput &bound = inputs_[index];
  const bool aligned = reinterpret_cast<uintptr_t>(bound.data) % input.alignment == 0;
  bound.copied = input.buffer >= 0 && input.bytes > 0 && (!bound.isDense || !aligned || options_.arenaOff);
  if (!bound.copied)
    return orNothing(bound.data);
  if (options_.arenaOff && bound.copy.capacity() != input.bytes)
    bound.copy = Storage(true); // the guard page right behind it
  bound.copy.reserve(input.bytes);
  stridedCopy(bound.dims, sizeOf(model_->inputs()[index].dtype), bound.copy.data(), bound.denseStrides, bound.data,
              bound.strides);
  return bound.copy.data();
}

std::byte *Context::outputAddress(size_t index, const Instance::Output &output) {
  BoundOutput &bound = outputs_[index];
  if (bound.isBound && bound.dims != output.dims)
    throw Failure(GRAPHC_ERROR_INPUT, text("output '", model_->outputs()[index].name, "' is bound to memory of shape ",
                                           shapeText(bound.dims), ", these inputs give ", shapeText(output.dims),
                                           "; ask graphc_context_output_dims before binding"));
  const uint32_t alignment = model_->plan().variants()->Get(current_->variantIndex())->buffers()->Get(output.buffer)->alignment();
  bound.inPlace = bound.isBound && bound.isDense && output.direct && !options_.arenaOff &&
                  reinterpret_cast<uintptr_t>(bound.data) % alignment == 0;
  if (bound.inPlace)
    return orNothing(bound.data);
  if (options_.arenaOff && bound.own.capacity() != output.bytes)
    bound.own = Storage(true);
  bound.own.reserve(output.bytes);
  return bound.own.data();
}

void Context::checkOverlaps() const {
  for (size_t o = 0; o < outputs_.size(); ++o)
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (outputs_[o].isBound &&
          overlap(outputs_[o].data, outputs_[o].extentBytes, inputs_[i].data, inputs_[i].extentBytes))
        throw Failure(GRAPHC_ERROR_INPUT, text("the memory of output '", model_->outputs()[o].name, "' overlaps input '",
                                               model_->inputs()[i].name, "'; give it memory of its own"));
  for (size_t a = 0; a < outputs_.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (outputs_[a].isBound && outputs_[b].isBound &&
          overlap(outputs_[a].data, outputs_[a].extentBytes, outputs_[b].data, outputs_[b].extentBytes))
        throw Failure(GRAPHC_ERROR_INPUT, text("the memory of output '", model_->outputs()[a].name, "' overlaps output '",
                                               model_->outputs()[b].name, "'; give each memory of its own"));
  for (size_t a = 0; a < inputs_.size(); ++a)
    for (size_t b = 0; b < inputs_.size(); ++b)
      if (a != b && model_->inputs()[a].isMutated &&
          overlap(inputs_[a].data, inputs_[a].extentBytes, inputs_[b].data, inputs_[b].extentBytes))
        throw Failure(GRAPHC_ERROR_INPUT, text("input '", model_->inputs()[a].name, "', which the model writes, overlaps input '",
                                               model_->inputs()[b].name, "'; give it memory of its own"));
}

void Context::bindMemory(Instance &instance) {
  checkOverlaps();
  roots_.arena = arena_.data();
  for (size_t i = 0; i < inputs_.size(); ++i)
    roots_.inputs[i] = inputAddress(i, instance.inputs()[i]);
  for (size_t i = 0; i < outputs_.size(); ++i)
    roots_.outputs[i] = outputAddress(i, instance.outputs()[i]);
  for (size_t i = 0; i < states_.size(); ++i)
    roots_.states[i] = states_[i].storage.data();
  instance.resolve(roots_);
}

void Context::execute(Instance &instance) {
  status_ = {GRAPHC_STATUS_NONE, -1, 0, 0};
  ExecutionEnv env;
  env.workers = threads_;
  env.scratch = scratch_.data();
  env.scratchStride = (instance.scratchBytes() + 4095) & ~uint64_t(4095);
  env.status = &status_;
  env.states = &states_;
  env.profile = profile_;
  env.profileCount = profileCount_;
  ThreadPool *pool = nullptr;
  if (instance.hasParallelSteps())
    pool = options_.pool ? options_.pool : &ThreadPool::process();
  const PoolLease lease(pool, options_.waitForPool);
  env.pool = lease.pool();
  if (options_.arenaOff)
    instance.poisonGuardedBuffers();
  Executor(instance, env).run();
}

void Context::finish(Instance &instance) {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].copied && model_->inputs()[i].isMutated)
      stridedCopy(inputs_[i].dims, sizeOf(model_->inputs()[i].dtype), inputs_[i].data, inputs_[i].strides,
                  inputs_[i].copy.data(), inputs_[i].denseStrides);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Instance::Output &output = instance.outputs()[i];
    BoundOutput &bound = outputs_[i];
    if (output.bytes == 0 || bound.inPlace)
      continue;
    const std::byte *held = output.direct ? bound.own.data() : instance.address(output.buffer);
    if (bound.isBound)
      stridedCopy(output.dims, sizeOf(model_->outputs()[i].dtype), bound.data, bound.strides, held, output.strides);
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
  if (const int64_t buffer = instance.overwrittenGuard(); buffer >= 0)
    throw internalFailure(text("a kernel wrote past the end of buffer ", buffer));
  finish(instance);
  needsReset_ = false;
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

graphc_tensor Context::output(uint32_t index) const {
  if (index >= outputs_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("output ", index, " does not exist; the model has ", outputs_.size()));
  if (!hasOutputs_)
    throw Failure(GRAPHC_ERROR_ARGUMENT, "there is no output yet: it is valid after a successful run, until the next run,"
                                         " reset or change of sizes");
  const Instance::Output &output = current_->outputs()[index];
  const BoundOutput &bound = outputs_[index];
  graphc_tensor tensor{};
  tensor.size = sizeof tensor;
  tensor.data = bound.isBound ? bound.data : bound.own.data();
  tensor.dtype = model_->outputs()[index].dtype;
  tensor.rank = static_cast<uint32_t>(output.dims.size());
  tensor.dims = output.dims.data();
  tensor.strides = bound.isBound ? bound.strides.data() : output.strides.data();
  return tensor;
}

uint64_t Context::memory() const {
  uint64_t total = arena_.footprint() + scratch_.footprint();
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
