// Turns groups of graph ops into kernel.launch over kernel.func.
//
// Input: functions of graph ops; ops with equal `graph.group` numbers become one kernel (FuseKernels numbers them), an op without is a kernel of its own.
// Output: in functions remain graph.get, constant, read_state, write_state, guard, kernel.launch, kernel.alias (a view that moves nothing), kernel.join
// (a concatenation that moves nothing) and return.
//
//   %0 = graph.linear %x, %w {graph.group = 0}          kernel.func @linear_relu(…) { kernel.contract … }
//   %1 = graph.relu %0 {graph.group = 0}           ->   %1 = kernel.launch @linear_relu(%x, %w)
//
// Conventions: docs/AddAPass.md, "From groups to launches". Kernels of equal content are one kernel.func.
#include "passes/Passes.h"
#include "passes/outline/Groups.h"
#include "passes/outline/KernelEmitter.h"
#include "passes/outline/Views.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;

namespace {

/// How the grid and the inner domain of a kernel enumerate the elements of an output: factors of its dims, outermost in memory first.
struct Domain {
  SmallVector<graph::DimAttr> extents;
  SmallVector<AffineExpr> index; // of the output, one expression per dim, over the factors
};

Domain getDomain(RankedTensorType type) {
  MLIRContext *context = type.getContext();
  Domain domain;
  domain.index.assign(type.getRank(), getAffineConstantExpr(0, context));
  for (int64_t d : graph::getOrder(type)) {
    if (!type.isDynamicDim(d) && type.getDimSize(d) == 1)
      continue;
    domain.index[d] = getAffineDimExpr(domain.extents.size(), context);
    domain.extents.push_back(graph::getDim(type, d));
  }
  return domain;
}

/// A constant factor by which an access divides factor `d` alone; 0 where there is none.
int64_t findSplit(ArrayRef<AffineExpr> accesses, unsigned d, int64_t extent) {
  int64_t split = 0;
  for (AffineExpr access : accesses)
    access.walk([&](AffineExpr part) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(part);
      if (!binary || (part.getKind() != AffineExprKind::FloorDiv && part.getKind() != AffineExprKind::Mod))
        return;
      auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (divisor && binary.getLHS() == getAffineDimExpr(d, part.getContext()) && divisor.getValue() > 1 && extent % divisor.getValue() == 0 &&
          divisor.getValue() < extent)
        split = split == 0 ? divisor.getValue() : std::min(split, divisor.getValue());
    });
  return split;
}

/// Splits factor `d` into (d, d + 1) of extents (extent / inner, inner).
void splitFactor(Domain &domain, unsigned d, int64_t inner) {
  MLIRContext *context = domain.extents[d].getContext();
  SmallVector<AffineExpr> replacements;
  for (unsigned i = 0; i < domain.extents.size(); ++i) {
    AffineExpr same = getAffineDimExpr(i > d ? i + 1 : i, context);
    replacements.push_back(i == d ? same * inner + getAffineDimExpr(d + 1, context) : same);
  }
  for (AffineExpr &expr : domain.index)
    expr = expr.replaceDims(replacements);
  int64_t extent = domain.extents[d].getValue();
  domain.extents[d] = graph::DimAttr::constant(context, extent / inner);
  domain.extents.insert(domain.extents.begin() + d + 1, graph::DimAttr::constant(context, inner));
}

using Emitter = std::unique_ptr<KernelEmitter>;

class Outliner {
public:
  Outliner(ModuleOp module, KernelEmitter::Rounding rounding) : module(module), rounding(rounding), symbols(module) {}

  void run(func::FuncOp function);

private:
  void outline(const Group &group);
  bool outlineAlias(const Group &group);
  bool outlineJoin(const Group &group);
  Emitter emitElements(const Group &group);
  Emitter emitElements(const Group &group, const Domain &domain, ArrayRef<bool> inner);
  Emitter emitContraction(const Group &group);
  void launch(const Group &group, KernelEmitter &emitter);
  StringAttr addKernel(kernel::FuncOp func, StringRef name);
  Emitter makeEmitter(const Group &group, ArrayRef<graph::DimAttr> grid);

