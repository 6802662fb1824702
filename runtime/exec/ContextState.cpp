// State of a context: initial values, reading and writing, saving and loading as bytes.
//
// Saved form: magic "GCXS", version, fingerprint of the plan (32 bytes), variant (int64, -1: before the first run), then per
// state: rank, dims, byte count (int64 each) and the elements.
#include "runtime/exec/Context.h"

#include "runtime/exec/StridedCopy.h"
#include "runtime/status/Failure.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {
namespace {

constexpr char stateMagic[4] = {'G', 'C', 'X', 'S'};
constexpr uint32_t stateVersion = 1;

class Output {
public:
  void put(const void *data, size_t bytes) {
    const auto *begin = static_cast<const std::byte *>(data);
    bytes_.insert(bytes_.end(), begin, begin + bytes);
  }
  void put(int64_t value) { put(&value, sizeof value); }
  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  std::vector<std::byte> bytes_;
};

class Input {
public:
  explicit Input(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::span<const std::byte> get(uint64_t bytes) {
    if (bytes > rest_.size())
      throw Failure(GRAPHC_ERROR_ARGUMENT, "the saved state ends too early; it must come from graphc_context_state_save");
    const auto head = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return head;
  }
  int64_t number() {
    int64_t value;
    std::memcpy(&value, get(sizeof value).data(), sizeof value);
    return value;
  }
  bool atEnd() const { return rest_.empty(); }

private:
  std::span<const std::byte> rest_;
};

/// A state read from saved bytes, checked but not yet taken over.
struct SavedState {
  std::vector<int64_t> dims;
  std::span<const std::byte> data;
};

SavedState readSaved(Input &in, const plan::State &state) {
  SavedState saved;
  const int64_t rank = in.number();
  if (rank < 0 || rank > 64)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("the saved state '", state.name()->str(), "' has rank ", rank));
  for (int64_t d = 0; d < rank; ++d)
    saved.dims.push_back(in.number());
  int64_t count;
  const int64_t bytes = in.number();
  if (!elementCount(saved.dims, count) || count > int64_t(1) << 46 ||
      bytes != count * static_cast<int64_t>(graphc_dtype_size(static_cast<graphc_dtype>(state.dtype()))))
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("the saved state '", state.name()->str(), "' has ", bytes,
                                              " bytes, which do not fit its shape"));
  saved.data = in.get(static_cast<uint64_t>(bytes));
  return saved;
}

} // namespace

void Context::resetState() {
  for (uint32_t i = 0; i < states_.size(); ++i) {
    const plan::State &state = *model_->plan().states()->Get(i);
    StateSlot &slot = states_[i];
    slot.bytes = graphc_dtype_size(static_cast<graphc_dtype>(state.dtype()));
    slot.dims.clear();
    for (uint32_t d = 0; state.dims() && d < state.dims()->size(); ++d) {
      slot.dims.push_back(state.dims()->Get(d));
      slot.bytes *= static_cast<uint64_t>(state.dims()->Get(d));
    }
    slot.storage.reserve(std::max<uint64_t>(slot.bytes, 8));
    const std::byte *initial = state.initial() >= 0 ? model_->constant(static_cast<uint32_t>(state.initial())) : nullptr;
    if (initial && slot.bytes > 0)
      std::memcpy(slot.storage.data(), initial, slot.bytes);
    else
      slot.storage.zero(slot.bytes);
  }
  lastVariant_ = -1;
  needsReset_ = false;
}

void Context::reset() {
  resetState();
  hasOutputs_ = false;
}

const StateSlot &Context::state(uint32_t index) const {
  if (index >= states_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("state ", index, " does not exist; the model has ", states_.size()));
  return states_[index];
}

void Context::readState(uint32_t index, std::span<std::byte> to) const {
  const StateSlot &slot = state(index);
  if (to.size() != slot.bytes)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("state ", index, " has ", slot.bytes, " bytes, got room for ", to.size()));
  if (slot.bytes > 0)
    std::memcpy(to.data(), slot.storage.data(), slot.bytes);
}

void Context::writeState(uint32_t index, std::span<const std::byte> from) {
  const StateSlot &slot = state(index);
  if (from.size() != slot.bytes)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("state ", index, " has ", slot.bytes, " bytes, got ", from.size(),
                                              "; writing keeps the shape"));
  if (slot.bytes > 0)
    std::memcpy(states_[index].storage.data(), from.data(), slot.bytes);
}

std::vector<std::byte> Context::saveState() const {
  if (needsReset_)
    throw Failure(GRAPHC_ERROR_NEEDS_RESET, "the state is what a failed run left; call graphc_context_reset first");
  Output out;
  out.put(stateMagic, sizeof stateMagic);
  out.put(&stateVersion, sizeof stateVersion);
  out.put(model_->fingerprint(), 32);
  out.put(lastVariant_);
  for (const StateSlot &slot : states_) {
    out.put(static_cast<int64_t>(slot.dims.size()));
    for (int64_t dim : slot.dims)
      out.put(dim);
    out.put(static_cast<int64_t>(slot.bytes));
    out.put(slot.storage.data(), slot.bytes);
  }
  return out.take();
}

void Context::loadState(std::span<const std::byte> bytes) {
  Input in(bytes);
  if (std::memcmp(in.get(sizeof stateMagic).data(), stateMagic, sizeof stateMagic) != 0 ||
      std::memcmp(in.get(sizeof stateVersion).data(), &stateVersion, sizeof stateVersion) != 0)
    throw Failure(GRAPHC_ERROR_ARGUMENT, "these bytes are no saved state; it must come from graphc_context_state_save");
  if (std::memcmp(in.get(32).data(), model_->fingerprint(), 32) != 0)
    throw Failure(GRAPHC_ERROR_ARGUMENT, "the saved state belongs to another artifact; load it into the one that saved it");
  const int64_t variant = in.number();
  if (variant < -1 || variant >= model_->plan().variants()->size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("the saved state names variant ", variant));
  std::vector<SavedState> saved;
  for (uint32_t i = 0; i < states_.size(); ++i)
    saved.push_back(readSaved(in, *model_->plan().states()->Get(i)));
  if (!in.atEnd())
    throw Failure(GRAPHC_ERROR_ARGUMENT, "the saved state has bytes too many");
  for (size_t i = 0; i < states_.size(); ++i)
    states_[i].storage.reserve(std::max<uint64_t>(saved[i].data.size(), 8));
  for (size_t i = 0; i < states_.size(); ++i) {
    states_[i].dims = saved[i].dims;
    states_[i].bytes = saved[i].data.size();
    if (!saved[i].data.empty())
      std::memcpy(states_[i].storage.data(), saved[i].data.data(), saved[i].data.size());
  }
  lastVariant_ = variant;
  needsReset_ = false;
  hasOutputs_ = false;
}

} // namespace graphc::runtime
