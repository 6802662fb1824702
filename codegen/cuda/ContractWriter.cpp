// Contractions: GEMM templates where the operands are matrices with strides, else a loop per element. See KernelWriter.h.
#include "codegen/cuda/KernelWriter.h"

using namespace mlir;
using graphc::graph::DimAttr;

namespace graphc::cuda {

namespace {
constexpr int64_t directThreads = 256;
constexpr unsigned gemmTile = 128;
// As kernels/gemm_mma.cuh and gemm_fma.cuh state them; instantiations check it with a static_assert.
constexpr unsigned mmaSharedBytes = 49152, fmaSharedBytes = 34816;
} // namespace

void KernelWriter::writeEpilogue(kernel::ContractOp op, const LanePlan &plan) {
  Block &block = op.getBody().front();
  const SmallVector<DimAttr> m = dimsOf(op.getMExtents()), n = dimsOf(op.getNExtents());
  body.open("template <int N> GC_DEVICE void epilogue(gc_i64 batch, gc_i64 row, gc_i64 column, float (&sum)[N]) const");
  region.declareIndices(gridIndices(), grid(), "batch");
  region.declareIndices(block.getArguments().slice(1, m.size()), m, "row");
  region.declareIndices(block.getArguments().drop_front(1 + m.size()), n, "column");
  for (Operation &other : func.getBody().front())
    if (&other != op.getOperation())
      region.emitOp(other);
  region.setName(block.getArgument(0), plan.index ? "sum[lane]" : "sum[0]");
  if (plan.index)
    region.emitLanes(block, plan, {});
  else
    region.emitOne(block, {});
  body.close();
}

void KernelWriter::writeGemm(kernel::ContractOp op, const GemmForm &form) {
  indexAlias = "gc_i64";
  Block &block = op.getBody().front();
  const Type type = cast<RankedTensorType>(op.getLhs().getType()).getElementType();
  const SmallVector<DimAttr> n = dimsOf(op.getNExtents());
  LanePlan plan;
  for (int64_t width = 4; !n.empty() && width >= 1; width /= 2) {
    plan = region.planLanes(block, block.getArguments().back(), n.back(), width);
    if (!plan.vectors.empty())
      break;
  }
  if (plan.vectors.empty())
    plan.width = 1;
  writeWide(plan);
  auto dim = [&](DimAttr d) { return text.dimName(d); };
  auto operand = [&](Value buffer, const GemmOperand &side) {
    return text.bufferName(buffer) + " + (gc_i64)" + dim(side.offset);
  };
  body.line("GC_DEVICE gc_gemm_problem problem() const { return {" + operand(op.getLhs(), form.a) + ", " +
            operand(op.getRhs(), form.b) + ", " + product(grid()) + ", " + dim(form.m) + ", " + dim(form.n) + ", " +
            dim(form.k) + ", " + dim(form.a.stride) + ", " + dim(form.b.stride) + "}; }");
  for (auto [name, side] : {std::pair<const char *, const GemmOperand *>{"batchA", &form.a}, {"batchB", &form.b}}) {
    body.open(std::string("GC_DEVICE gc_i64 ") + name + "(gc_i64 batch) const");
    region.declareIndices(gridIndices(), grid(), "batch");
    std::string sum = "0";
    for (auto [index, stride] : llvm::zip(gridIndices(), side->batch))
      sum += " + " + region.name(index) + " * " + dim(stride);
    body.line("return " + sum + ";");
    body.close();
  }
  writeEpilogue(op, plan);
  result.launch.extents = grid();
  result.launch.extents.append({form.m, form.n});
  result.launch.tile.assign(grid().size(), 1);
  result.launch.tile.append({gemmTile, gemmTile});
  const bool tensorCores = !type.isF32();
  result.launch.sharedBytes = tensorCores ? mmaSharedBytes : fmaSharedBytes;
  const std::string layouts = std::string(form.a.kMajor ? "true" : "false") + ", " + (form.b.kMajor ? "true" : "false");
  result.strategy = std::string(tensorCores ? "GEMM on tensor cores" : "GEMM in full f32") + ", epilogue width " +
                    std::to_string(plan.width);
  const std::string config = tensorCores ? "gc_mma_config" : "gc_fma_config";
  finish(tensorCores ? "gemm_mma.cuh" : "gemm_fma.cuh",
         "static_assert(" + config + "::sharedBytes == " + std::to_string(result.launch.sharedBytes) + ", \"as launched\");\n  " +
             (tensorCores ? "gc_gemm_mma<" + functor + ", " + storageType(type) + ", " : "gc_gemm_fma<" + functor + ", ") +
             layouts + ">(args);",
         tensorCores ? 2 : 1);
}

std::string KernelWriter::directElement(Value buffer, AffineMap map, ArrayRef<std::string> indices,
                                        std::optional<IntegerSet> mask, const std::string &type) {
  const std::string value = "gc_cast<" + type + ">(" + text.loadByNames(buffer, map, indices) + ")";
  return mask ? "(" + text.conditionByNames(*mask, indices) + " ? " + value + " : (" + type + ")0)" : value;
}

/// One thread per (grid, m, n), the sum as a loop.
void KernelWriter::writeDirect(kernel::ContractOp op, const std::string &why) {
  Block &block = op.getBody().front();
  SmallVector<DimAttr> extents = grid();
  const SmallVector<DimAttr> m = dimsOf(op.getMExtents()), n = dimsOf(op.getNExtents()), k = dimsOf(op.getKExtents());
  llvm::append_range(extents, m);
  llvm::append_range(extents, n);
  SmallVector<Value> indices(gridIndices());
  llvm::append_range(indices, block.getArguments().drop_front());
  body.line("GC_DEVICE gc_i64 units() const { return " + product(extents) + "; }");
  writeWide(LanePlan());
  body.open("template <int N> GC_DEVICE void run(gc_i64 unit) const");
  body.line("const index u = (index)unit;");
  region.declareIndices(indices, extents, "u");
  const std::string type = valueType(block.getArgument(0).getType()), sum = region.freshName("a");
  body.line(type + " " + sum + " = 0;");
  SmallVector<std::string> depth;
  for (DimAttr extent : k) {
    depth.push_back(region.freshName("k"));
    body.open("for (index " + depth.back() + " = 0; " + depth.back() + " < " + text.dimName(extent) + "; ++" +
              depth.back() + ")");
  }
  // Names by position: the k indices are no values of the IR.
  auto names = [&](ValueRange outer) {
    SmallVector<std::string> all;
    for (Value v : gridIndices())
      all.push_back(region.name(v));
    for (Value v : outer)
      all.push_back(region.name(v));
    llvm::append_range(all, depth);
    return all;
  };
  const std::string a = directElement(op.getLhs(), op.getLhsMap(), names(block.getArguments().slice(1, m.size())), op.getLhsMask(), type);
  const std::string b = directElement(op.getRhs(), op.getRhsMap(), names(block.getArguments().drop_front(1 + m.size())), std::nullopt, type);
  const bool isFloat = isa<FloatType>(block.getArgument(0).getType());
  body.line(sum + " = " + (isFloat ? "gc_fma(" + a + ", " + b + ", " + sum + ");"
                                   : "gc_add(" + sum + ", gc_mul(" + a + ", " + b + "));"));
  for (size_t i = 0; i < k.size(); ++i)
    body.close();
  for (Operation &other : func.getBody().front())
    if (&other != op.getOperation())
      region.emitOp(other);
  region.setName(block.getArgument(0), sum);
  region.emitOne(block, {});
  body.close();
  result.launch.extents = extents;
  result.launch.tile.assign(extents.size(), 1);
  result.launch.perBlock = result.launch.threads = directThreads;
  result.strategy = "one thread per element, the sum as a loop: " + why;
  finish("pointwise.cuh", "gc_pointwise<" + functor + ", " + std::to_string(directThreads) + ">(args);", 1);
}

} // namespace graphc::cuda
