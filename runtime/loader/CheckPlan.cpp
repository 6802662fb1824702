// One class per level of the plan: PlanChecker for the tables, VariantChecker for buffers, steps and blocks. Rules throw their
// text as PlanError, which checkPlan returns.
#include "runtime/loader/CheckPlan.h"

#include "runtime/exec/Dims.h"
#include "runtime/exec/Routines.h"
#include "runtime/plan/KernelAbi.h"
#include "runtime/status/Failure.h"

#include <algorithm>

namespace graphc::runtime {
namespace {

using namespace plan;

struct PlanError {
  std::string what;
};

template <typename... Parts> void require(bool holds, const Parts &...what) {
  if (!holds)
    throw PlanError{text(what...)};
}

template <typename Vector> uint32_t sizeOf(const Vector *vector) { return vector ? vector->size() : 0; }

constexpr uint32_t maxRank = 64;
constexpr uint32_t maxLoopDepth = 32;

class PlanChecker {
public:
  PlanChecker(const Plan &plan, const std::vector<uint64_t> &weightSectionBytes)
      : plan(plan), weightSectionBytes(weightSectionBytes) {}
  void check() const;

  void dim(int32_t index, const char *what, bool optional = false) const {
    require((optional && index == -1) || (index >= 0 && static_cast<uint32_t>(index) < sizeOf(plan.dims())), what,
            " names dims entry ", index, " of ", sizeOf(plan.dims()));
  }
  void shape(const flatbuffers::Vector<int32_t> *dims, const flatbuffers::Vector<uint32_t> *order, const char *what) const;
  void guards(const flatbuffers::Vector<flatbuffers::Offset<Guard>> *guards) const;
  void location(uint32_t index) const {
    require(index == 0 || index < sizeOf(plan.locations()), "location ", index, " of ", sizeOf(plan.locations()));
  }

  const Plan &plan;
  const std::vector<uint64_t> &weightSectionBytes;

private:
  void header() const;
  void symbols() const;
  void tensors(const flatbuffers::Vector<flatbuffers::Offset<TensorInfo>> *infos, const char *what) const;
  void states() const;
  void constants() const;
  void kernels() const;
  void variantLists() const;
};

class VariantChecker {
public:
  VariantChecker(const PlanChecker &tables, const Variant &variant)
      : tables(tables), plan(tables.plan), variant(variant) {}
  void check();

private:
  void buffer(uint32_t index) const;
  void bindings() const;
  void block(uint32_t begin, uint32_t end, uint32_t depth);
  uint32_t step(uint32_t index, uint32_t end, uint32_t depth); // the step after it
  void launch(const Launch &launch) const;
  void use(int64_t bufferIndex, const char *what, bool optional = false) const;
  void scalar(int64_t bufferIndex, const char *what, bool floats = false) const;

