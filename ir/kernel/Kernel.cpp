// The kernel dialect's registration, builders, assembly forms and verifiers.
#include "ir/kernel/Kernel.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::kernel;

#include "ir/kernel/KernelDialect.cpp.inc"
#include "ir/kernel/KernelEnums.cpp.inc"
#define GET_OP_CLASSES
#include "ir/kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/kernel/KernelOps.cpp.inc"
      >();
}

//===-- shared pieces ---------------------------------------------------------===//

namespace {

/// `%i : 8, %j : "2*B"`, as block arguments of index type and #graph.dim extents.
ParseResult parseIndexList(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments, SmallVectorImpl<Attribute> &extents) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument argument;
    graph::DimAttr extent;
    if (parser.parseArgument(argument) || parser.parseColon() || parser.parseCustomAttributeWithFallback(extent, Type()))
      return failure();
    argument.type = parser.getBuilder().getIndexType();
    arguments.push_back(argument);
    extents.push_back(extent);
    return success();
  });
}

void printIndexList(OpAsmPrinter &printer, ValueRange indices, ArrayAttr extents) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(indices, extents), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " : ";
    printer.printStrippedAttrOrType(cast<graph::DimAttr>(std::get<1>(pair)));
  });
  printer << ')';
}

LogicalResult verifyExtents(Operation *op, ArrayAttr extents, Block &body, unsigned firstIndex) {
  if (!llvm::all_of(extents, llvm::IsaPred<graph::DimAttr>))
    return op->emitOpError("extents must be #graph.dim attributes");
  if (body.getNumArguments() != firstIndex + extents.size())
    return op->emitOpError("has ") << extents.size() << " extents, its region takes " << body.getNumArguments() - firstIndex << " indices";
  for (BlockArgument index : body.getArguments().drop_front(firstIndex))
    if (!index.getType().isIndex())
      return op->emitOpError("region indices must have index type");
  return success();
}

LogicalResult verifyAccess(Operation *op, AffineMap map, std::optional<IntegerSet> mask, RankedTensorType buffer, unsigned numIndices) {
  if (map.getNumResults() != buffer.getRank())
    return op->emitOpError("access map gives ") << map.getNumResults() << " coordinates, the buffer has rank " << buffer.getRank();
  if (map.getNumDims() != numIndices || (mask && mask->getNumDims() != numIndices))
    return op->emitOpError("access map and mask take as many dims as there are index operands (") << numIndices << ")";
  auto func = op->getParentOfType<FuncOp>();
  unsigned symbols = func ? func.getSymbols().size() : 0;
  if (map.getNumSymbols() > symbols || (mask && mask->getNumSymbols() > symbols))
    return op->emitOpError("access map or mask uses more symbols than the kernel has (") << symbols << ")";
  return success();
}

std::optional<IntegerSet> getSet(std::optional<IntegerSet> set) { return set; }

} // namespace

SmallVector<Monoid> graphc::kernel::getMonoids(ReduceOp op) {
  return llvm::map_to_vector(op.getMonoids(), [](Attribute a) { return Monoid(cast<IntegerAttr>(a).getInt()); });
}

TypedAttr graphc::kernel::getNeutralElement(Monoid monoid, Type type) {
  Builder b(type.getContext());
  bool low = monoid == Monoid::max || monoid == Monoid::argmax, high = monoid == Monoid::min || monoid == Monoid::argmin;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (low || high)
      return b.getFloatAttr(type, llvm::APFloat::getInf(floatType.getFloatSemantics(), low));
    return b.getFloatAttr(type, monoid == Monoid::prod ? 1.0 : 0.0);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  if (low)
    return b.getIntegerAttr(type, isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width));
  if (high)
    return b.getIntegerAttr(type, isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  return b.getIntegerAttr(type, APInt(width, monoid == Monoid::prod || monoid == Monoid::all ? 1 : 0));
}

