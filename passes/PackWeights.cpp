// Repacks the weights of contractions at compile time, into the order in which the generated loops read them.
//
// A kernel.contract whose rhs is a graph.parameter in every launch gets it as panels: [n / panel][k][panel], zeros past n, k in the order of the
// contraction's k extents. The packed weights are a new graph.parameter ("NAME$panel32", attribute `packing`); the old one goes when nobody reads it.
//
//   %w = graph.get @w : tensor<64x128xf32>     ->   %w = graph.get @w$panel32 : tensor<2x128x32xf32>
//   kernel.contract … n [64] k [128]                kernel.contract … n [64] k [128] {panel = 32}
//
// A contraction over groups (a grid of more than one point) keeps its weights.
//
// Other kernels run lanes along their last grid index, or the last two as one (group, output). A graph.parameter that this index walks through in larger steps gets the dim that it indexes last ("NAME$last0",
// `packing` "last<0>"): the weights of depthwise convolutions [c, 1, kh, kw] become [1, kh, kw, c].
#include "ir/support/Check.h"
#include "ir/support/Offsets.h"
#include "passes/Parameters.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace graphc {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;

namespace {

/// The product of constant extents; nullopt where one is symbolic.
std::optional<int64_t> product(ArrayAttr extents) {
  int64_t total = 1;
  for (auto extent : extents.getAsRange<graph::DimAttr>()) {
    if (!extent.isConstant())
      return std::nullopt;
    total *= extent.getValue();
  }
  return total;
}

/// Where the rhs element of (n…, k…) lies, in elements: base + sum of index * stride.
struct LinearAccess {
  int64_t base = 0;
  SmallVector<int64_t> nStrides, kStrides, nExtents, kExtents;
};

std::optional<LinearAccess> getLinearAccess(kernel::ContractOp op, unsigned numGrid) {
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  AffineMap map = op.getRhsMap();
  bool divides = false;
  map.walkExprs([&](AffineExpr part) {
    AffineExprKind kind = part.getKind();
    divides |= kind == AffineExprKind::FloorDiv || kind == AffineExprKind::Mod || kind == AffineExprKind::CeilDiv ||
               kind == AffineExprKind::SymbolId;
  });
  if (divides || !type.hasStaticShape())
    return std::nullopt;
  SmallVector<graph::DimAttr> strides = graph::getStrides(type);
  auto offset = [&](ArrayRef<int64_t> index) {
    int64_t sum = 0;
    for (auto [expr, stride] : llvm::zip(map.getResults(), strides)) {
      SmallVector<AffineExpr> constants = llvm::map_to_vector(index, [&](int64_t i) { return getAffineConstantExpr(i, op.getContext()); });
      sum += cast<AffineConstantExpr>(expr.replaceDims(constants)).getValue() * stride.getValue();
    }
    return sum;
  };
  SmallVector<int64_t> zero(map.getNumDims(), 0);
  LinearAccess access;
  access.base = offset(zero);
  auto addDims = [&](ArrayAttr extents, unsigned first, SmallVector<int64_t> &strides, SmallVector<int64_t> &sizes) {
    for (auto [i, extent] : llvm::enumerate(extents.getAsRange<graph::DimAttr>())) {
      SmallVector<int64_t> unit(zero);
      unit[first + i] = 1;
      strides.push_back(offset(unit) - access.base);
      sizes.push_back(extent.getValue());
    }
  };
  addDims(op.getNExtents(), numGrid, access.nStrides, access.nExtents);
  addDims(op.getKExtents(), numGrid + op.getNExtents().size(), access.kStrides, access.kExtents);
  return access;
}

class Packer {
public:
  Packer(ModuleOp module, int64_t panel) : module(module), symbols(module), fixedPanel(panel) {
    module.walk([&](kernel::LaunchOp launch) { launches[launch.getKernel()].push_back(launch); });
  }
  void pack(kernel::FuncOp func);
  void reorder(kernel::FuncOp func);

private:
  graph::ParameterOp getParameter(Value value) {
    auto get = value.getDefiningOp<graph::GetOp>();
    return get ? symbols.lookup<graph::ParameterOp>(get.getParameter()) : graph::ParameterOp();
  }
  graph::ParameterOp packParameter(graph::ParameterOp parameter, const LinearAccess &access, int64_t panel);
  graph::ParameterOp reorderParameter(graph::ParameterOp parameter, int64_t last);
  graph::ParameterOp insert(graph::ParameterOp original, const Twine &suffix, const Twine &packing, RankedTensorType type, AsmResourceBlob blob);
  /// Whether a parameter with bytes of its own is operand `number` of every launch.
  bool isParameter(ArrayRef<kernel::LaunchOp> users, unsigned number);
  /// Gives the kernel and its launches new parameters as input `number`.
  void replace(kernel::FuncOp func, unsigned number, function_ref<graph::ParameterOp(graph::ParameterOp)> make);

