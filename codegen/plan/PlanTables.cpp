// See PlanTables.h.
#include "codegen/plan/PlanTables.h"
#include "ir/support/Check.h"
#include "ir/support/Location.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::codegen;

plan::DType codegen::getDType(Type type) {
  if (type.isF16())
    return plan::DType::F16;
  if (type.isBF16())
    return plan::DType::BF16;
  if (type.isF32())
    return plan::DType::F32;
  if (type.isF64())
    return plan::DType::F64;
  if (type.isUnsignedInteger(8))
    return plan::DType::U8;
  switch (type.getIntOrFloatBitWidth()) {
  case 1: return plan::DType::Bool;
  case 8: return plan::DType::I8;
  case 16: return plan::DType::I16;
  case 32: return plan::DType::I32;
  case 64: return plan::DType::I64;
  }
  reportInternalError("getDType", "a tensor has an element type that plans don't know", __FILE__, __LINE__);
}

graph::DimAttr codegen::getByteSize(RankedTensorType type) {
  int64_t elementBytes = (type.getElementTypeBitWidth() + 7) / 8;
  return graph::getNumElements(type) * graph::DimAttr::constant(type.getContext(), elementBytes);
}

std::vector<int32_t> PlanTables::dimsOf(RankedTensorType type) {
  std::vector<int32_t> result;
  for (graph::DimAttr extent : graph::getDims(type))
    result.push_back(dim(extent));
  return result;
}

std::vector<uint32_t> PlanTables::orderOf(RankedTensorType type) {
  SmallVector<int64_t> order = graph::getOrder(type);
  if (llvm::is_sorted(order))
    return {};
  return std::vector<uint32_t>(order.begin(), order.end());
}

//===-- locations -------------------------------------------------------------------===//

std::vector<uint32_t> PlanTables::locations(Location loc) {
  std::vector<uint32_t> result;
  if (built.plan->locations.empty())
    built.plan->locations.push_back(std::make_unique<plan::LocationT>()); // [0] is unknown
  for (const SourceLine &line : getSourceLines(loc)) {
    auto [it, isNew] = locationsByText.try_emplace({line.file, line.modulePath, line.line, line.column}, built.plan->locations.size());
    if (isNew) {
      auto location = std::make_unique<plan::LocationT>();
      location->file = line.file;
      location->line = line.line;
      location->column = line.column;
      location->module_path = line.modulePath;
      built.plan->locations.push_back(std::move(location));
    }
    result.push_back(it->second);
  }
  return result;
}

uint32_t PlanTables::location(Location loc) {
  std::vector<uint32_t> all = locations(loc);
  return all.empty() ? 0 : all[0];
}

//===-- constants --------------------------------------------------------------------===//

/// Elements as the runtime stores them. Splats and packed bools are expanded; all else is the attribute's own memory.
static ConstantBytes getBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    GRAPHC_CHECK(blob, "a constant's resource has no data");
    return {std::as_bytes(std::span(blob->getData().data(), blob->getData().size())), nullptr};
  }
  auto dense = cast<DenseElementsAttr>(value);
  Type type = dense.getElementType();
  int64_t count = dense.getNumElements();
  if (!type.isInteger(1) && (!dense.isSplat() || count == 1))
    return {std::as_bytes(std::span(dense.getRawData().data(), dense.getRawData().size())), nullptr};
  auto bytes = std::make_shared<std::vector<std::byte>>();
  if (type.isInteger(1)) {
    for (bool b : dense.getValues<bool>())
      bytes->push_back(std::byte(b));
  } else {
    ArrayRef<char> element = dense.getRawData();
    for (int64_t i = 0; i < count; ++i)
      for (char c : element)
        bytes->push_back(std::byte(c));
  }
  return {std::span(bytes->data(), bytes->size()), bytes};
}

uint32_t PlanTables::constant(ElementsAttr value, StringRef fqn, StringRef packing) {
  auto [it, isNew] = constants.try_emplace(value, built.plan->constants.size());
  if (!isNew)
    return it->second;
  auto type = cast<RankedTensorType>(value.getType());
  auto constant = std::make_unique<plan::ConstantT>();
  constant->fqn = fqn.str();
  constant->packing = packing.str();
  constant->dtype = getDType(type.getElementType());
  constant->dims.assign(type.getShape().begin(), type.getShape().end());
  built.constants.push_back(getBytes(value));
  constant->size = built.constants.back().bytes.size();
  built.plan->constants.push_back(std::move(constant));
  return it->second;
}

//===-- symbols and dims ----------------------------------------------------------------===//