  const PlanChecker &tables;
  const Plan &plan;
  const Variant &variant;
  uint32_t current = 0; // step being checked
};

void PlanChecker::shape(const flatbuffers::Vector<int32_t> *dims, const flatbuffers::Vector<uint32_t> *order,
                        const char *what) const {
  const uint32_t rank = sizeOf(dims);
  require(rank <= maxRank, what, " has rank ", rank, ", more than ", maxRank);
  for (uint32_t i = 0; i < rank; ++i)
    dim(dims->Get(i), what);
  if (sizeOf(order) == 0)
    return;
  require(order->size() == rank, what, " has an order of ", order->size(), " dims, expected ", rank);
  uint64_t seen = 0;
  for (uint32_t position : *order) {
    require(position < rank && !(seen >> position & 1), what, " has an order that is no permutation");
    seen |= uint64_t(1) << position;
  }
}

void PlanChecker::guards(const flatbuffers::Vector<flatbuffers::Offset<Guard>> *guards) const {
  for (uint32_t i = 0; i < sizeOf(guards); ++i) {
    dim(guards->Get(i)->lhs(), "a guard");
    dim(guards->Get(i)->rhs(), "a guard");
    require(guards->Get(i)->relation() <= Relation::Ge, "a guard has an unknown relation");
    location(guards->Get(i)->location());
  }
}

void PlanChecker::header() const {
  require(plan.abi_version() == GRAPHC_KERNEL_ABI_VERSION, "kernel ABI version ", plan.abi_version(), ", expected ",
          GRAPHC_KERNEL_ABI_VERSION);
  require(plan.service_count() <= GRAPHC_SERVICE_COUNT, "its kernels call ", plan.service_count(),
          " services, this runtime has ", GRAPHC_SERVICE_COUNT, ": use a newer libgraphc");
  require(plan.levels()->size() > 0, "no CPU level");
  for (uint32_t i = 0; i < sizeOf(plan.dims()); ++i)
    require(isDimProgram(plan, i), "dims entry ", i, " is no well-formed expression");
}

void PlanChecker::symbols() const {
  for (uint32_t i = 0; i < sizeOf(plan.symbols()); ++i) {
    const Symbol &symbol = *plan.symbols()->Get(i);
    const std::string name = symbol.name()->str();
    require(symbol.min() <= symbol.max(), "symbol ", name, " has range ", symbol.min(), "…", symbol.max());
    switch (symbol.source()) {
    case SymbolSource::InputDim: {
      require(symbol.index() < sizeOf(plan.inputs()), "symbol ", name, " names input ", symbol.index());
      const auto *dims = plan.inputs()->Get(symbol.index())->dims();
      require(symbol.dim() < sizeOf(dims) && dims->Get(symbol.dim()) >= 0 &&
                  static_cast<uint32_t>(dims->Get(symbol.dim())) < sizeOf(plan.dims()) &&
                  dimShape(plan, dims->Get(symbol.dim())).symbol == static_cast<int32_t>(i),
              "symbol ", name, " is not what dim ", symbol.dim(), " of input ", symbol.index(), " is");
      break;
    }
    case SymbolSource::InputValue: {
      require(symbol.index() < sizeOf(plan.inputs()), "symbol ", name, " names input ", symbol.index());
      const TensorInfo &input = *plan.inputs()->Get(symbol.index());
      require(sizeOf(input.dims()) == 0 && (input.dtype() <= DType::I64 || input.dtype() == DType::Bool), "symbol ", name,
              " needs a 0-d integer input");
      break;
    }
    case SymbolSource::StateValue: {
      require(symbol.index() < sizeOf(plan.states()), "symbol ", name, " names state ", symbol.index());
      const State &state = *plan.states()->Get(symbol.index());
      require(sizeOf(state.dims()) == 0 && (state.dtype() <= DType::I64 || state.dtype() == DType::Bool), "symbol ", name,
              " needs a 0-d integer state");
      break;
    }
    case SymbolSource::StateDim:
      require(symbol.index() < sizeOf(plan.states()) && symbol.dim() < maxRank, "symbol ", name, " names state ",
              symbol.index());
      break;
    default: require(false, "symbol ", name, " has an unknown source");
    }
  }
}

void PlanChecker::tensors(const flatbuffers::Vector<flatbuffers::Offset<TensorInfo>> *infos, const char *what) const {
  for (uint32_t i = 0; i < sizeOf(infos); ++i) {
    const TensorInfo &info = *infos->Get(i);
    require(info.dtype() <= DType::Bool, what, " ", i, " has an unknown dtype");
    shape(info.dims(), info.order(), what);
    location(info.location());
  }
}

void PlanChecker::states() const {
  for (uint32_t i = 0; i < sizeOf(plan.states()); ++i) {
    const State &state = *plan.states()->Get(i);
    const std::string name = state.name()->str();
    require(state.dtype() <= DType::Bool, "state ", name, " has an unknown dtype");
    require(!state.dims() || reinterpret_cast<uintptr_t>(state.dims()->Data()) % alignof(int64_t) == 0, "state ", name,
            " has misaligned dims");
    require(!state.dims() || reinterpret_cast<uintptr_t>(state.dims()->Data()) % alignof(int64_t) == 0, "state ", name,
            " has misaligned dims"); // FlatBuffers' verifier leaves the elements of a vector unchecked
    require(sizeOf(state.dims()) <= maxRank, "state ", name, " has rank ", sizeOf(state.dims()));
    location(state.location());
    uint64_t bytes = graphc_dtype_size(static_cast<graphc_dtype>(state.dtype()));
    for (uint32_t d = 0; d < sizeOf(state.dims()); ++d)
      require(state.dims()->Get(d) >= 0 &&
                  !__builtin_mul_overflow(bytes, static_cast<uint64_t>(state.dims()->Get(d)), &bytes),
              "state ", name, " has dims that no memory holds");
    require(bytes < uint64_t(1) << 47, "state ", name, " has dims that no memory holds");
    if (state.initial() == -1)
      continue;
    require(state.initial() >= 0 && static_cast<uint32_t>(state.initial()) < sizeOf(plan.constants()), "state ", name,
            " names constant ", state.initial());
    require(plan.constants()->Get(static_cast<uint32_t>(state.initial()))->size() == bytes, "state ", name, " needs ", bytes,
            " bytes of initial value");
  }
}

void PlanChecker::constants() const {
  for (uint32_t i = 0; i < sizeOf(plan.constants()); ++i) {
    const Constant &constant = *plan.constants()->Get(i);
    require(constant.dtype() <= DType::Bool, "constant ", i, " has an unknown dtype");
    require(constant.section() < weightSectionBytes.size() || constant.size() == 0, "constant ", i,
            " lies in weights section ", constant.section(), " of ", weightSectionBytes.size());
    require(constant.offset() % 64 == 0, "constant ", i, " is not aligned to 64 bytes");
    if (constant.size() > 0)
      require(constant.offset() <= weightSectionBytes[constant.section()] &&
                  constant.size() <= weightSectionBytes[constant.section()] - constant.offset(),
              "constant ", i, " (", constant.size(), " bytes at ", constant.offset(), ") lies outside its section of ",
              weightSectionBytes[constant.section()], " bytes");
  }
}

void PlanChecker::kernels() const {
  for (uint32_t i = 0; i < sizeOf(plan.kernels()); ++i) {
    const Kernel &kernel = *plan.kernels()->Get(i);
    const std::string name = kernel.name()->str();
    require(kernel.levels()->size() == plan.levels()->size(), "kernel ", name, " has ", kernel.levels()->size(),
            " levels, the plan has ", plan.levels()->size());
    for (const KernelLevel *level : *kernel.levels()) {
      require(level->candidates()->size() > 0 && level->pick() < level->candidates()->size(), "kernel ", name,
              " picks candidate ", level->pick(), " of ", level->candidates()->size());
      for (const Candidate *candidate : *level->candidates()) {
        dim(candidate->units(), "a candidate", true);
        dim(candidate->chunk(), "a candidate", true);
        dim(candidate->scratch_bytes(), "a candidate", true);
      }
    }
  }
}

void PlanChecker::variantLists() const {
  const uint32_t count = plan.variants()->size();
  require(count > 0, "no variant");
  const auto inRange = [&](const flatbuffers::Vector<uint32_t> *list) {
    for (uint32_t i = 0; i < sizeOf(list); ++i)
      require(list->Get(i) < count, "variant ", list->Get(i), " of ", count);
  };
  inRange(plan.start());
  for (const Variant *variant : *plan.variants()) {
    inRange(variant->next());
    guards(variant->when());
    guards(variant->guards());
  }
}

void PlanChecker::check() const {
  header();
  tensors(plan.inputs(), "input");
  tensors(plan.outputs(), "output");
  constants();
  states();
  symbols();
  kernels();
  variantLists();
  for (uint32_t i = 0; i < plan.variants()->size(); ++i) {
    try {
      VariantChecker(*this, *plan.variants()->Get(i)).check();
    } catch (PlanError &error) {
      throw PlanError{text("variant ", i, ": ", error.what)};
    }
  }
}

void VariantChecker::buffer(uint32_t index) const {
  const Buffer &buffer = *variant.buffers()->Get(index);
  const std::string what = text("buffer ", index);
  require(buffer.dtype() <= DType::Bool, what, " has an unknown dtype");
  tables.shape(buffer.dims(), buffer.order(), what.c_str());
  tables.dim(buffer.bytes(), what.c_str());
  tables.dim(buffer.alias_offset(), what.c_str(), true);
  const uint32_t alignment = buffer.alignment();
  require(alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= 4096, what, " has alignment ", alignment);
  if (buffer.alias_of() != -1) {
    require(buffer.alias_of() >= 0 && static_cast<uint32_t>(buffer.alias_of()) < index, what, " is part of buffer ",
            buffer.alias_of(), ", which must come before it");
    return;
  }
  const uint32_t tableSize[] = {UINT32_MAX, sizeOf(plan.inputs()), sizeOf(plan.outputs()), sizeOf(plan.constants()),
                                sizeOf(plan.states())};
  require(buffer.kind() <= BufferKind::State, what, " has an unknown kind");
  require(buffer.kind() == BufferKind::Arena || buffer.index() < tableSize[static_cast<int>(buffer.kind())], what,
          " names entry ", buffer.index(), " of a table of ", tableSize[static_cast<int>(buffer.kind())]);
  require(buffer.kind() != BufferKind::Arena || buffer.first_step() <= buffer.last_step(), what, " lives from step ",
          buffer.first_step(), " to ", buffer.last_step());
}

void VariantChecker::bindings() const {
  const uint32_t count = variant.buffers()->size();
  require(sizeOf(variant.inputs()) == sizeOf(plan.inputs()), "buffers for ", sizeOf(variant.inputs()), " inputs of ",
          sizeOf(plan.inputs()));
  require(sizeOf(variant.outputs()) == sizeOf(plan.outputs()), "buffers for ", sizeOf(variant.outputs()), " outputs of ",
          sizeOf(plan.outputs()));
  require(sizeOf(variant.states()) == sizeOf(plan.states()), "buffers for ", sizeOf(variant.states()), " states of ",
          sizeOf(plan.states()));
  const auto bind = [&](int64_t index, BufferKind kind, uint32_t entry, DType dtype, const char *what) {
    if (index == -1)
      return;
    require(index >= 0 && index < count, what, " ", entry, " names buffer ", index, " of ", count);
    const Buffer &buffer = *variant.buffers()->Get(static_cast<uint32_t>(index));
    require(buffer.kind() == kind && buffer.index() == entry && buffer.alias_of() == -1 && buffer.dtype() == dtype, what, " ",
            entry, " names buffer ", index, ", which is another kind or dtype");
  };
  for (uint32_t i = 0; i < sizeOf(plan.inputs()); ++i) {
    const TensorInfo &info = *plan.inputs()->Get(i);
    bind(variant.inputs()->Get(i), BufferKind::Input, i, info.dtype(), "input");
    require(variant.inputs()->Get(i) == -1 ||
                sizeOf(variant.buffers()->Get(static_cast<uint32_t>(variant.inputs()->Get(i)))->dims()) == sizeOf(info.dims()),
            "input ", i, " has a buffer of another rank");
  }
  for (uint32_t i = 0; i < sizeOf(plan.states()); ++i)
    bind(variant.states()->Get(i), BufferKind::State, i, plan.states()->Get(i)->dtype(), "state");
  for (uint32_t i = 0; i < sizeOf(plan.outputs()); ++i) {
    const uint32_t index = variant.outputs()->Get(i);
    require(index < count, "output ", i, " names buffer ", index, " of ", count);
    const Buffer &buffer = *variant.buffers()->Get(index);
    const TensorInfo &info = *plan.outputs()->Get(i);
    require(buffer.dtype() == info.dtype() && sizeOf(buffer.dims()) == sizeOf(info.dims()), "output ", i, " is held by buffer ",
            index, " of another dtype or rank");
    const Buffer *root = &buffer;
    while (root->alias_of() != -1)
      root = variant.buffers()->Get(static_cast<uint32_t>(root->alias_of()));
    require(root->kind() != BufferKind::Arena || root->last_step() + uint64_t(1) >= variant.steps()->size(), "output ", i,
            " is held by buffer ", index, ", whose life ends at step ", root->last_step());
  }
}

void VariantChecker::use(int64_t bufferIndex, const char *what, bool optional) const {
  if (optional && bufferIndex == -1)
    return;
  require(bufferIndex >= 0 && bufferIndex < variant.buffers()->size(), what, " names buffer ", bufferIndex, " of ",
          variant.buffers()->size());
  const Buffer *root = variant.buffers()->Get(static_cast<uint32_t>(bufferIndex));
  while (root->alias_of() != -1)
    root = variant.buffers()->Get(static_cast<uint32_t>(root->alias_of()));
  require(root->kind() != BufferKind::Arena || (root->first_step() <= current && current <= root->last_step()), what,
          " uses buffer ", bufferIndex, ", which lives from step ", root->first_step(), " to ", root->last_step());
}

void VariantChecker::scalar(int64_t bufferIndex, const char *what, bool floats) const {
  use(bufferIndex, what, true);
  if (bufferIndex == -1)
    return;
  const Buffer &buffer = *variant.buffers()->Get(static_cast<uint32_t>(bufferIndex));
  require(sizeOf(buffer.dims()) == 0 && (buffer.dtype() <= DType::I64 || buffer.dtype() == DType::Bool ||
                                         (floats && (buffer.dtype() == DType::F32 || buffer.dtype() == DType::F64))),
          what, " needs a 0-d integer or bool buffer");
}

void VariantChecker::launch(const Launch &launch) const {
  require(launch.kernel() < sizeOf(plan.kernels()), "names kernel ", launch.kernel(), " of ", sizeOf(plan.kernels()));
  for (uint32_t buffer : *launch.buffers())
    use(buffer, "launch");
  tables.dim(launch.units(), "launch");
  for (int32_t optional : {launch.chunk(), launch.scratch_bytes(), launch.cost_ns(), launch.flops(), launch.bytes()})
    tables.dim(optional, "launch", true);
}

uint32_t VariantChecker::step(uint32_t index, uint32_t end, uint32_t depth) {
  current = index;
  const Step &step = *variant.steps()->Get(index);
  for (uint32_t i = 0; i < sizeOf(step.locations()); ++i)
    tables.location(step.locations()->Get(i));
  if (const Launch *body = step.body_as_Launch()) {
    launch(*body);
  } else if (const Copy *body = step.body_as_Copy()) {
    use(body->from(), "copy");
    use(body->to(), "copy");
  } else if (const StoreDim *body = step.body_as_StoreDim()) {
    scalar(body->to(), "store", true);
    tables.dim(body->value(), "store");
  } else if (const If *body = step.body_as_If()) {
    scalar(body->predicate(), "if");
    tables.dim(body->predicate_dim(), "if", body->predicate() != -1);
    require(index < body->then_end() && body->then_end() <= body->else_end() && body->else_end() <= end,
            "its blocks end at ", body->then_end(), " and ", body->else_end(), ", outside its own block");
    block(index + 1, body->then_end(), depth + 1);
    block(body->then_end(), body->else_end(), depth + 1);
    return body->else_end();
  } else if (const Loop *body = step.body_as_Loop()) {
    for (int32_t buffer : {body->trip(), body->condition(), body->iteration()})
      scalar(buffer, "loop");
    tables.dim(body->trip_dim(), "loop", true);
    require(index < body->body_end() && body->body_end() <= end, "its body ends at ", body->body_end(),
            ", outside its own block");
    for (uint32_t i = 0; i < sizeOf(body->carried()); ++i) {
      use(body->carried()->Get(i)->from(), "loop");
      use(body->carried()->Get(i)->to(), "loop");
    }
    block(index + 1, body->body_end(), depth + 1);
    return body->body_end();
  } else if (const StateWrite *body = step.body_as_StateWrite()) {
    require(body->state() < sizeOf(plan.states()), "names state ", body->state(), " of ", sizeOf(plan.states()));
    use(body->from(), "state write", true);
    tables.dim(body->value(), "state write", body->from() != -1);
    const DType dtype = plan.states()->Get(body->state())->dtype();
    require(body->from() != -1 || dtype <= DType::I64 || dtype >= DType::F32, "stores a number in an f16 or bf16 state");
    require(body->from() == -1 || variant.buffers()->Get(static_cast<uint32_t>(body->from()))->dtype() == dtype,
            "writes a state of another dtype");
  } else if (const Raise *body = step.body_as_Raise()) {
    scalar(body->predicate(), "raise");
    require(body->message() < sizeOf(plan.messages()), "names message ", body->message(), " of ", sizeOf(plan.messages()));
  } else if (const LibraryCall *body = step.body_as_LibraryCall()) {
    for (uint32_t i = 0; i < sizeOf(body->buffers()); ++i)
      use(body->buffers()->Get(i), "library call");
    for (uint32_t i = 0; i < sizeOf(body->dims()); ++i)
      tables.dim(body->dims()->Get(i), "library call");
    require(body->library()->string_view() != "graphc" || (sizeOf(body->buffers()) > 0 && sizeOf(body->config()) > 0),
            "calls a routine without buffers or options");
  } else {
    require(step.body_type() == StepBody::Fallback, "is of a kind that this runtime does not know");
  }
  return index + 1;
}

void VariantChecker::block(uint32_t begin, uint32_t end, uint32_t depth) {
  require(depth <= maxLoopDepth, "blocks nest deeper than ", maxLoopDepth);
  for (uint32_t i = begin; i < end;) {
    try {
      i = step(i, end, depth);
    } catch (PlanError &error) {
      if (error.what.rfind("step ", 0) == 0)
        throw;
      throw PlanError{text("step ", i, ": ", error.what)};
    }
  }
}

void VariantChecker::check() {
  for (uint32_t i = 0; i < variant.buffers()->size(); ++i)
    buffer(i);
  bindings();
  block(0, variant.steps()->size(), 0);
}

} // namespace

std::string checkPlan(const plan::Plan &plan, const std::vector<uint64_t> &weightSectionBytes) {
  try {
    PlanChecker(plan, weightSectionBytes).check();
    return "";
  } catch (const PlanError &error) {
    return error.what;
  }
}

std::string unsupportedStep(const plan::Plan &plan) {
  for (const Variant *variant : *plan.variants())
    for (const Step *step : *variant->steps()) {
      if (const LibraryCall *call = step->body_as_LibraryCall();
          call && (call->library()->string_view() != "graphc" || !isRoutine(call->function()->string_view())))
        return "a call of " + call->function()->str() + " of library " + call->library()->str();
      if (const Fallback *fallback = step->body_as_Fallback())
        return "a fallback segment for the plugin " + fallback->plugin()->str();
    }
  return "";
}

} // namespace graphc::runtime
