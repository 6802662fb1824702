// Chooses a template for a kernel.func and writes functor and instantiation. See CudaEmitter.h.
#include "codegen/cuda/CudaEmitter.h"

#include "codegen/cuda/GemmForm.h"
#include "codegen/cuda/RegionEmitter.h"
#include "ir/support/Check.h"

#include <set>

using namespace mlir;
using graphc::graph::DimAttr;

namespace graphc::cuda {

namespace {

constexpr int64_t pointwiseThreads = 256;
constexpr int64_t rowThreads = 256;
// Up to this inner size a warp takes a row; beyond it a block.
constexpr int64_t warpRowLimit = 1024;
// Inner domains up to this size are not worth a warp: a thread walks them.
constexpr int64_t serialLimit = 32;
constexpr unsigned gemmTile = 128;
// As kernels/gemm_mma.cuh and gemm_fma.cuh state them; instantiations check it with a static_assert.
constexpr unsigned mmaSharedBytes = 49152, fmaSharedBytes = 34816;

std::optional<int64_t> constantProduct(ArrayRef<DimAttr> dims) {
  int64_t product = 1;
  for (DimAttr dim : dims) {
    if (!dim.isConstant())
      return std::nullopt;
    product *= dim.getValue();
  }
  return product;
}

bool isStage(Operation &op) { return isa<kernel::ReduceOp, kernel::MapOp>(op); }

SmallVector<DimAttr> stageExtents(Operation &op) {
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  return dimsOf(reduce ? reduce.getExtents() : cast<kernel::MapOp>(op).getExtents());
}

/// Writes one kernel.
class KernelWriter {
public:
  KernelWriter(kernel::FuncOp func, const EmitOptions &options)
      : func(func), text(func, options), region(text, body), functor(func.getSymName().str() + "_body") {}

  FailureOr<CudaKernel> write();

private:
  void writePointwise();
  void writeRows(bool block);
  void writeCooperativeStage(Operation &op, const LanePlan &plan);
  void writeGemm(kernel::ContractOp op, const GemmForm &form);
  void writeEpilogue(kernel::ContractOp op, const LanePlan &plan);
  void writeDirect(kernel::ContractOp op, const std::string &why);
  void writeWide(const LanePlan &plan);
  std::string wantsRows();
  std::string product(ArrayRef<DimAttr> extents);
  void finish(const std::string &templateFile, const std::string &instantiation, unsigned blocksPerMultiprocessor);
  SmallVector<DimAttr> grid() { return dimsOf(func.getGrid()); }
  ValueRange gridIndices() {
    return func.getBody().getArguments().drop_front(func.getNumInputs() + func.getNumOutputs());
  }