ReduceOp graphc::kernel::createReduce(OpBuilder &builder, Location loc, ArrayRef<graph::DimAttr> extents, ArrayRef<Monoid> monoids,
                                      TypeRange resultTypes) {
  SmallVector<Attribute> monoidAttrs, extentAttrs(extents.begin(), extents.end());
  for (Monoid monoid : monoids)
    monoidAttrs.push_back(MonoidAttr::get(builder.getContext(), monoid));
  auto op = ReduceOp::create(builder, loc, resultTypes, builder.getArrayAttr(extentAttrs), builder.getArrayAttr(monoidAttrs));
  Block &block = op.getBody().emplaceBlock();
  for (size_t i = 0; i < extents.size(); ++i)
    block.addArgument(builder.getIndexType(), loc);
  return op;
}

MapOp graphc::kernel::createMap(OpBuilder &builder, Location loc, ArrayRef<graph::DimAttr> extents) {
  SmallVector<Attribute> extentAttrs(extents.begin(), extents.end());
  auto op = MapOp::create(builder, loc, builder.getArrayAttr(extentAttrs));
  Block &block = op.getBody().emplaceBlock();
  for (size_t i = 0; i < extents.size(); ++i)
    block.addArgument(builder.getIndexType(), loc);
  return op;
}

//===-- kernel.func -------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, TypeRange inputs, TypeRange outputs,
                   ArrayRef<graph::DimAttr> grid) {
  SmallVector<Attribute> extents(grid.begin(), grid.end());
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getInputTypesAttrName(state.name), builder.getTypeArrayAttr(inputs));
  state.addAttribute(getOutputTypesAttrName(state.name), builder.getTypeArrayAttr(outputs));
  state.addAttribute(getGridAttrName(state.name), builder.getArrayAttr(extents));
  state.addAttribute(getSymbolsAttrName(state.name), builder.getArrayAttr({}));
  Block &block = state.addRegion()->emplaceBlock();
  for (Type type : llvm::concat<Type>(llvm::to_vector(inputs), llvm::to_vector(outputs)))
    block.addArgument(type, state.location);
  for (size_t i = 0; i < grid.size(); ++i)
    block.addArgument(builder.getIndexType(), state.location);
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> inputs, outputs, indices;
  SmallVector<Attribute> grid;
  ArrayAttr symbols = parser.getBuilder().getArrayAttr({});
  if (parser.parseSymbolName(name) || parser.parseArgumentList(inputs, AsmParser::Delimiter::Paren, true) ||
      parser.parseKeyword("outs") || parser.parseArgumentList(outputs, AsmParser::Delimiter::Paren, true) ||
      parser.parseKeyword("grid") || parseIndexList(parser, indices, grid))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("symbols")) && parser.parseAttribute(symbols))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  auto types = [&](ArrayRef<OpAsmParser::Argument> arguments) {
    return parser.getBuilder().getTypeArrayAttr(llvm::map_to_vector(arguments, [](auto &a) { return a.type; }));
  };
  result.addAttribute(getSymNameAttrName(result.name), name);
  result.addAttribute(getInputTypesAttrName(result.name), types(inputs));
  result.addAttribute(getOutputTypesAttrName(result.name), types(outputs));
  result.addAttribute(getGridAttrName(result.name), parser.getBuilder().getArrayAttr(grid));
  result.addAttribute(getSymbolsAttrName(result.name), symbols);
  SmallVector<OpAsmParser::Argument> all(inputs);
  llvm::append_range(all, outputs);
  llvm::append_range(all, indices);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, all))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void FuncOp::print(OpAsmPrinter &printer) {
  auto printArguments = [&](unsigned first, unsigned count) {
    printer << '(';
    llvm::interleaveComma(getBody().getArguments().slice(first, count), printer,
                          [&](BlockArgument a) { printer.printRegionArgument(a); });
    printer << ')';
  };
  printer << ' ';
  printer.printSymbolName(getSymName());
  printArguments(0, getNumInputs());
  printer << " outs";
  printArguments(getNumInputs(), getNumOutputs());
  printer << " grid";
  printIndexList(printer, getBody().getArguments().drop_front(getNumInputs() + getNumOutputs()), getGrid());
  if (!getSymbols().empty())
    printer << " symbols " << getSymbols();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSymNameAttrName(), getInputTypesAttrName(), getOutputTypesAttrName(),
                                                                 getGridAttrName(), getSymbolsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), false, false);
}

