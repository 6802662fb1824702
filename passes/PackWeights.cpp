// Repacks the weights of contractions at compile time, into the order in which the generated loops read them.
//
// A kernel.contract whose rhs is a graph.parameter in every launch gets it as panels: [n / panel][k][panel], zeros past n, k in the order of the
// contraction's k extents. The packed weights are a new graph.parameter ("NAME$panel32", attribute `packing`); the old one goes when nobody reads it.
//
//   %w = graph.get @w : tensor<64x128xf32>     ->   %w = graph.get @w$panel32 : tensor<2x128x32xf32>
//   kernel.contract … n [64] k [128]                kernel.contract … n [64] k [128] {panel = 32}
//
// A contraction over groups (a grid of more than one point) keeps its weights.
#include "ir/support/Check.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

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

/// The offset of every flattened index of some extents, last one fastest.
std::vector<int64_t> getOffsets(ArrayRef<int64_t> extents, ArrayRef<int64_t> strides) {
  std::vector<int64_t> offsets{0};
  for (auto [extent, stride] : llvm::zip(extents, strides)) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * extent);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < extent; ++i)
        next.push_back(offset + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

/// The elements' bytes (those of one element for a splat), or nothing where the attribute has no such memory.
ArrayRef<char> getFlatBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return resource.getRawHandle().getBlob() ? resource.getRawHandle().getBlob()->getData() : ArrayRef<char>();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && !dense.getElementType().isInteger(1) ? dense.getRawData() : ArrayRef<char>();
}

class Packer {
public:
  Packer(ModuleOp module, int64_t panel) : module(module), symbols(module), fixedPanel(panel) {
    module.walk([&](kernel::LaunchOp launch) { launches[launch.getKernel()].push_back(launch); });
  }
  void pack(kernel::FuncOp func);

private:
  graph::ParameterOp getParameter(Value value) {
    auto get = value.getDefiningOp<graph::GetOp>();
    return get ? symbols.lookup<graph::ParameterOp>(get.getParameter()) : graph::ParameterOp();
  }
  graph::ParameterOp packParameter(graph::ParameterOp parameter, const LinearAccess &access, int64_t panel);

  ModuleOp module;
  SymbolTable symbols;
  int64_t fixedPanel;
  llvm::StringMap<SmallVector<kernel::LaunchOp>> launches;
  std::map<std::string, graph::ParameterOp> packed; // by parameter and access
};

graph::ParameterOp Packer::packParameter(graph::ParameterOp parameter, const LinearAccess &access, int64_t panel) {
  std::vector<int64_t> n = getOffsets(access.nExtents, access.nStrides), k = getOffsets(access.kExtents, access.kStrides);
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
  std::string name = (parameter.getSymName() + "$panel" + Twine(panel)).str();
  OpBuilder builder(parameter);
  auto op = graph::ParameterOp::create(builder, parameter.getLoc(), name, DenseResourceElementsAttr::get(type, name, std::move(blob)), false);
  op->setAttr("packing", builder.getStringAttr("brgemm<nr=" + Twine(panel) + ">"));
  symbols.insert(op);
  return packed[key] = op;
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
  auto isPackable = [&](kernel::LaunchOp launch) {
    graph::ParameterOp parameter = getParameter(launch.getInputs()[rhs.getArgNumber()]);
    return parameter && !getFlatBytes(parameter.getValue()).empty();
  };
  if (!access || users.empty() || !llvm::all_of(users, isPackable))
    return;
  int64_t panel = fixedPanel > 0 ? fixedPanel : *n <= 16 ? 16 : 32;
  for (kernel::LaunchOp launch : users) {
    OpOperand &operand = launch.getInputsMutable()[rhs.getArgNumber()];
    graph::ParameterOp parameter = packParameter(getParameter(operand.get()), *access, panel);
    OpBuilder builder(launch);
    operand.set(graph::GetOp::create(builder, operand.get().getLoc(), parameter.getValue().getType(), parameter.getSymName()));
  }
  rhs.setType(users[0].getInputs()[rhs.getArgNumber()].getType());
  SmallVector<Attribute> types(func.getInputTypes().getValue());
  types[rhs.getArgNumber()] = TypeAttr::get(rhs.getType());
  func.setInputTypesAttr(ArrayAttr::get(func.getContext(), types));
  op.setPanel(panel);
}

struct PackWeights : graphc::impl::PackWeightsBase<PackWeights> {
  using PackWeightsBase::PackWeightsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Packer packer(module, panel);
    for (auto func : module.getOps<kernel::FuncOp>())
      packer.pack(func);
    module.walk([](graph::GetOp get) {
      if (get->use_empty())
        get.erase();
    });
    llvm::StringSet<> used;
    module.walk([&](graph::GetOp get) { used.insert(get.getParameter()); });
    for (auto parameter : llvm::make_early_inc_range(module.getOps<graph::ParameterOp>()))
      if (!used.contains(parameter.getSymName()))
        parameter.erase();
  }
};

} // namespace