  ModuleOp module;
  KernelEmitter::Rounding rounding;
  SymbolTable symbols;
  llvm::StringMap<StringAttr> kernelsByText;
  llvm::DenseSet<Value> joined; // launch results that lie in a join
};

Emitter Outliner::makeEmitter(const Group &group, ArrayRef<graph::DimAttr> grid) {
  auto isFused = [&group](Operation *op) { return llvm::is_contained(group.ops, op); };
  return std::make_unique<KernelEmitter>(group.ops[0]->getContext(), getGroupLoc(group), ValueRange(group.outputs).getTypes(), grid, isFused,
                                         rounding);
}

/// All outputs over `domain`; the factors in `inner` become a kernel.map.
Emitter Outliner::emitElements(const Group &group, const Domain &domain, ArrayRef<bool> inner) {
  SmallVector<graph::DimAttr> gridExtents, innerExtents;
  for (auto [extent, isInner] : llvm::zip(domain.extents, inner))
    (isInner ? innerExtents : gridExtents).push_back(extent);
  Emitter emitter = makeEmitter(group, gridExtents);
  SmallVector<AffineExpr> gridIndex(emitter->gridIndex()), innerIndex, factors;
  if (!innerExtents.empty())
    innerIndex = emitter->openMap(innerExtents);
  unsigned nextGrid = 0, nextInner = 0;
  for (bool isInner : inner)
    factors.push_back(isInner ? innerIndex[nextInner++] : gridIndex[nextGrid++]);
  SmallVector<AffineExpr> index = llvm::map_to_vector(domain.index, [&](AffineExpr expr) { return expr.replaceDims(factors); });
  SmallVector<Value> values;
  for (Value output : group.outputs)
    values.push_back(emitter->element(output, index));
  for (auto [number, value] : llvm::enumerate(values))
    emitter->store(value, number, index);
  return emitter;
}

Emitter Outliner::emitElements(const Group &group) {
  Domain domain = getDomain(cast<RankedTensorType>(group.outputs[0].getType()));
  Emitter emitter;
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    emitter = emitElements(group, domain, SmallVector<bool>(domain.extents.size(), false));
    bool changed = false;
    for (unsigned d = 0; d < domain.extents.size() && !changed; ++d)
      if (domain.extents[d].isConstant())
        if (int64_t split = findSplit(emitter->getAccesses(), d, domain.extents[d].getValue())) {
          splitFactor(domain, d, split);
          changed = true;
        }
    if (!changed)
      break;
  }
  // Factors that a row's statistics don't depend on are its inside.
  SmallVector<bool> outside(domain.extents.size(), true);
  for (const SmallVector<bool> &uses : emitter->getReductions())
    for (unsigned d = 0; d < outside.size(); ++d)
      outside[d] = outside[d] && uses[d];
  if (llvm::all_of(outside, [](bool b) { return b; }))
    return emitter;
  return emitElements(group, domain, llvm::map_to_vector(outside, [](bool b) { return !b; }));
}

Emitter Outliner::emitContraction(const Group &group) {
  kernel::ContractionSpec spec = graph::ContractionOpInterface(group.contraction).getContraction();
  Emitter emitter = makeEmitter(group, spec.grid);
  KernelEmitter::Contraction contraction = emitter->openContraction(spec);
  GRAPHC_CHECK(contraction.op, "an operand of a contraction is computed inside its group");
  std::optional<SmallVector<OutputElement>> elements = emitEpilogue(*emitter, group, contraction);
  GRAPHC_CHECK(elements, "a view in an epilogue has no inverse");
  for (auto [number, element] : llvm::enumerate(*elements))
    emitter->store(element.value, number, element.index);
  return emitter;
}

StringAttr Outliner::addKernel(kernel::FuncOp func, StringRef name) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  func->print(stream, OpPrintingFlags().enableDebugInfo(false));
  StringAttr &known = kernelsByText[text];
  if (known) {
    func->erase();
    return known;
  }
  func.setSymName(name);
  known = symbols.insert(func);
  return known;
}