/// Where a run finds the symbol: a dim of an input, else of a state, that is the symbol alone.
static bool findOrigin(ModuleOp module, StringRef name, plan::SymbolT &symbol, const llvm::StringMap<uint32_t> &states) {
  auto findDim = [&](RankedTensorType type) -> std::optional<uint32_t> {
    for (auto [i, dim] : llvm::enumerate(graph::getDims(type)))
      if (dim.getKind() == graph::DimKind::Symbol && dim.getSymbol().getValue() == name)
        return i;
    return std::nullopt;
  };
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments())
      if (std::optional<uint32_t> d = findDim(cast<RankedTensorType>(argument.getType()))) {
        symbol.source = plan::SymbolSource::InputDim;
        symbol.index = argument.getArgNumber();
        symbol.dim = *d;
        return true;
      }
  bool found = false;
  module.walk([&](graph::ReadStateOp read) {
    std::optional<uint32_t> d = findDim(cast<RankedTensorType>(read.getType()));
    if (!d || found)
      return;
    symbol.source = plan::SymbolSource::StateDim;
    symbol.index = states.lookup(read.getState());
    symbol.dim = *d;
    found = true;
  });
  return found;
}

llvm::Error PlanTables::addSymbols() {
  llvm::StringMap<uint32_t> states;
  for (auto [i, state] : llvm::enumerate(module.getOps<graph::StateOp>()))
    states[state.getSymName()] = i;
  for (auto op : module.getOps<graph::SymbolOp>()) {
    auto symbol = std::make_unique<plan::SymbolT>();
    symbol->name = op.getSymName().str();
    symbol->min = op.getMin();
    if (op.getMax())
      symbol->max = *op.getMax();
    symbol->origin = op.getOrigin().str();
    if (!findOrigin(module, op.getSymName(), *symbol, states))
      continue; // no input or state has it, so nothing can depend on it (finishDims checks)
    symbols[op.getSymName()] = built.plan->symbols.size();
    built.plan->symbols.push_back(std::move(symbol));
  }
  return llvm::Error::success();
}

static plan::DimOp getDimOp(graph::DimKind kind) {
  switch (kind) {
  case graph::DimKind::Add: return plan::DimOp::Add;
  case graph::DimKind::Sub: return plan::DimOp::Sub;
  case graph::DimKind::Mul: return plan::DimOp::Mul;
  case graph::DimKind::FloorDiv: return plan::DimOp::FloorDiv;
  case graph::DimKind::CeilDiv: return plan::DimOp::CeilDiv;
  case graph::DimKind::Mod: return plan::DimOp::Mod;
  case graph::DimKind::Min: return plan::DimOp::Min;
  case graph::DimKind::Max: return plan::DimOp::Max;
  case graph::DimKind::Shl: return plan::DimOp::Shl;
  case graph::DimKind::Shr: return plan::DimOp::Shr;
  default: reportInternalError("getDimOp", "not a binary dim operation", __FILE__, __LINE__);
  }
}

static plan::DimOp getDimOp(graph::DimPredicate predicate) {
  switch (predicate) {
  case graph::DimPredicate::Eq: return plan::DimOp::Eq;
  case graph::DimPredicate::Ne: return plan::DimOp::Ne;
  case graph::DimPredicate::Lt: return plan::DimOp::Lt;
  case graph::DimPredicate::Le: return plan::DimOp::Le;
  case graph::DimPredicate::Gt: return plan::DimOp::Gt;
  case graph::DimPredicate::Ge: return plan::DimOp::Ge;
  }
  reportInternalError("getDimOp", "unknown dim predicate", __FILE__, __LINE__);
}

/// Postfix; symbols that no run knows are left to finishDims.
void PlanTables::appendCode(graph::DimAttr dim, std::vector<plan::DimInstr> &code) {
  if (dim.isConstant())
    return code.push_back(plan::DimInstr(plan::DimOp::Const, dim.getValue()));
  if (dim.getKind() == graph::DimKind::Symbol) {
    auto known = symbols.find(dim.getSymbol().getValue());
    return code.push_back(plan::DimInstr(plan::DimOp::Symbol, known == symbols.end() ? -1 : int64_t(known->second)));
  }
  appendCode(dim.operand(0), code);
  appendCode(dim.operand(1), code);
  if (dim.getKind() != graph::DimKind::Select)
    return code.push_back(plan::DimInstr(getDimOp(dim.getKind()), 0));
  code.push_back(plan::DimInstr(getDimOp(graph::DimPredicate(dim.getValue())), 0));
  appendCode(dim.operand(2), code);
  appendCode(dim.operand(3), code);
  code.push_back(plan::DimInstr(plan::DimOp::Select, 0));
}

llvm::Error PlanTables::finishDims() {
  for (graph::DimAttr dim : dims.getDims()) {
    auto expr = std::make_unique<plan::DimExprT>();
    appendCode(dim, expr->code);
    for (const plan::DimInstr &instr : expr->code)
      if (instr.op() == plan::DimOp::Symbol && instr.value() < 0)
        return llvm::createStringError("the dim '" + dim.str() + "' depends on a symbol that is no dim of an input or a state");
    built.plan->dims.push_back(std::move(expr));
  }
  return llvm::Error::success();
}
