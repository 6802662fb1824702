// The graph dialect's registration, and what its structural ops verify.
#include "ir/graph/GraphSupport.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

#include "ir/graph/GraphDialect.cpp.inc"
#include "ir/graph/GraphEnums.cpp.inc"
#include "ir/graph/GraphInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/graph/GraphAttrs.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/graph/GraphAttrs.cpp.inc"
      >();
  registerGraphDialectOperations(this); // sharded: GraphOps0.cpp …
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements && elements.getType() == type ? ConstantOp::create(builder, loc, type, elements) : nullptr;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// Bytes that a dense_resource must have for its type; bool takes one byte an element.
static LogicalResult verifyResource(Operation *op, ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return success();
  auto type = cast<RankedTensorType>(value.getType());
  uint64_t bits = type.getElementTypeBitWidth(), expected = type.getNumElements() * ((bits + 7) / 8);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  uint64_t found = blob ? blob->getData().size() : 0;
  return found == expected ? success() : op->emitOpError("resource has ") << found << " bytes, its type needs " << expected;
}

LogicalResult ParameterOp::verify() { return verifyResource(*this, getValue()); }

LogicalResult GuardOp::verify() {
  if (!parsePredicate(getPredicate()))
    return emitOpError("unknown predicate '") << getPredicate() << "'";
  return success();
}

std::optional<bool> graph::evaluateGuard(GuardOp guard, const llvm::StringMap<int64_t> &symbols) {
  std::optional<int64_t> a = guard.getLhs().evaluate(symbols), b = guard.getRhs().evaluate(symbols);
  return a && b ? std::optional(holds(*parsePredicate(guard.getPredicate()), *a, *b)) : std::nullopt;
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError("names ") << getParameterAttr() << ", which is no graph.parameter";
  if (parameter.getValue().getType() != getType())
    return emitOpError("has type ") << getType() << ", the parameter " << parameter.getValue().getType();
  return success();
}

template <typename Op> static LogicalResult verifyState(Op op, Type type, SymbolTableCollection &symbols) {
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, op.getStateAttr());
  if (!state)
    return op.emitOpError("names ") << op.getStateAttr() << ", which is no graph.state";
  Type element = cast<RankedTensorType>(state.getInitial().getType()).getElementType();
  if (cast<RankedTensorType>(type).getElementType() != element)
    return op.emitOpError("element type differs from the state's, ") << element;
  return success();
}
LogicalResult ReadStateOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyState(*this, getType(), symbols); }
LogicalResult WriteStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyState(*this, getValue().getType(), symbols);
}
