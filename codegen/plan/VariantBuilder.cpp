// See VariantBuilder.h.
#include "codegen/plan/VariantBuilder.h"
#include "ir/support/Check.h"
#include "ir/support/Location.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::codegen;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// What generated code asks of its memory: it loads and stores elements and vectors of them unaligned.
static uint32_t elementAlignment(RankedTensorType type) { return std::max(1u, type.getElementTypeBitWidth() / 8); }

VariantBuilder::VariantBuilder(func::FuncOp function, const plan::PlanT &plan, const TargetCode &code, PlanTables &tables)
    : function(function), module(function->getParentOfType<ModuleOp>()), plan(plan), code(code), tables(tables),
      variant(std::make_unique<plan::VariantT>()) {
  for (auto [i, kernel] : llvm::enumerate(plan.kernels))
    kernels[kernel->name] = i;
}

//===-- buffers and steps ------------------------------------------------------------===//

uint32_t VariantBuilder::addBuffer(RankedTensorType type, plan::BufferKind kind, uint32_t index, StringRef name) {
  auto buffer = std::make_unique<Buffer>();
  buffer->name = name.str();
  buffer->kind = kind;
  buffer->index = index;
  buffer->dtype = getDType(type.getElementType());
  buffer->dims = tables.dimsOf(type);
  buffer->order = tables.orderOf(type);
  buffer->bytes = tables.dim(getByteSize(type));
  buffer->alignment = elementAlignment(type);
  buffer->first_step = UINT32_MAX; // until a step uses it
  variant->buffers.push_back(std::move(buffer));
  return variant->buffers.size() - 1;
}

uint32_t VariantBuilder::rootOf(uint32_t buffer) const {
  while (variant->buffers[buffer]->alias_of != -1)
    buffer = variant->buffers[buffer]->alias_of;
  return buffer;
}

/// The step being built touches the buffer.
void VariantBuilder::use(uint32_t buffer) {
  uint32_t step = variant->steps.size() - 1;
  Buffer &root = *variant->buffers[rootOf(buffer)];
  root.first_step = std::min(root.first_step, step);
  root.last_step = std::max(root.last_step, step);
}

plan::StepT &VariantBuilder::addStep(Location loc, StringRef name) {
  auto step = std::make_unique<plan::StepT>();
  step->name = name.str();
  step->locations = tables.locations(loc);
  variant->steps.push_back(std::move(step));
  return *variant->steps.back();
}

uint32_t VariantBuilder::copy(uint32_t from, plan::BufferKind kind, uint32_t index, RankedTensorType type, Location loc) {
  uint32_t to = addBuffer(type, kind, index, "copy");
  plan::CopyT body;
  body.from = from;
  body.to = to;
  addStep(loc, "copy").body.Set(std::move(body));
  use(from);
  use(to);
  return to;
}

uint32_t VariantBuilder::stateIndex(StringRef name) const {
  for (auto [i, state] : llvm::enumerate(plan.states))
    if (state->name == name)
      return i;
  reportInternalError("stateIndex", "a function names a state that the plan doesn't have", __FILE__, __LINE__);
}

//===-- ops -----------------------------------------------------------------------------===//

void VariantBuilder::addInputs() {
  for (BlockArgument argument : function.getArguments()) {
    if (argument.use_empty()) {
      variant->inputs.push_back(-1);
      continue;
    }
    uint32_t buffer = addBuffer(typeOf(argument), plan::BufferKind::Input, argument.getArgNumber(), plan.inputs[argument.getArgNumber()]->name);
    buffers[argument] = buffer;
    variant->inputs.push_back(buffer);
  }
}

void VariantBuilder::addConstant(Value result, ElementsAttr value, StringRef fqn, StringRef packing) {
  buffers[result] = addBuffer(typeOf(result), plan::BufferKind::Constant, tables.constant(value, fqn, packing), fqn);
}

void VariantBuilder::addReadState(graph::ReadStateOp op) {
  uint32_t state = stateIndex(op.getState());
  if (variant->states[state] == -1)
    variant->states[state] = addBuffer(typeOf(op.getResult()), plan::BufferKind::State, state, op.getState());
  buffers[op.getResult()] = variant->states[state];
}