LogicalResult FuncOp::verify() {
  unsigned buffers = getNumInputs() + getNumOutputs();
  if (getBody().getNumArguments() < buffers)
    return emitOpError("region lacks arguments for its buffers");
  for (unsigned i = 0; i < buffers; ++i) {
    Type expected = cast<TypeAttr>(i < getNumInputs() ? getInputTypes()[i] : getOutputTypes()[i - getNumInputs()]).getValue();
    if (getBody().getArgument(i).getType() != expected)
      return emitOpError("buffer ") << i << " has type " << getBody().getArgument(i).getType() << ", the signature says " << expected;
    if (!isa<RankedTensorType>(expected))
      return emitOpError("buffer ") << i << " is not a ranked tensor";
  }
  if (!llvm::all_of(getSymbols(), llvm::IsaPred<graph::DimAttr>))
    return emitOpError("symbols must be #graph.dim attributes");
  for (ContractOp contract : getBody().getOps<ContractOp>())
    for (Operation &other : getBody().front())
      if (&other != contract && !isa<scalar::ScalarDialect>(other.getDialect()))
        return emitOpError("a kernel.contract stands alone in its kernel");
  return verifyExtents(*this, getGrid(), getBody().front(), buffers);
}

FuncOp::Root FuncOp::getRoot() {
  Root root = Root::Pointwise;
  for (Operation &op : getBody().front()) {
    if (isa<ContractOp>(op))
      return Root::Contraction;
    if (isa<MapOp>(op))
      return Root::Row;
    if (isa<ReduceOp>(op))
      root = Root::Reduce;
  }
  return root;
}

//===-- accesses ------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  auto type = cast<RankedTensorType>(getBuffer().getType());
  if (getResult().getType() != type.getElementType())
    return emitOpError("loads ") << getResult().getType() << " from a buffer of " << type.getElementType();
  if (bool(getMask()) != bool(getOtherwise()) || (getOtherwise() && getOtherwise().getType() != getResult().getType()))
    return emitOpError("a mask and an 'else' value of the element type come together");
  return verifyAccess(*this, getMap(), getSet(getMask()), type, getIndices().size());
}

LogicalResult StoreOp::verify() {
  auto type = cast<RankedTensorType>(getBuffer().getType());
  if (getValue().getType() != type.getElementType())
    return emitOpError("stores ") << getValue().getType() << " to a buffer of " << type.getElementType();
  auto argument = dyn_cast<BlockArgument>(getBuffer());
  auto func = (*this)->getParentOfType<FuncOp>();
  if (!argument || !func || argument.getOwner() != &func.getBody().front() || argument.getArgNumber() < func.getNumInputs())
    return emitOpError("stores to something that is not an output of the kernel");
  return verifyAccess(*this, getMap(), getSet(getMask()), type, getIndices().size());
}

LogicalResult IndexValueOp::verify() {
  if (getMap().getNumResults() != 1 || getMap().getNumDims() != getIndices().size())
    return emitOpError("takes a map of its indices to one value");
  return success();
}