  ModuleOp module;
  SymbolTable symbols;
  int64_t fixedPanel;
  llvm::StringMap<SmallVector<kernel::LaunchOp>> launches;
  std::map<std::string, graph::ParameterOp> packed; // by parameter and access
};

graph::ParameterOp Packer::packParameter(graph::ParameterOp parameter, const LinearAccess &access, int64_t panel) {
  std::vector<int64_t> n = tabulateOffsets(0, access.nExtents, access.nStrides), k = tabulateOffsets(0, access.kExtents, access.kStrides);
  std::string key = parameter.getSymName().str() + "$" + std::to_string(panel);
  for (int64_t number : llvm::concat<const int64_t>(access.nStrides, access.kStrides, access.nExtents, access.kExtents))
    key += "," + std::to_string(number);
  if (graph::ParameterOp known = packed[key])
    return known;
  ElementsAttr value = parameter.getValue();
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  size_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t panels = llvm::divideCeil(n.size(), panel);
  ArrayRef<char> source = getFlatBytes(value);
  size_t step = value.isSplat() ? 0 : bytes;
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(panels * k.size() * panel * bytes, 64);
  char *out = blob.getMutableData().data();
  for (int64_t p = 0; p < panels; ++p)
    for (int64_t kOffset : k)
      for (int64_t column = p * panel; column < (p + 1) * panel; ++column, out += bytes) {
        if (column < int64_t(n.size()))
          std::memcpy(out, source.data() + (access.base + n[column] + kOffset) * step, bytes);
        else
          std::memset(out, 0, bytes);
      }
  auto type = RankedTensorType::get({panels, int64_t(k.size()), panel}, element);
  return packed[key] = insert(parameter, "$panel" + Twine(panel), "brgemm<nr=" + Twine(panel) + ">", type, std::move(blob));
}

graph::ParameterOp Packer::insert(graph::ParameterOp original, const Twine &suffix, const Twine &packing, RankedTensorType type, AsmResourceBlob blob) {
  graph::ParameterOp op = deriveParameter(symbols, original, suffix, type, std::move(blob));
  op->setAttr("packing", StringAttr::get(op.getContext(), packing));
  return op;
}

bool Packer::isParameter(ArrayRef<kernel::LaunchOp> users, unsigned number) {
  return !users.empty() && llvm::all_of(users, [&](kernel::LaunchOp launch) {
    graph::ParameterOp parameter = getParameter(launch.getInputs()[number]);
    return parameter && !getFlatBytes(parameter.getValue()).empty();
  });
}

void Packer::replace(kernel::FuncOp func, unsigned number, function_ref<graph::ParameterOp(graph::ParameterOp)> make) {
  Type type;
  for (kernel::LaunchOp launch : launches.lookup(func.getSymName())) {
    OpOperand &operand = launch.getInputsMutable()[number];
    graph::ParameterOp parameter = make(getParameter(operand.get()));
    type = parameter.getValue().getType();
    OpBuilder builder(launch);
    operand.set(graph::GetOp::create(builder, operand.get().getLoc(), type, parameter.getSymName()));
  }
  func.getInput(number).setType(type);
  SmallVector<Attribute> types(func.getInputTypes().getValue());
  types[number] = TypeAttr::get(type);
  func.setInputTypesAttr(ArrayAttr::get(func.getContext(), types));
}

void Packer::pack(kernel::FuncOp func) {
  auto contracts = func.getBody().getOps<kernel::ContractOp>();
  if (contracts.empty())
    return;
  kernel::ContractOp op = *contracts.begin();
  auto rhs = cast<BlockArgument>(op.getRhs());
  std::optional<int64_t> grid = product(func.getGrid()), n = product(op.getNExtents()), k = product(op.getKExtents());
  if (op.getPanel() != 0 || rhs == op.getLhs() || !grid || *grid != 1 || !n || !k || *n == 0 || *k == 0 || !rhs.hasOneUse())
    return;
  std::optional<LinearAccess> access = getLinearAccess(op, func.getNumGridDims());
  SmallVector<kernel::LaunchOp> users = launches.lookup(func.getSymName());
  if (!access || !isParameter(users, rhs.getArgNumber()))
    return;
  int64_t panel = fixedPanel > 0 ? fixedPanel : *n <= 16 ? 16 : 32;
  replace(func, rhs.getArgNumber(), [&](graph::ParameterOp parameter) { return packParameter(parameter, *access, panel); });
  op.setPanel(panel);
}

/// [d0, …, last, …] becomes [d0, …, …, last].
graph::ParameterOp Packer::reorderParameter(graph::ParameterOp parameter, int64_t last) {
  graph::ParameterOp &known = packed[parameter.getSymName().str() + "$last" + std::to_string(last)];
  if (known)
    return known;
  auto type = cast<RankedTensorType>(parameter.getValue().getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8, inner = 1;
  for (int64_t d = last + 1; d < type.getRank(); ++d)
    inner *= type.getDimSize(d);
  int64_t extent = type.getDimSize(last), outer = type.getNumElements() / (extent * inner);
  ArrayRef<char> source = getFlatBytes(parameter.getValue());
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(type.getNumElements() * bytes, 64);
  char *out = blob.getMutableData().data();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t e = 0; e < extent; ++e, out += bytes)
        std::memcpy(out, source.data() + (parameter.getValue().isSplat() ? 0 : ((o * extent + e) * inner + i) * bytes), bytes);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + last);
  shape.push_back(extent);
  return known = insert(parameter, "$last" + Twine(last), "last<" + Twine(last) + ">", RankedTensorType::get(shape, type.getElementType()), std::move(blob));
}