static plan::Relation relationOf(graph::DimPredicate predicate) {
  switch (predicate) {
  case graph::DimPredicate::Eq: return plan::Relation::Eq;
  case graph::DimPredicate::Ne: return plan::Relation::Ne;
  case graph::DimPredicate::Lt: return plan::Relation::Lt;
  case graph::DimPredicate::Le: return plan::Relation::Le;
  case graph::DimPredicate::Gt: return plan::Relation::Gt;
  case graph::DimPredicate::Ge: return plan::Relation::Ge;
  }
  llvm_unreachable("a predicate of dims");
}

void VariantBuilder::addGuard(graph::GuardOp op) {
  auto guard = std::make_unique<plan::GuardT>();
  guard->lhs = tables.dim(op.getLhs());
  guard->rhs = tables.dim(op.getRhs());
  guard->relation = relationOf(*graph::parsePredicate(op.getPredicate()));
  guard->location = tables.location(op.getLoc());
  guard->message = op.getMessage().str();
  variant->guards.push_back(std::move(guard));
}

void VariantBuilder::addAlias(kernel::AliasOp op) {
  RankedTensorType type = typeOf(op.getResult());
  uint32_t source = buffers.lookup(op.getSource());
  uint32_t buffer = addBuffer(type, plan::BufferKind::Arena, 0, variant->buffers[source]->name);
  variant->buffers[buffer]->alias_of = source;
  int64_t elementBytes = (type.getElementTypeBitWidth() + 7) / 8;
  if (op.getOffset() != 0)
    variant->buffers[buffer]->alias_offset = tables.dim(int64_t(op.getOffset()) * elementBytes);
  buffers[op.getResult()] = buffer;
}

void VariantBuilder::findJoins() {
  for (auto join : function.getBody().front().getOps<kernel::JoinOp>()) {
    graph::DimAttr offset = graph::DimAttr::constant(join.getContext(), 0);
    for (Value part : join.getParts()) {
      Value root = part;
      while (auto alias = root.getDefiningOp<kernel::AliasOp>())
        root = alias.getSource();
      GRAPHC_CHECK(root.getDefiningOp<kernel::LaunchOp>() && !places.contains(root), "a part of a join is no launch's own");
      places[root] = {join, offset};
      offset = offset + getByteSize(typeOf(part));
    }
  }
}

uint32_t VariantBuilder::addOutputBuffer(Value output, StringRef name) {
  auto place = places.find(output);
  if (place == places.end())
    return addBuffer(typeOf(output), plan::BufferKind::Arena, 0, name);
  Value joined = place->second.join.getResult();
  auto [it, isNew] = buffers.try_emplace(joined, 0);
  if (isNew)
    buffers[joined] = addBuffer(typeOf(joined), plan::BufferKind::Arena, 0, "join");
  uint32_t whole = buffers.lookup(joined), buffer = addBuffer(typeOf(output), plan::BufferKind::Arena, 0, name);
  variant->buffers[buffer]->alias_of = whole;
  graph::DimAttr offset = place->second.offset;
  if (!offset.isConstant() || offset.getValue() != 0)
    variant->buffers[buffer]->alias_offset = tables.dim(offset);
  return buffer;
}