//===-- stages ------------------------------------------------------------------===//

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<Attribute> extents, monoids;
  SmallVector<Type> types;
  auto parseMonoid = [&]() -> ParseResult {
    StringRef word;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<Monoid> monoid = symbolizeMonoid(word);
    if (!monoid)
      return parser.emitError(loc) << "unknown monoid '" << word << "': expected sum, prod, max, min, any, all, argmax or argmin";
    monoids.push_back(MonoidAttr::get(parser.getContext(), *monoid));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseMonoid) || parser.parseKeyword("over") ||
      parseIndexList(parser, indices, extents) || parser.parseArrowTypeList(types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*result.addRegion(), indices))
    return failure();
  result.addAttribute(getExtentsAttrName(result.name), parser.getBuilder().getArrayAttr(extents));
  result.addAttribute(getMonoidsAttrName(result.name), parser.getBuilder().getArrayAttr(monoids));
  result.addTypes(types);
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << " [";
  llvm::interleaveComma(kernel::getMonoids(*this), printer, [&](Monoid m) { printer << stringifyMonoid(m); });
  printer << "] over ";
  printIndexList(printer, getBody().getArguments(), getExtents());
  printer.printArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getExtentsAttrName(), getMonoidsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), false, true);
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyExtents(*this, getExtents(), getBody().front(), 0)))
    return failure();
  unsigned expected = 0;
  for (Monoid monoid : kernel::getMonoids(*this))
    expected += getArity(monoid);
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield || yield.getNumOperands() != expected || getNumResults() != expected)
    return emitOpError("its monoids take and give ") << expected << " values";
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("yields other types than its results have");
  return success();
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<Attribute> extents;
  if (parseIndexList(parser, indices, extents) || parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), indices))
    return failure();
  result.addAttribute(getExtentsAttrName(result.name), parser.getBuilder().getArrayAttr(extents));
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printIndexList(printer, getBody().getArguments(), getExtents());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getExtentsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), false, false);
}

LogicalResult MapOp::verify() { return verifyExtents(*this, getExtents(), getBody().front(), 0); }

LogicalResult ContractOp::verify() {
  auto func = (*this)->getParentOfType<FuncOp>();
  unsigned grid = func ? func.getNumGridDims() : 0, m = getMExtents().size(), n = getNExtents().size(), k = getKExtents().size();
  if (getLhsMap().getNumDims() != grid + m + k || getLhsMap().getNumResults() != cast<RankedTensorType>(getLhs().getType()).getRank())
    return emitOpError("lhs map must take grid, m and k indices to the lhs's dims");
  if (getPanel() == 0 &&
      (getRhsMap().getNumDims() != grid + n + k || getRhsMap().getNumResults() != cast<RankedTensorType>(getRhs().getType()).getRank()))
    return emitOpError("rhs map must take grid, n and k indices to the rhs's dims");
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 + m + n)
    return emitOpError("epilogue takes the accumulator, then m and n indices");
  if (!block.getOps<ReduceOp>().empty())
    return emitOpError("epilogue is of single elements, and has a reduction");
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getKernelAttr());
  if (!func)
    return emitOpError("launches ") << getKernelAttr() << ", which is no kernel.func";
  auto matches = [](TypeRange types, ArrayAttr expected) {
    return llvm::equal(types, expected.getAsValueRange<TypeAttr>());
  };
  if (!matches(getInputs().getTypes(), func.getInputTypes()) || !matches(getOutputs().getTypes(), func.getOutputTypes()))
    return emitOpError("operand or result types differ from the kernel's");
  return success();
}

namespace {
struct RoutineShape {
  size_t inputs, outputs, options;
};
} // namespace

static RoutineShape getShape(Routine routine) {
  switch (routine) {
  case Routine::cummax:
  case Routine::cummin: return {1, 2, 1};
  case Routine::sort: return {1, 2, 2};
  case Routine::scatter: return {3, 1, 3};
  case Routine::eliminate: return {1, 2, 3};
  case Routine::cholesky: return {1, 2, 2};
  default: return {1, 1, 1};
  }
}

LogicalResult RoutineOp::verify() {
  RoutineShape shape = getShape(getRoutine());
  if (getInputs().size() != shape.inputs || getOutputs().size() != shape.outputs || getConfig().size() != shape.options)
    return emitOpError() << stringifyRoutine(getRoutine()) << " takes " << shape.inputs << " operands and " << shape.options << " options and gives " << shape.outputs
                         << " results";
  SmallVector<Value> values(getInputs());
  llvm::append_range(values, getOutputs());
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    if (getConfig()[0] < 0 || getConfig()[0] >= type.getRank())
      return emitOpError() << "dim " << getConfig()[0] << " is outside " << type;
  }
  return success();
}
