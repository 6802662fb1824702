// Kernel bodies as C++ statements. See RegionEmitter.h.
#include "codegen/cuda/RegionEmitter.h"

#include "ir/support/Check.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using graphc::graph::DimAttr;
using graphc::kernel::Monoid;

namespace graphc::cuda {

namespace {

std::string hex(uint64_t bits) { return "0x" + llvm::utohexstr(bits, /*LowerCase=*/true); }

/// Literals that name every value exactly; infinities and NaN go by their bits.
std::string floatLiteral(const llvm::APFloat &value, Type type) {
  llvm::APFloat wide = value;
  bool inexact = false;
  if (!value.isFinite()) {
    wide.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    const std::string bits = "gc_bits_float(" + hex(wide.bitcastToAPInt().getZExtValue()) + "u)";
    return type.isF64() ? "(double)" + bits : bits;
  }
  wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  char text[64];
  std::snprintf(text, sizeof text, "%a", wide.convertToDouble());
  return type.isF64() ? text : std::string(text) + "f";
}

const char *comparison(scalar::Predicate predicate) {
  switch (predicate) {
  case scalar::Predicate::eq:
    return " == ";
  case scalar::Predicate::ne:
    return " != ";
  case scalar::Predicate::lt:
    return " < ";
  case scalar::Predicate::le:
    return " <= ";
  case scalar::Predicate::gt:
    return " > ";
  default:
    return " >= ";
  }
}

/// What gc_cast<…> is given: 16-bit floats by their storage type, as they round.
std::string castTarget(Type type) {
  return type.isF16() || type.isBF16() ? storageType(type) : type.isIndex() ? "index" : valueType(type);
}

} // namespace

SmallVector<DimAttr> dimsOf(ArrayAttr extents) {
  return llvm::map_to_vector(extents, [](Attribute a) { return cast<DimAttr>(a); });
}

std::string RegionEmitter::name(Value value) const {
  auto found = names.find(value);
  GRAPHC_CHECK(found != names.end(), "a value is used before it was emitted");
  return found->second;
}

void RegionEmitter::declareIndices(ValueRange indices, ArrayRef<DimAttr> extents, const std::string &flat) {
  std::string rest = flat;
  for (size_t i = indices.size(); i-- > 0;) {
    const std::string fresh = freshName("i"), extent = text.dimName(extents[i]);
    out.line("const index " + fresh + " = " + rest + (i == 0 ? "" : " % " + extent) + ";");
    rest = rest + " / " + extent;
    setName(indices[i], fresh);
  }
}

//===-- lanes -------------------------------------------------------------------===//

LanePlan RegionEmitter::planLanes(Block &block, Value index, DimAttr extent, int64_t width) {
  LanePlan plan;
  plan.index = index;
  plan.width = width;
  if (width > 1 && extent.isConstant() && extent.getValue() % width != 0)
    return plan;
  auto consider = [&](Operation *op, const Access &access) {
    const bool outside = llvm::all_of(access.indices, [&](Value v) { return isa<BlockArgument>(v) || v.getParentBlock() != &block; });
    if (access.mask || !outside || text.movement(access, index) != Movement::Contiguous)
      return;
    const unsigned bytes = elementBytes(access.type().getElementType());
    std::optional<SmallVector<std::string>> conditions = text.alignment(access, index, width);
    if (!conditions || (width > 1 && width * bytes > 32))
      return;
    plan.vectors.insert(op);
    llvm::append_range(plan.conditions, *conditions);
    plan.conditions.push_back("gc_aligned(" + text.bufferName(access.buffer) + ", " +
                              std::to_string(std::min<int64_t>(16, width * bytes)) + ")");
  };
  for (Operation &op : block)
    if (auto load = dyn_cast<kernel::LoadOp>(op))
      consider(&op, Access::of(load));
    else if (auto store = dyn_cast<kernel::StoreOp>(op))
      consider(&op, Access::of(store));
  if (!extent.isConstant())
    plan.conditions.push_back("gc_aligned((gc_i64)" + text.dimName(extent) + ", " + std::to_string(width) + ")");
  return plan;
}

LanePlan RegionEmitter::planLanes(Block &block, Value index, DimAttr extent) {
  unsigned widest = 1;
  const LanePlan single = planLanes(block, index, extent, 1);
  for (Operation *op : single.vectors)
    widest = std::max(widest, elementBytes(cast<RankedTensorType>(op->getOperand(isa<kernel::StoreOp>(op) ? 1 : 0).getType())
                                               .getElementType()));
  for (int64_t width = std::min<int64_t>(8, 16 / widest); width > 1; width /= 2) {
    LanePlan plan = planLanes(block, index, extent, width);
    if (!plan.vectors.empty())
      return plan;
  }
  return single;
}

void RegionEmitter::emitVectorLoad(kernel::LoadOp op, const LanePlan &plan) {
  const Type type = op.getType();
  const std::string array = freshName("v");
  out.line(valueType(type) + " " + array + "[N];");
  out.line("gc_load_elements<" + storageType(type) + ", N>(" + array + ", " + text.bufferName(op.getBuffer()) + " + (" +
           text.offset(Access::of(op), indexName()) + "));");
  setName(op, array + "[lane]");
}

void RegionEmitter::loadItem(kernel::LoadOp op, const std::string &array, Value index, int64_t width) {
  const Access access = Access::of(op);
  const std::string base = name(index), type = storageType(op.getType()), pointer = text.bufferName(op.getBuffer()) + " + (";
  if (text.movement(access, index) == Movement::Contiguous && text.alignment(access, index, width)) {
    out.line("gc_load_elements<" + type + ", N>(" + array + ", " + pointer + text.offset(access, indexName()) + "));");
    return;
  }
  out.line("GC_UNROLL");
  out.open("for (int lane = 0; lane < N; ++lane)");
  out.line("const index " + base + "_lane = " + base + " + lane;");
  setName(index, base + "_lane");
  out.line(array + "[lane] = gc_load_element<" + type + ">(" + pointer + text.offset(access, indexName()) + "));");
  setName(index, base);
  out.close();
}

void RegionEmitter::emitLanes(Block &block, const LanePlan &plan, llvm::function_ref<void(kernel::YieldOp)> yield) {
  for (Operation &op : block) {
    if (auto ready = plan.ready.find(&op); ready != plan.ready.end()) {
      setName(op.getResult(0), ready->second);
      continue;
    }
    if (!plan.vectors.contains(&op))
      continue;
    if (auto load = dyn_cast<kernel::LoadOp>(op)) {
      emitVectorLoad(load, plan);
      continue;
    }
    storeArrays[&op] = freshName("s");
    out.line(valueType(cast<kernel::StoreOp>(op).getValue().getType()) + " " + storeArrays[&op] + "[N];");
  }
  const std::string base = name(plan.index), inLane = base + "_lane";
  out.line("GC_UNROLL");
  out.open("for (int lane = 0; lane < N; ++lane)");
  out.line("const index " + inLane + " = " + base + " + lane;");
  setName(plan.index, inLane);
  for (Operation &op : block) {
    if (auto terminator = dyn_cast<kernel::YieldOp>(op))
      yield(terminator);
    else if (!plan.vectors.contains(&op) && !plan.ready.contains(&op))
      emitOp(op);
    else if (auto store = dyn_cast<kernel::StoreOp>(op))
      out.line(storeArrays[&op] + "[lane] = " + name(store.getValue()) + ";");
  }
  out.close();
  setName(plan.index, base);
  for (Operation &op : block)
    if (auto store = dyn_cast<kernel::StoreOp>(op); store && plan.vectors.contains(&op))
      out.line("gc_store_elements<" + storageType(store.getValue().getType()) + ", N>(" + text.bufferName(store.getBuffer()) +
               " + (" + text.offset(Access::of(store), indexName()) + "), " + storeArrays[&op] + ");");
}

void RegionEmitter::emitOne(Block &block, llvm::function_ref<void(kernel::YieldOp)> yield) {
  for (Operation &op : block)
    if (auto terminator = dyn_cast<kernel::YieldOp>(op))
      yield(terminator);
    else
      emitOp(op);
}

//===-- single ops ----------------------------------------------------------------===//

std::string RegionEmitter::constant(TypedAttr value) {
  const Type type = value.getType();
  if (auto number = dyn_cast<FloatAttr>(value))
    return floatLiteral(number.getValue(), type);
  const llvm::APInt bits = cast<IntegerAttr>(value).getValue();
  if (type.isInteger(1))
    return bits.isZero() ? "false" : "true";
  return "(" + valueType(type) + ")" + hex(bits.getZExtValue()) + (bits.getBitWidth() > 32 ? "ull" : "u");
}

std::string RegionEmitter::loadExpression(kernel::LoadOp op) {
  const Access access = Access::of(op);
  const std::string load = "gc_load_element<" + storageType(op.getType()) + ">(" + text.bufferName(op.getBuffer()) + " + (" +
                           text.offset(access, indexName()) + "))";
  if (!op.getMask())
    return load;
  return text.condition(access, indexName()) + " ? " + load + " : " + name(op.getOtherwise());
}

std::string RegionEmitter::scalarExpression(Operation &op) {
  if (auto number = dyn_cast<scalar::ConstantOp>(op))
    return constant(number.getValue());
  if (auto cast = dyn_cast<scalar::CastOp>(op))
    return "gc_cast<" + castTarget(cast.getType()) + ">(" + name(cast.getX()) + ")";
  if (auto select = dyn_cast<scalar::SelectOp>(op))
    return name(select.getCondition()) + " ? " + name(select.getOnTrue()) + " : " + name(select.getOnFalse());
  if (auto compare = dyn_cast<scalar::CompareOp>(op))
    return name(compare.getLhs()) + comparison(compare.getPredicate()) + name(compare.getRhs());
  // Every other op has a function of its name in kernels/gc_scalar.h.
  SmallVector<std::string> operands;
  if (isa<scalar::IntDivOp, scalar::IntFloorDivOp, scalar::IntRemOp>(op))
    operands.push_back("args");
  for (Value operand : op.getOperands())
    operands.push_back(name(operand));
  return ("gc_" + op.getName().stripDialect() + "(" + llvm::join(operands, ", ") + ")").str();
}

void RegionEmitter::emitStore(kernel::StoreOp op) {
  const Access access = Access::of(op);
  const std::string store = "gc_store_element<" + storageType(op.getValue().getType()) + ">(" +
                            text.bufferName(op.getBuffer()) + " + (" + text.offset(access, indexName()) + "), " +
                            name(op.getValue()) + ");";
  out.line(op.getMask() ? "if (" + text.condition(access, indexName()) + ") " + store : store);
}

void RegionEmitter::emitOp(Operation &op) {
  if (isa<kernel::ReduceOp, kernel::MapOp>(op))
    return emitStage(op);
  if (auto store = dyn_cast<kernel::StoreOp>(op))
    return emitStore(store);
  const std::string fresh = freshName("v");
  std::string expression;
  if (auto load = dyn_cast<kernel::LoadOp>(op))
    expression = loadExpression(load);
  else if (auto value = dyn_cast<kernel::IndexValueOp>(op))
    expression = "(gc_i64)(" + text.affine(value.getMap().getResult(0), value.getIndices(), indexName()) + ")";
  else if (auto check = dyn_cast<kernel::CheckIndexOp>(op))
    expression = "(index)gc_check_index(args, (gc_i64)" + name(check.getValue()) + ", " + text.dimName(check.getExtent()) +
                 ", " + (check.getWrap() ? "true" : "false") + ")";
  else
    expression = scalarExpression(op);
  out.line("const " + valueType(op.getResult(0).getType()) + " " + fresh + " = " + expression + ";");
  setName(op.getResult(0), fresh);
}

//===-- stages ------------------------------------------------------------------------===//

std::string RegionEmitter::monoidType(Monoid monoid) {
  switch (monoid) {
  case Monoid::argmax:
    return "gc_arg_op<true>";
  case Monoid::argmin:
    return "gc_arg_op<false>";
  default:
    return "gc_" + kernel::stringifyMonoid(monoid).str() + "_op";
  }
}

SmallVector<std::string> RegionEmitter::declareAccumulators(kernel::ReduceOp op) {
  SmallVector<std::string> result;
  unsigned first = 0;
  for (Monoid monoid : kernel::getMonoids(op)) {
    const Type type = op.getResult(first).getType();
    const std::string fresh = freshName("a"), neutral = constant(kernel::getNeutralElement(monoid, type));
    if (kernel::getArity(monoid) == 2)
      out.line("gc_indexed<" + valueType(type) + "> " + fresh + " = {" + neutral + ", 0x7fffffffffffffffll};");
    else
      out.line(valueType(type) + " " + fresh + " = " + neutral + ";");
    result.push_back(fresh);
    first += kernel::getArity(monoid);
  }
  return result;
}

void RegionEmitter::accumulate(kernel::ReduceOp op, ArrayRef<std::string> accumulators, kernel::YieldOp yield) {
  unsigned first = 0;
  for (auto [monoid, accumulator] : llvm::zip(kernel::getMonoids(op), accumulators)) {
    const Type type = op.getResult(first).getType();
    std::string value = name(yield.getValues()[first]);
    if (kernel::getArity(monoid) == 2)
      value = "gc_indexed<" + valueType(type) + ">{" + value + ", " + name(yield.getValues()[first + 1]) + "}";
    out.line(accumulator + " = " + monoidType(monoid) + "::combine(" + accumulator + ", " + value + ");");
    first += kernel::getArity(monoid);
  }
}

void RegionEmitter::bindResults(kernel::ReduceOp op, ArrayRef<std::string> accumulators) {
  unsigned first = 0;
  for (auto [monoid, accumulator] : llvm::zip(kernel::getMonoids(op), accumulators)) {
    if (kernel::getArity(monoid) == 2) {
      setName(op.getResult(first), accumulator + ".value");
      setName(op.getResult(first + 1), accumulator + ".index");
    } else {
      setName(op.getResult(first), accumulator);
    }
    first += kernel::getArity(monoid);
  }
}

void RegionEmitter::openLoops(ValueRange indices, ArrayRef<DimAttr> extents) {
  for (auto [index, extent] : llvm::zip(indices, extents)) {
    const std::string fresh = freshName("i");
    out.line("GC_ROLLED");
    out.open("for (index " + fresh + " = 0; " + fresh + " < " + text.dimName(extent) + "; ++" + fresh + ")");
    setName(index, fresh);
  }
}

void RegionEmitter::emitStage(Operation &op) {
  Block &block = op.getRegion(0).front();
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  const SmallVector<DimAttr> extents = dimsOf(reduce ? reduce.getExtents() : cast<kernel::MapOp>(op).getExtents());
  SmallVector<std::string> accumulators;
  if (reduce)
    accumulators = declareAccumulators(reduce);
  openLoops(block.getArguments(), extents);
  emitOne(block, [&](kernel::YieldOp yield) { accumulate(reduce, accumulators, yield); });
  for (size_t i = 0; i < extents.size(); ++i)
    out.close();
  if (reduce)
    bindResults(reduce, accumulators);
}

} // namespace graphc::cuda