void VariantBuilder::addLaunch(kernel::LaunchOp op) {
  auto known = kernels.find(op.getKernel());
  GRAPHC_CHECK(known != kernels.end(), "a launch names a kernel that was not compiled");
  const KernelCode &kernel = code.kernels[known->second];
  const CandidateCode &first = kernel.levels[0].candidates[0];
  plan::StepT &step = addStep(op.getLoc(), op.getKernel());
  if (std::optional<ArrayAttr> source = op.getSource())
    for (auto id : source->getAsRange<IntegerAttr>())
      step.values.push_back(id.getInt());
  plan::LaunchT launch;
  launch.kernel = known->second;
  for (Value input : op.getInputs())
    launch.buffers.push_back(buffers.lookup(input));
  for (Value output : op.getOutputs()) {
    buffers[output] = addOutputBuffer(output, op.getKernel());
    launch.buffers.push_back(buffers.lookup(output));
  }
  for (uint32_t buffer : launch.buffers)
    use(buffer);
  auto optional = [&](graph::DimAttr dim) { return dim ? tables.dim(dim) : -1; };
  launch.units = tables.dim(first.units);
  launch.chunk = optional(first.chunk);
  bool hasScratch = first.scratchBytes && !(first.scratchBytes.isConstant() && first.scratchBytes.getValue() == 0);
  launch.scratch_bytes = hasScratch ? tables.dim(first.scratchBytes) : -1;
  launch.cost_ns = optional(kernel.costNs);
  launch.flops = optional(kernel.flops);
  launch.bytes = optional(kernel.bytes);
  step.body.Set(std::move(launch));
}

/// A scatter writes into a copy of its base; other routines write all of their results.
void VariantBuilder::addRoutine(kernel::RoutineOp op) {
  bool isScatter = op.getRoutine() == kernel::Routine::scatter;
  StringRef name = kernel::stringifyRoutine(op.getRoutine());
  plan::LibraryCallT call;
  call.library = "graphc";
  call.function = name.str();
  for (int64_t option : op.getConfig())
    call.config.push_back(uint8_t(option));
  for (Value input : op.getInputs().drop_front(isScatter))
    call.buffers.push_back(buffers.lookup(input));
  for (Value output : op.getOutputs()) {
    buffers[output] = isScatter ? copy(buffers.lookup(op.getInputs()[0]), plan::BufferKind::Arena, 0, typeOf(output), op.getLoc())
                                : addBuffer(typeOf(output), plan::BufferKind::Arena, 0, name);
    call.buffers.push_back(buffers.lookup(output));
  }
  std::vector<uint32_t> used = call.buffers;
  addStep(op.getLoc(), name).body.Set(std::move(call));
  for (uint32_t buffer : used)
    use(buffer);
}

llvm::Error VariantBuilder::addOp(Operation &op) {
  if (auto get = dyn_cast<graph::GetOp>(op)) {
    auto parameter = module.lookupSymbol<graph::ParameterOp>(get.getParameter());
    auto packing = parameter->getAttrOfType<StringAttr>("packing");
    addConstant(get.getResult(), parameter.getValue(), parameter.getSymName(), packing ? packing.getValue() : "");
  } else if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    addConstant(constant.getResult(), constant.getValue(), "", "");
  } else if (auto read = dyn_cast<graph::ReadStateOp>(op)) {
    addReadState(read);
  } else if (auto guard = dyn_cast<graph::GuardOp>(op)) {
    addGuard(guard);
  } else if (auto alias = dyn_cast<kernel::AliasOp>(op)) {
    addAlias(alias);
  } else if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
    addLaunch(launch);
  } else if (auto routine = dyn_cast<kernel::RoutineOp>(op)) {
    addRoutine(routine);
  } else if (!isa<graph::WriteStateOp, func::ReturnOp, kernel::JoinOp>(op)) {
    return llvm::createStringError(describeLocation(op.getLoc()) + ": no plan step stands for '" + op.getName().getStringRef().str() + "'");
  }
  return llvm::Error::success();
}

//===-- the end of a run ------------------------------------------------------------------===//

uint32_t VariantBuilder::getStable(Value value, const llvm::SmallDenseSet<uint32_t> &states, Location loc) {
  uint32_t buffer = buffers.lookup(value);
  const Buffer &root = *variant->buffers[rootOf(buffer)];
  bool isWritten = (root.kind == plan::BufferKind::State && states.contains(root.index)) ||
                   (root.kind == plan::BufferKind::Input && changedInputs.contains(root.index));
  return isWritten ? copy(buffer, plan::BufferKind::Arena, 0, typeOf(value), loc) : buffer;
}

