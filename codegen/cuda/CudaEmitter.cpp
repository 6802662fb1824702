// Chooses a template for a kernel.func and writes functor and instantiation. See CudaEmitter.h.
#include "codegen/cuda/CudaEmitter.h"

#include "codegen/cuda/KernelWriter.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using graphc::graph::DimAttr;

namespace graphc::cuda {

namespace {

constexpr int64_t pointwiseThreads = 256;
// Up to this inner size a warp takes a row; beyond it a block.
constexpr int64_t warpRowLimit = 1024;
// Inner domains up to this size are not worth a warp: a thread walks them.
constexpr int64_t serialLimit = 32;

} // namespace

std::optional<int64_t> constantProduct(ArrayRef<DimAttr> dims) {
  int64_t product = 1;
  for (DimAttr dim : dims) {
    if (!dim.isConstant())
      return std::nullopt;
    product *= dim.getValue();
  }
  return product;
}

SmallVector<DimAttr> stageExtents(Operation &op) {
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  return dimsOf(reduce ? reduce.getExtents() : cast<kernel::MapOp>(op).getExtents());
}

/// The kernel's name in the program: an identifier that is none of C's (a kernel may be called exp).
static std::string entryName(kernel::FuncOp func) {
  std::string name = "k_" + func.getSymName().str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

std::string KernelWriter::product(ArrayRef<DimAttr> extents) {
  std::string all = "(gc_i64)1";
  for (DimAttr extent : extents)
    all += " * " + text.dimName(extent);
  return all;
}

void KernelWriter::finish(const std::string &templateFile, const std::string &instantiation,
                          unsigned blocksPerMultiprocessor) {
  result.name = entryName(func);
  result.templates = templateFile;
  const std::string index = indexAlias.empty() ? text.indexType() : indexAlias;
  result.text = "// " + result.strategy + "\nstruct " + functor + " {\n  using index = " + index + ";\n" +
                text.fieldsAndConstructor(functor) + body.str() + "};\n" + "GC_KERNEL(" +
                std::to_string(result.launch.threads) + ", " + std::to_string(blocksPerMultiprocessor) + ") " + result.name +
                "(GC_ARGS args) {\n  " + instantiation + "\n}\n";
}

void KernelWriter::writeWide(const LanePlan &plan) {
  std::set<std::string> distinct(plan.conditions.begin(), plan.conditions.end());
  body.line("static constexpr int width = " + std::to_string(plan.width) + ";");
  const std::string all = plan.width == 1 || distinct.empty() ? "true" : llvm::join(distinct, " && ");
  body.line("GC_DEVICE bool wide() const { return " + all + "; }");
}

//===-- pointwise ----------------------------------------------------------------===//

void KernelWriter::writePointwise() {
  Block &block = func.getBody().front();
  const SmallVector<DimAttr> extents = grid();
  const bool serial = llvm::any_of(block, isStage);
  LanePlan plan;
  if (!extents.empty() && !serial)
    plan = region.planLanes(block, gridIndices().back(), extents.back());
  body.line("GC_DEVICE gc_i64 units() const { return " + product(extents) + "; }");
  writeWide(plan);
  body.open("template <int N> GC_DEVICE void run(gc_i64 unit) const");
  body.line("const index u = (index)unit;");
  region.declareIndices(gridIndices(), extents, "u");
  if (plan.index)
    region.emitLanes(block, plan, {});
  else
    region.emitOne(block, {});
  body.close();
  result.launch.extents = extents;
  result.launch.tile.assign(extents.size(), 1);
  result.launch.perBlock = pointwiseThreads * plan.width;
  result.launch.threads = pointwiseThreads;
  result.strategy = (serial ? "one thread per grid point, stages as loops: " + wantsRows() : std::string("pointwise")) +
                    ", width " + std::to_string(plan.width);
  finish("pointwise.cuh", "gc_pointwise<" + functor + ", " + std::to_string(pointwiseThreads) + ">(args);", 1);
}

//===-- choice ------------------------------------------------------------------------===//

std::string KernelWriter::wantsRows() {
  bool contiguousInner = false, contiguousGrid = false;
  int64_t largest = 0;
  for (Operation &op : func.getBody().front()) {
    if (!isStage(op))
      continue;
    largest = std::max(largest, constantProduct(stageExtents(op)).value_or(serialLimit + 1));
    Block &block = op.getRegion(0).front();
    for (auto load : block.getOps<kernel::LoadOp>()) {
      if (block.getNumArguments() != 0)
        contiguousInner |= text.movement(Access::of(load), block.getArguments().back()) == Movement::Contiguous;
      if (!gridIndices().empty())
        contiguousGrid |= text.movement(Access::of(load), gridIndices().back()) == Movement::Contiguous;
    }
  }
  if (largest <= serialLimit)
    return "inner domains of at most " + std::to_string(serialLimit) + " elements";
  if (!contiguousInner && contiguousGrid)
    return "memory is contiguous along the grid, not along the inner domain";
  return "";
}

FailureOr<CudaKernel> KernelWriter::write() {
  functor = entryName(func) + "_body";
  if (func.getRoot() == kernel::FuncOp::Root::Contraction) {
    auto op = *func.getBody().getOps<kernel::ContractOp>().begin();
    if (op.getPanel() != 0)
      return op.emitError("packed right operands (panel ")
             << op.getPanel() << ") are a CPU layout; a CUDA kernel takes the plain operand";
    std::variant<GemmForm, NoGemm> form = recognizeGemm(op);
    if (auto *gemm = std::get_if<GemmForm>(&form))
      writeGemm(op, *gemm);
    else
      writeDirect(op, std::get<NoGemm>(form).reason);
    return result;
  }
  if (func.getRoot() == kernel::FuncOp::Root::Pointwise || !wantsRows().empty()) {
    writePointwise();
    return result;
  }
  int64_t longest = 0;
  for (Operation &op : func.getBody().front())
    if (isStage(op))
      longest = std::max(longest, constantProduct(stageExtents(op)).value_or(warpRowLimit + 1));
  writeRows(longest > warpRowLimit);
  return result;
}

int64_t LaunchShape::blocks(llvm::function_ref<int64_t(DimAttr)> evaluate, int64_t most) const {
  int64_t units = 1;
  for (auto [extent, size] : llvm::zip(extents, tile))
    units *= (evaluate(extent) + size - 1) / size;
  return std::clamp<int64_t>((units + perBlock - 1) / perBlock, 1, most);
}

FailureOr<CudaKernel> emitCudaKernel(kernel::FuncOp func, const EmitOptions &options) {
  return KernelWriter(func, options).write();
}

std::string programText(ArrayRef<CudaKernel> kernels) {
  std::set<std::string> includes;
  for (const CudaKernel &kernel : kernels)
    includes.insert(kernel.templates);
  std::string text;
  for (const std::string &file : includes)
    text += "#include \"" + file + "\"\n";
  for (const CudaKernel &kernel : kernels)
    text += "\n" + kernel.text;
  return text;
}

} // namespace graphc::cuda