void Outliner::launch(const Group &group, KernelEmitter &emitter) {
  kernel::FuncOp func = emitter.finish("kernel");
  StringAttr name = addKernel(func, getGroupName(group));
  OpBuilder builder(group.ops.back());
  auto op = kernel::LaunchOp::create(builder, getGroupLoc(group), ValueRange(group.outputs).getTypes(), FlatSymbolRefAttr::get(name),
                                     emitter.getInputs(), getGroupSource(group));
  if (ArrayAttr values = getOutputValues(group))
    op->setAttr(outputValuesAttrName, values);
  for (auto [output, result] : llvm::zip(group.outputs, op.getOutputs()))
    Value(output).replaceAllUsesWith(result);
  for (Operation *dead : llvm::reverse(group.ops))
    dead->erase();
}

bool Outliner::outlineAlias(const Group &group) {
  Operation *op = group.ops[0];
  std::optional<View> view = group.ops.size() == 1 ? getView(op) : std::nullopt;
  std::optional<int64_t> offset = view ? getAliasOffset(op, *view) : std::nullopt;
  if (!offset)
    return false;
  OpBuilder builder(op);
  auto alias = kernel::AliasOp::create(builder, op->getLoc(), group.outputs[0].getType(), view->source, *offset);
  Value(group.outputs[0]).replaceAllUsesWith(alias.getResult());
  op->erase();
  return true;
}

/// The launch result that a value is all of; null where it is none or a part of one.
Value getWholeLaunch(Value value) {
  Value root = value;
  while (auto alias = root.getDefiningOp<kernel::AliasOp>())
    root = alias.getSource();
  bool isWhole = graph::getNumElements(cast<RankedTensorType>(root.getType())) == graph::getNumElements(cast<RankedTensorType>(value.getType()));
  return isWhole && root.getDefiningOp<kernel::LaunchOp>() ? root : Value();
}

/// A concatenation along the outermost dim in memory of what launches write: they write into its result.
bool Outliner::outlineJoin(const Group &group) {
  auto concat = dyn_cast<graph::ConcatOp>(group.ops[0]);
  if (!concat || group.ops.size() != 1)
    return false;
  auto type = cast<RankedTensorType>(concat.getResult().getType());
  for (int64_t d : graph::getOrder(type)) {
    if (d == int64_t(concat.getDim()))
      break;
    if (type.isDynamicDim(d) || type.getDimSize(d) != 1)
      return false;
  }
  SmallVector<Value> roots;
  for (Value part : concat.getParts()) {
    Value root = getWholeLaunch(part);
    if (!root || joined.contains(root) || llvm::is_contained(roots, root) || graph::getOrder(cast<RankedTensorType>(part.getType())) != graph::getOrder(type))
      return false;
    roots.push_back(root);
  }
  joined.insert(roots.begin(), roots.end());
  OpBuilder builder(concat);
  auto join = kernel::JoinOp::create(builder, concat.getLoc(), type, concat.getParts());
  concat.getResult().replaceAllUsesWith(join.getResult());
  concat->erase();
  return true;
}

void Outliner::outline(const Group &group) {
  if (outlineAlias(group) || outlineJoin(group))
    return;
  Emitter emitter = group.contraction ? emitContraction(group) : emitElements(group);
  launch(group, *emitter);
}

void Outliner::run(func::FuncOp function) {
  for (const Group &group : collectGroups(function))
    outline(group);
  // Sources that kernels have taken in are gone; what a return or a state still needs is a kernel of its own.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (const Group &group : collectSources(function))
    outline(group);
  sortTopologically(&function.getBody().front());
}

struct OutlineKernels : graphc::impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;
  void runOnOperation() override {
    SmallVector<Operation *> unsupported;
    getOperation().walk([&](Operation *op) {
      if (isComputation(op) && !canOutline(op))
        unsupported.push_back(op);
    });
    for (Operation *op : unsupported)
      op->emitError("no kernel can be made of ") << op->getName() << ": it says neither an element nor a contraction";
    if (!unsupported.empty())
      return signalPassFailure();
    Outliner outliner(getOperation(), strict ? KernelEmitter::Rounding::EachOp : KernelEmitter::Rounding::AtStores);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        outliner.run(function);
  }
};

} // namespace