/// Results that a launch made become output buffers where they lie alone; what a state write would overwrite is copied first.
void VariantBuilder::addReturn(func::ReturnOp op, ArrayRef<graph::WriteStateOp> writes) {
  llvm::SmallDenseSet<uint32_t> written;
  for (graph::WriteStateOp write : writes)
    written.insert(stateIndex(write.getState()));
  auto changedBy = [&](unsigned result) { return function.getResultAttrOfType<IntegerAttr>(result, graph::writesInputAttrName); };
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    if (IntegerAttr input = changedBy(i))
      changedInputs[uint32_t(input.getInt())] = 0;
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    uint32_t buffer = getStable(value, written, op.getLoc());
    if (IntegerAttr input = changedBy(i)) {
      changedInputs[uint32_t(input.getInt())] = buffer;
      continue;
    }
    Buffer &root = *variant->buffers[rootOf(buffer)];
    bool isWhole = root.bytes == variant->buffers[buffer]->bytes && (buffer == rootOf(buffer) || variant->buffers[buffer]->alias_offset == -1);
    if (root.kind == plan::BufferKind::Arena && isWhole) {
      root.kind = plan::BufferKind::Output;
      root.index = i;
    }
    variant->outputs.push_back(buffer);
  }
}

/// Writes take effect at once, so a value that lies in a state which an earlier write replaces is copied before all of them.
void VariantBuilder::finishStates(ArrayRef<graph::WriteStateOp> writes) {
  llvm::SmallDenseSet<uint32_t> written;
  SmallVector<std::tuple<uint32_t, uint32_t, Location>> pending;
  for (graph::WriteStateOp write : writes) {
    uint32_t state = stateIndex(write.getState());
    uint32_t buffer = getStable(write.getValue(), written, write.getLoc());
    written.insert(state);
    const Buffer &root = *variant->buffers[rootOf(buffer)];
    bool keepsItself = root.kind == plan::BufferKind::State && root.index == state && buffer == rootOf(buffer);
    if (!keepsItself)
      pending.emplace_back(state, buffer, write.getLoc());
  }
  for (auto [state, buffer, loc] : pending) {
    plan::StateWriteT body;
    body.state = state;
    body.from = buffer;
    addStep(loc, "write " + plan.states[state]->name).body.Set(std::move(body));
    use(buffer);
  }
}

/// Inputs that the program changes take their values after everything that reads them.
void VariantBuilder::finishInputs(Location loc) {
  for (uint32_t input = 0; input < function.getNumArguments(); ++input) {
    auto changed = changedInputs.find(input);
    if (changed == changedInputs.end())
      continue;
    RankedTensorType type = typeOf(function.getArgument(input));
    if (variant->inputs[input] == -1)
      variant->inputs[input] = addBuffer(type, plan::BufferKind::Input, input, plan.inputs[input]->name);
    plan::CopyT body;
    body.from = changed->second;
    body.to = variant->inputs[input];
    addStep(loc, "write " + plan.inputs[input]->name).body.Set(std::move(body));
    use(body.from);
    use(body.to);
  }
}

llvm::Expected<std::unique_ptr<plan::VariantT>> VariantBuilder::build() {
  variant->name = function.getSymName().str();
  variant->states.assign(plan.states.size(), -1);
  addInputs();
  findJoins();
  SmallVector<graph::WriteStateOp> writes;
  for (Operation &op : function.getBody().front()) {
    if (auto write = dyn_cast<graph::WriteStateOp>(op))
      writes.push_back(write);
    if (llvm::Error error = addOp(op))
      return error;
  }
  addReturn(cast<func::ReturnOp>(function.getBody().front().getTerminator()), writes);
  finishStates(writes);
  finishInputs(function.getLoc());
  // What outputs hold matters to the end.
  uint32_t last = variant->steps.empty() ? 0 : variant->steps.size() - 1;
  for (uint32_t output : variant->outputs)
    variant->buffers[rootOf(output)]->last_step = last;
  for (auto &buffer : variant->buffers)
    if (buffer->first_step == UINT32_MAX)
      buffer->first_step = buffer->last_step = 0;
  return std::move(variant);
}