/// Whether `expr` is the last grid index, or the last two in row-major order.
bool isLastIndex(kernel::LoadOp load, AffineExpr expr) {
  auto func = load->getParentOfType<kernel::FuncOp>();
  auto position = [&](unsigned grid) {
    auto found = llvm::find(load.getIndices(), Value(func.getGridIndex(grid)));
    return found == load.getIndices().end() ? AffineExpr() : getAffineDimExpr(found - load.getIndices().begin(), load.getContext());
  };
  unsigned last = func.getNumGridDims() - 1;
  AffineExpr inner = position(last), outer = last > 0 ? position(last - 1) : AffineExpr();
  if (!inner || expr == inner)
    return inner && expr == inner;
  return outer && func.getGridExtent(last).isConstant() && expr == outer * func.getGridExtent(last).getValue() + inner;
}

/// The dim that the last grid index walks through in every load of the buffer, alone; nullopt where it is none, or the last one that has elements.
std::optional<int64_t> getWalkedDim(kernel::FuncOp func, BlockArgument buffer) {
  std::optional<int64_t> walked;
  Value index = func.getGridIndex(func.getNumGridDims() - 1);
  for (Operation *user : buffer.getUsers()) {
    auto load = dyn_cast<kernel::LoadOp>(user);
    if (!load)
      return std::nullopt;
    unsigned position = llvm::find(load.getIndices(), index) - load.getIndices().begin();
    for (auto [d, expr] : llvm::enumerate(load.getMap().getResults())) {
      if (position == load.getIndices().size() || !expr.isFunctionOfDim(position))
        continue;
      if (!isLastIndex(load, expr) || walked.value_or(d) != int64_t(d))
        return std::nullopt;
      walked = d;
    }
  }
  auto type = cast<RankedTensorType>(buffer.getType());
  if (!walked || llvm::all_of(type.getShape().drop_front(*walked + 1), [](int64_t size) { return size == 1; }))
    return std::nullopt;
  return walked;
}

void Packer::reorder(kernel::FuncOp func) {
  constexpr int64_t maxElements = int64_t(1) << 22; // the plain weights may be needed as well
  kernel::FuncOp::Root root = func.getRoot();
  if ((root != kernel::FuncOp::Root::Pointwise && root != kernel::FuncOp::Root::Reduce) || func.getNumGridDims() == 0)
    return;
  for (unsigned i = 0; i < func.getNumInputs(); ++i) {
    auto type = cast<RankedTensorType>(func.getInput(i).getType());
    if (!type.hasStaticShape() || type.getEncoding() || type.getNumElements() > maxElements || type.getElementType().isInteger(1))
      continue;
    std::optional<int64_t> last = getWalkedDim(func, func.getInput(i));
    if (!last || !isParameter(launches.lookup(func.getSymName()), i))
      continue;
    replace(func, i, [&](graph::ParameterOp parameter) { return reorderParameter(parameter, *last); });
    for (Operation *user : func.getInput(i).getUsers()) {
      auto load = cast<kernel::LoadOp>(user);
      SmallVector<AffineExpr> results(load.getMap().getResults());
      std::rotate(results.begin() + *last, results.begin() + *last + 1, results.end());
      load.setMap(AffineMap::get(load.getMap().getNumDims(), load.getMap().getNumSymbols(), results, func.getContext()));
    }
  }
}

struct PackWeights : graphc::impl::PackWeightsBase<PackWeights> {
  using PackWeightsBase::PackWeightsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Packer packer(module, panel);
    for (auto func : module.getOps<kernel::FuncOp>()) {
      packer.pack(func);
      packer.reorder(func);
    }
    module.walk([](graph::GetOp get) {
      if (get->use_empty())
        get.erase();
    });
    eraseUnusedParameters(module);
  }
};

} // namespace