  kernel::FuncOp func;
  AccessText text;
  CodeWriter body{1};
  RegionEmitter region;
  std::string functor;
  std::string indexAlias; // of the functor
  CudaKernel result;
};

std::string KernelWriter::product(ArrayRef<DimAttr> extents) {
  std::string all = "(gc_i64)1";
  for (DimAttr extent : extents)
    all += " * " + text.dimName(extent);
  return all;
}

void KernelWriter::finish(const std::string &templateFile, const std::string &instantiation,
                          unsigned blocksPerMultiprocessor) {
  result.name = func.getSymName().str();
  result.templates = templateFile;
  const std::string index = indexAlias.empty() ? text.indexType() : indexAlias;
  result.text = "// " + result.strategy + "\nstruct " + functor + " {\n  using index = " + index + ";\n" +
                text.fieldsAndConstructor(functor) + body.str() + "};\n" + "GC_KERNEL(" +
                std::to_string(result.launch.threads) + ", " + std::to_string(blocksPerMultiprocessor) + ") " + result.name +
                "(GC_ARGS args) {\n  " + instantiation + "\n}\n";
}

/// `width` and `wide()`.
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

//===-- rows ------------------------------------------------------------------------===//

/// Empty where the stages deserve a warp or block per grid point, else why not.
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

void KernelWriter::writeCooperativeStage(Operation &op, const LanePlan &plan) {
  Block &block = op.getRegion(0).front();
  const SmallVector<DimAttr> extents = stageExtents(op);
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  SmallVector<std::string> accumulators;
  if (reduce)
    accumulators = region.declareAccumulators(reduce);
  const std::string flat = region.freshName("f");
  body.line("GC_ROLLED");
  body.open("for (index " + flat + " = group.lane() * N; " + flat + " < (index)(" + product(extents) + "); " + flat +
            " += Group::size * N)");
  region.declareIndices(block.getArguments(), extents, flat);
  region.emitLanes(block, plan, [&](kernel::YieldOp yield) { region.accumulate(reduce, accumulators, yield); });
  body.close();
  if (!reduce)
    return;
  for (auto [monoid, accumulator] : llvm::zip(kernel::getMonoids(reduce), accumulators))
    body.line(accumulator + " = group.template reduce<" + RegionEmitter::monoidType(monoid) + ">(" + accumulator + ");");
  region.bindResults(reduce, accumulators);
}

void KernelWriter::writeRows(bool block) {
  Block &ops = func.getBody().front();
  int64_t width = 8;
  SmallVector<Operation *> stages;
  for (Operation &op : ops)
    if (isStage(op))
      stages.push_back(&op);
  for (Operation *op : stages) {
    Block &inner = op->getRegion(0).front();
    const LanePlan best = inner.getNumArguments() == 0 ? LanePlan()
                                                       : region.planLanes(inner, inner.getArguments().back(), stageExtents(*op).back());
    width = std::min(width, best.width);
  }
  LanePlan all;
  all.width = width;
  llvm::DenseMap<Operation *, LanePlan> plans;
  for (Operation *op : stages) {
    Block &inner = op->getRegion(0).front();
    plans[op] = region.planLanes(inner, inner.getArguments().back(), stageExtents(*op).back(), width);
    llvm::append_range(all.conditions, plans[op].conditions);
  }
  body.line("GC_DEVICE gc_i64 units() const { return " + product(grid()) + "; }");
  writeWide(all);
  body.open("template <int N, class Group> GC_DEVICE void row(gc_i64 unit, const Group &group) const");
  body.line("const index u = (index)unit;");
  region.declareIndices(gridIndices(), grid(), "u");
  for (Operation &op : ops) {
    if (isStage(op)) {
      writeCooperativeStage(op, plans[&op]);
    } else if (isa<kernel::StoreOp>(op)) {
      body.open("if (group.lane() == 0)");
      region.emitOp(op);
      body.close();
    } else {
      region.emitOp(op);
    }
  }
  body.close();
  const std::string group = std::to_string(block ? rowThreads : 32), threads = std::to_string(rowThreads);
  result.launch.extents = grid();
  result.launch.tile.assign(grid().size(), 1);
  result.launch.perBlock = block ? 1 : rowThreads / 32;
  result.launch.threads = rowThreads;
  result.launch.sharedBytes = block ? rowThreads / 32 * 16 : 0;
  result.strategy = std::string(block ? "a block" : "a warp") + " per row, width " + std::to_string(width);
  finish("row_reduce.cuh", "gc_rows<" + functor + ", " + group + ", " + threads + ">(args);", 1);
}

//===-- contractions -----------------------------------------------------------------===//

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
  auto element = [&](Value buffer, AffineMap map, ArrayRef<Value> outer, std::optional<IntegerSet> mask) {
    // Names by position: the k indices are no values of the IR.
    SmallVector<std::string> names;
    for (Value v : outer)
      names.push_back(region.name(v));
    llvm::append_range(names, depth);
    const std::string load = text.loadByNames(buffer, map, names);
    const std::string value = "gc_cast<" + type + ">(" + load + ")";
    return mask ? "(" + text.conditionByNames(*mask, names) + " ? " + value + " : (" + type + ")0)" : value;
  };
  SmallVector<Value> outerA(gridIndices()), outerB(gridIndices());
  llvm::append_range(outerA, block.getArguments().slice(1, m.size()));
  llvm::append_range(outerB, block.getArguments().drop_front(1 + m.size()));
  const std::string a = element(op.getLhs(), op.getLhsMap(), outerA, op.getLhsMask());
  const std::string b = element(op.getRhs(), op.getRhsMap(), outerB, std::nullopt);
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
  result.launch.perBlock = result.launch.threads = pointwiseThreads;
  result.strategy = "one thread per element, the sum as a loop: " + why;
  finish("pointwise.cuh", "gc_pointwise<" + functor + ", " + std::to_string(pointwiseThreads) + ">(args);", 1);
}

FailureOr<CudaKernel> KernelWriter::write() {
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

} // namespace

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
