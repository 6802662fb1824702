// See TracedRun.h.
#include "tools/verify/TracedRun.h"
#include "ir/graph/Graph.h"
#include "runtime/status/Failure.h"
#include "tools/driver/Failure.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::verify;

static graphc_dtype dtypeOf(Type type) {
  if (type.isF16())
    return GRAPHC_F16;
  if (type.isBF16())
    return GRAPHC_BF16;
  if (type.isF32())
    return GRAPHC_F32;
  if (type.isF64())
    return GRAPHC_F64;
  if (type.isInteger(1))
    return GRAPHC_BOOL;
  if (type.isUnsignedInteger(8))
    return GRAPHC_U8;
  return type.isInteger(8) ? GRAPHC_I8 : type.isInteger(16) ? GRAPHC_I16 : type.isInteger(32) ? GRAPHC_I32 : GRAPHC_I64;
}

/// A tensor whose elements lie densely in the given order of dims (outermost first; empty: the default).
static Tensor readMemory(Type type, ArrayRef<int64_t> sizes, ArrayRef<uint32_t> order, const std::byte *data) {
  SmallVector<int64_t> physical(sizes);
  for (auto [i, d] : llvm::enumerate(order))
    physical[i] = sizes[d];
  size_t count = 1;
  for (int64_t size : sizes)
    count *= size_t(size);
  Tensor stored = interpreter::fromBytes(type, physical, ArrayRef(data, count * interpreter::elementBytes(type)));
  if (order.empty())
    return stored;
  SmallVector<int64_t> strides(sizes.size(), 1), index(sizes.size(), 0); // of the logical dims in memory
  int64_t stride = 1;
  for (uint32_t d : llvm::reverse(order)) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  Tensor result(type, sizes);
  for (size_t i = 0; i < count; ++i) {
    int64_t from = 0;
    for (size_t d = 0; d < sizes.size(); ++d)
      from += index[d] * strides[d];
    if (result.elements.isFloat())
      result.elements.floats[i] = stored.elements.floats[from];
    else
      result.elements.ints[i] = stored.elements.ints[from];
    for (size_t d = sizes.size(); d-- > 0 && ++index[d] == sizes[d];)
      index[d] = 0;
  }
  return result;
}

/// The runtime throws; the compiler doesn't.
template <typename Action> static llvm::Error guarded(Action &&action) {
  using driver::ExitStatus;
  try {
    action();
  } catch (const runtime::Failure &failure) {
    bool ours = failure.status == GRAPHC_ERROR_INTERNAL || failure.status == GRAPHC_ERROR_BUSY;
    bool environment = failure.status == GRAPHC_ERROR_IO || failure.status == GRAPHC_ERROR_UNSUPPORTED || failure.status == GRAPHC_ERROR_MEMORY;
    return driver::failure(ours ? ExitStatus::Internal : environment ? ExitStatus::Environment : ExitStatus::Model, failure.message);
  } catch (const std::bad_alloc &) {
    return driver::failure(ExitStatus::Environment, "out of memory");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<TracedRun>> TracedRun::create(ModuleOp module, const std::byte *artifact, size_t size, unsigned threads) {
  std::unique_ptr<TracedRun> run(new TracedRun(module));
  llvm::Error error = guarded([&] {
    run->model = runtime::Model::open(runtime::ArtifactFile::fromMemory({artifact, size}), {});
    runtime::ContextOptions options;
    options.threads = threads;
    options.waitForPool = true;
    run->context = std::make_unique<runtime::Context>(run->model, options);
    run->context->setObserver(run.get());
  });
  if (error)
    return error;
  for (auto function : module.getOps<func::FuncOp>()) {
    const plan::Variant &variant = *run->model->plan().variants()->Get(run->launches.size());
    SmallVector<kernel::LaunchOp> ops(function.getOps<kernel::LaunchOp>());
    std::vector<kernel::LaunchOp> bySteps;
    size_t next = 0;
    for (const plan::Step *step : *variant.steps())
      bySteps.push_back(step->body_type() == plan::StepBody::Launch && next < ops.size() ? ops[next++] : kernel::LaunchOp());
    if (next != ops.size())
      return driver::failure(driver::ExitStatus::Internal, "the plan of '" + function.getSymName().str() + "' has fewer launches than the module");
    run->launches.push_back(std::move(bySteps));
  }
  return run;
}

kernel::LaunchOp TracedRun::launchAt(const runtime::Instance &instance, uint32_t step) { return launches[instance.variantIndex()][step]; }

std::vector<Tensor> TracedRun::read(const runtime::Instance &instance, uint32_t step, size_t from, TypeRange types) {
  const plan::Launch &launch = *instance.variant().steps()->Get(step)->body_as_Launch();
  std::vector<Tensor> tensors;
  for (auto [i, type] : llvm::enumerate(types)) {
    uint32_t buffer = launch.buffers()->Get(from + i);
    std::vector<int64_t> dims;
    instance.bufferDims(buffer, dims);
    const auto *order = instance.variant().buffers()->Get(buffer)->order();
    ArrayRef<uint32_t> physical = order ? ArrayRef<uint32_t>(order->data(), order->size()) : ArrayRef<uint32_t>();
    tensors.push_back(readMemory(cast<RankedTensorType>(type).getElementType(), dims, physical, instance.address(buffer)));
  }
  return tensors;
}

void TracedRun::before(const runtime::Instance &instance, uint32_t step) {
  inputs.clear();
  if (kernel::LaunchOp op = launchAt(instance, step); op && wantsInputs && wantsInputs(op))
    inputs = read(instance, step, 0, op.getInputs().getTypes());
}

void TracedRun::after(const runtime::Instance &instance, uint32_t step) {
  if (kernel::LaunchOp op = launchAt(instance, step); op && onLaunch)
    onLaunch(op, inputs, read(instance, step, op.getInputs().size(), op.getOutputs().getTypes()));
}

llvm::Expected<std::vector<Tensor>> TracedRun::call(ArrayRef<Tensor> arrays) {
  std::vector<std::vector<std::byte>> bytes;
  for (const Tensor &tensor : arrays)
    bytes.push_back(interpreter::toBytes(tensor));
  std::vector<Tensor> outputs;
  auto function = *module.getOps<func::FuncOp>().begin();
  llvm::Error error = guarded([&] {
    for (auto [i, tensor] : llvm::enumerate(arrays)) {
      graphc_tensor given{};
      given.size = sizeof given;
      given.data = bytes[i].data();
      given.dtype = dtypeOf(tensor.elementType());
      given.rank = tensor.sizes.size();
      given.dims = tensor.sizes.data();
      context->setInput(uint32_t(i), given);
    }
    context->run();
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      if (function.getResultAttr(i, graph::writesInputAttrName)) // those are no outputs
        break;
      graphc_tensor result = context->output(uint32_t(i));
      outputs.push_back(readMemory(cast<RankedTensorType>(type).getElementType(), ArrayRef(result.dims, result.rank), {},
                                   static_cast<const std::byte *>(result.data)));
    }
  });
  if (error)
    return error;
  return outputs;
}
