// See LevelRun.h.
#include "tools/graphc-kernel-run/LevelRun.h"
#include "ir/support/Check.h"
#include "runtime/exec/Services.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace graphc;
using namespace graphc::tools;
using interpreter::Tensor;

GuardedBuffer::GuardedBuffer(size_t size) : bytes(size) {
  size_t page = sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
  mapped = room + page;
  mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  GRAPHC_CHECK(mapping != MAP_FAILED, "no memory for a test buffer");
  GRAPHC_CHECK(mprotect(static_cast<std::byte *>(mapping) + room, page, PROT_NONE) == 0, "cannot protect a page");
  begin = static_cast<std::byte *>(mapping) + room - size;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping)
    munmap(mapping, mapped);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)), mapped(other.mapped), bytes(other.bytes), begin(other.begin) {}

namespace {

/// Calls fn(logical position, physical position) for every element.
void forEachElement(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> sizes, llvm::function_ref<void(int64_t, int64_t)> fn) {
  llvm::SmallVector<int64_t> strides(sizes.size()), index(sizes.size());
  int64_t stride = 1, count = 1;
  llvm::SmallVector<int64_t> order = graph::getOrder(type);
  for (int64_t d : llvm::reverse(order))
    strides[d] = std::exchange(stride, stride * sizes[d]);
  for (int64_t size : sizes)
    count *= size;
  for (int64_t logical = 0; logical < count; ++logical) {
    int64_t rest = logical, physical = 0;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      physical += rest % sizes[d] * strides[d];
    fn(logical, physical);
  }
}

} // namespace

std::vector<std::byte> graphc::tools::toPhysical(const Tensor &tensor, mlir::RankedTensorType type) {
  std::vector<std::byte> logical = interpreter::toBytes(tensor), physical(logical.size());
  size_t bytes = interpreter::elementBytes(tensor.elementType());
  forEachElement(type, tensor.sizes, [&](int64_t from, int64_t to) { std::memcpy(&physical[to * bytes], &logical[from * bytes], bytes); });
  return physical;
}

Tensor graphc::tools::fromPhysical(llvm::ArrayRef<std::byte> physical, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> sizes) {
  std::vector<std::byte> logical(physical.size());
  size_t bytes = interpreter::elementBytes(type.getElementType());
  forEachElement(type, sizes, [&](int64_t to, int64_t from) { std::memcpy(&logical[to * bytes], &physical[from * bytes], bytes); });
  return interpreter::fromBytes(type.getElementType(), sizes, logical);
}

LaunchResult graphc::tools::launch(const Launch &launch, llvm::ArrayRef<Tensor> inputs, int64_t split, bool backwards, int repetitions) {
  auto value = [&](graph::DimAttr dim) {
    std::optional<int64_t> result = dim.evaluate(*launch.symbols);
    GRAPHC_CHECK(result, "a dim of the kernel has no value: give it with --symbol");
    return *result;
  };
  auto func = launch.func;
  std::vector<GuardedBuffer> buffers;
  std::vector<llvm::SmallVector<int64_t>> outputSizes;
  for (auto [i, tensor] : llvm::enumerate(inputs)) {
    std::vector<std::byte> bytes = toPhysical(tensor, llvm::cast<mlir::RankedTensorType>(func.getInput(i).getType()));
    std::ranges::copy(bytes, static_cast<std::byte *>(buffers.emplace_back(bytes.size()).data()));
  }
  for (unsigned i = 0; i < func.getNumOutputs(); ++i) {
    auto type = llvm::cast<mlir::RankedTensorType>(func.getOutput(i).getType());
    llvm::SmallVector<int64_t> sizes;
    int64_t count = 1;
    for (graph::DimAttr dim : graph::getDims(type))
      sizes.push_back(value(dim)), count *= sizes.back();
    GuardedBuffer &buffer = buffers.emplace_back(count * interpreter::elementBytes(type.getElementType()));
    std::memset(buffer.data(), 0xa5, buffer.size());
    outputSizes.push_back(sizes);
  }
  GuardedBuffer scratch(static_cast<size_t>((value(launch.candidate->scratchBytes) + 63) / 64 * 64));
  std::vector<void *> pointers;
  for (GuardedBuffer &buffer : buffers)
    pointers.push_back(buffer.data());
  std::vector<int64_t> dims;
  for (graph::DimAttr dim : launch.dims) // a table shared by several kernels may hold symbols that this one doesn't have
    dims.push_back(dim.evaluate(*launch.symbols).value_or(-1));
  LaunchResult result{{}, {GRAPHC_STATUS_NONE, -1, 0, 0}, 1e30};
  graphc_kernel_args args{pointers.data(), dims.data(), &result.status, &runtime::services(), scratch.data(), 0, 7};
  int64_t units = value(launch.candidate->units), step = split ? split : std::max<int64_t>(units, 1);
  for (int r = 0; r < repetitions; ++r) {
    auto start = std::chrono::steady_clock::now();
    for (int64_t chunk = 0, chunks = (units + step - 1) / step; chunk < chunks; ++chunk) {
      int64_t begin = (backwards ? chunks - 1 - chunk : chunk) * step;
      launch.kernel(&args, begin, std::min(begin + step, units));
    }
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    result.nanoseconds = std::min(result.nanoseconds, time.count());
  }
  for (unsigned i = 0; i < func.getNumOutputs(); ++i) {
    GuardedBuffer &buffer = buffers[inputs.size() + i];
    result.outputs.push_back(fromPhysical({buffer.data(), buffer.size()}, llvm::cast<mlir::RankedTensorType>(func.getOutput(i).getType()), outputSizes[i]));
  }
  return result;
}
