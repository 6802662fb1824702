// See TestPlan.h. GRAPHC_TEST_IMAGE_V3 and _V4 are paths that CMake gives.
#include "TestPlan.h"

#include "runtime/plan/CodeImage.h"
#include "runtime/plan/KernelAbi.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace graphc::test {

AlignedBytes::AlignedBytes(const std::vector<std::byte> &bytes) : storage_(bytes.size() + 64), size_(bytes.size()) {
  const auto address = reinterpret_cast<uintptr_t>(storage_.data());
  data_ = storage_.data() + (64 - address % 64) % 64;
  std::copy(bytes.begin(), bytes.end(), data_);
}

std::vector<std::byte> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot open " + path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> kernelImage(int level) { return readFile(level == 4 ? GRAPHC_TEST_IMAGE_V4 : GRAPHC_TEST_IMAGE_V3); }

TestPlan::TestPlan() {
  plan.abi_version = GRAPHC_KERNEL_ABI_VERSION;
  plan.service_count = GRAPHC_SERVICE_COUNT;
  plan.producer = "test";
  plan.model = "test.pt";
  plan.entry = "forward";
  plan.target = "cpu";
  levels = {"x86-64-v3", "x86-64-v4"};
  location("", 0, "");
  addVariant();
}

void TestPlan::addVariant() { plan.variants.push_back(std::make_unique<plan::VariantT>()); }

int TestPlan::constant(int64_t value) {
  auto expr = std::make_unique<plan::DimExprT>();
  expr->code = {plan::DimInstr(DimOp::Const, value)};
  plan.dims.push_back(std::move(expr));
  return static_cast<int>(plan.dims.size()) - 1;
}

int TestPlan::symbol(const std::string &name, int64_t min, int64_t max, SymbolSource source, uint32_t index, uint32_t dim) {
  auto symbol = std::make_unique<plan::SymbolT>();
  symbol->name = name;
  symbol->min = min;
  symbol->max = max;
  symbol->source = source;
  symbol->index = index;
  symbol->dim = dim;
  symbol->origin = "symbol " + name;
  plan.symbols.push_back(std::move(symbol));
  auto expr = std::make_unique<plan::DimExprT>();
  expr->code = {plan::DimInstr(DimOp::Symbol, static_cast<int64_t>(plan.symbols.size()) - 1)};
  plan.dims.push_back(std::move(expr));
  return static_cast<int>(plan.dims.size()) - 1;
}

int TestPlan::binary(DimOp op, int a, int b) {
  auto expr = std::make_unique<plan::DimExprT>();
  expr->code = {plan::DimInstr(DimOp::Dim, a), plan::DimInstr(DimOp::Dim, b), plan::DimInstr(op, 0)};
  plan.dims.push_back(std::move(expr));
  return static_cast<int>(plan.dims.size()) - 1;
}

int TestPlan::bytesOf(DType dtype, const std::vector<int> &dims) {
  int bytes = constant(static_cast<int64_t>(graphc_dtype_size(static_cast<graphc_dtype>(dtype))));
  for (int dim : dims)
    bytes = binary(DimOp::Mul, bytes, dim);
  return bytes;
}

namespace {
std::unique_ptr<plan::TensorInfoT> tensorInfo(const std::string &name, DType dtype, std::vector<int> dims) {
  auto info = std::make_unique<plan::TensorInfoT>();
  info->name = name;
  info->dtype = dtype;
  info->dims.assign(dims.begin(), dims.end());
  return info;
}
} // namespace

uint32_t TestPlan::input(const std::string &name, DType dtype, std::vector<int> dims) {
  plan.inputs.push_back(tensorInfo(name, dtype, std::move(dims)));
  return static_cast<uint32_t>(plan.inputs.size()) - 1;
}

uint32_t TestPlan::output(const std::string &name, DType dtype, std::vector<int> dims) {
  plan.outputs.push_back(tensorInfo(name, dtype, std::move(dims)));
  return static_cast<uint32_t>(plan.outputs.size()) - 1;
}

uint32_t TestPlan::state(const std::string &name, DType dtype, std::vector<int64_t> dims, int constant) {
  auto state = std::make_unique<plan::StateT>();
  state->name = name;
  state->attribute = "model." + name;
  state->dtype = dtype;
  state->dims = std::move(dims);
  state->initial = constant;
  plan.states.push_back(std::move(state));
  return static_cast<uint32_t>(plan.states.size()) - 1;
}

uint32_t TestPlan::constantData(const std::string &name, DType dtype, std::vector<int64_t> dims, const void *data) {
  size_t bytes = graphc_dtype_size(static_cast<graphc_dtype>(dtype));
  for (int64_t dim : dims)
    bytes *= static_cast<size_t>(dim);
  const auto *begin = static_cast<const std::byte *>(data);
  const auto owner = std::make_shared<std::vector<std::byte>>(begin, begin + bytes);
  const ArtifactWriter::Blob blob = writer.addWeights(*owner, owner);
  auto constant = std::make_unique<plan::ConstantT>();
  constant->fqn = name;
  constant->dtype = dtype;
  constant->dims = std::move(dims);
  constant->offset = blob.offset;
  constant->size = blob.size;
  plan.constants.push_back(std::move(constant));
  return static_cast<uint32_t>(plan.constants.size()) - 1;
}

uint32_t TestPlan::location(const std::string &file, uint32_t line, const std::string &module) {
  auto location = std::make_unique<plan::LocationT>();
  location->file = file;
  location->line = line;
  location->module_path = module;
  plan.locations.push_back(std::move(location));
  return static_cast<uint32_t>(plan.locations.size()) - 1;
}

uint32_t TestPlan::message(const std::string &text) {
  plan.messages.push_back(text);
  return static_cast<uint32_t>(plan.messages.size()) - 1;
}

uint32_t TestPlan::kernel(const std::string &name) {
  for (uint32_t i = 0; i < plan.kernels.size(); ++i)
    if (plan.kernels[i]->name == name)
      return i;
  auto kernel = std::make_unique<plan::KernelT>();
  kernel->name = name;
  plan.kernels.push_back(std::move(kernel));
  return static_cast<uint32_t>(plan.kernels.size()) - 1;
}

uint32_t TestPlan::buffer(BufferKind kind, uint32_t index, DType dtype, std::vector<int> dims) {
  auto buffer = std::make_unique<plan::BufferT>();
  buffer->kind = kind;
  buffer->index = index;
  buffer->dtype = dtype;
  buffer->bytes = bytesOf(dtype, dims);
  buffer->dims.assign(dims.begin(), dims.end());
  buffer->alignment = kind == BufferKind::Input || kind == BufferKind::Output ? 4 : 64;
  variant().buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(variant().buffers.size()) - 1;
}

uint32_t TestPlan::arenaBuffer(DType dtype, std::vector<int> dims, uint32_t first, uint32_t last) {
  const uint32_t index = buffer(BufferKind::Arena, 0, dtype, std::move(dims));
  variant().buffers[index]->first_step = first;
  variant().buffers[index]->last_step = last;
  return index;
}

uint32_t TestPlan::inputBuffer(uint32_t input) {
  const plan::TensorInfoT &info = *plan.inputs[input];
  const uint32_t index = buffer(BufferKind::Input, input, info.dtype, {info.dims.begin(), info.dims.end()});
  variant().inputs.resize(std::max<size_t>(variant().inputs.size(), plan.inputs.size()), -1);
  variant().inputs[input] = static_cast<int32_t>(index);
  return index;
}

uint32_t TestPlan::outputBuffer(uint32_t output) {
  const plan::TensorInfoT &info = *plan.outputs[output];
  const uint32_t index = buffer(BufferKind::Output, output, info.dtype, {info.dims.begin(), info.dims.end()});
  variant().outputs.resize(std::max<size_t>(variant().outputs.size(), output + 1));
  variant().outputs[output] = index;
  return index;
}

uint32_t TestPlan::constantBuffer(uint32_t constant) {
  std::vector<int> dims;
  for (int64_t dim : plan.constants[constant]->dims)
    dims.push_back(this->constant(dim));
  return buffer(BufferKind::Constant, constant, plan.constants[constant]->dtype, dims);
}

uint32_t TestPlan::stateBuffer(uint32_t state, std::vector<int> dims) {
  const uint32_t index = buffer(BufferKind::State, state, plan.states[state]->dtype, std::move(dims));
  variant().states.resize(plan.states.size(), -1);
  variant().states[state] = static_cast<int32_t>(index);
  return index;
}

plan::StepT &TestPlan::launch(const std::string &kernel, std::vector<uint32_t> buffers, int units, int chunk, int scratch) {
  plan::LaunchT launch;
  launch.kernel = this->kernel(kernel);
  launch.buffers = std::move(buffers);
  launch.units = units;
  launch.chunk = chunk;
  launch.scratch_bytes = scratch;
  plan::StepT &step = this->step(std::move(launch));
  step.name = kernel;
  return step;
}

std::vector<std::byte> TestPlan::bytes() const {
  plan::PlanT complete = plan;
  ArtifactWriter artifact = writer;
  for (const auto &variant : complete.variants) {
    variant->inputs.resize(plan.inputs.size(), -1);
    variant->states.resize(plan.states.size(), -1);
  }
  for (const std::string &level : levels) {
    const std::vector<std::byte> elf = kernelImage(level == "x86-64-v4" ? 4 : 3);
    std::string error;
    const auto image = CodeImage::parse(elf, error);
    if (!image)
      throw std::runtime_error(error);
    for (const auto &kernel : complete.kernels) {
      auto candidate = std::make_unique<plan::CandidateT>();
      candidate->entry = image->findFunction(kernel->name).value();
      candidate->chunk = candidateChunk;
      auto kernelLevel = std::make_unique<plan::KernelLevelT>();
      kernelLevel->candidates.push_back(std::move(candidate));
      kernel->levels.push_back(std::move(kernelLevel));
    }
    complete.levels.push_back(level);
    artifact.addCodeImage("cpu", level, elf);
  }
  artifact.addPlan(complete);
  std::vector<std::byte> out;
  if (auto error = artifact.writeMemory(out))
    throw std::runtime_error(*error);
  return out;
}

Model TestPlan::open(const graphc_model_options *options) const {
  opened_.push_back(std::make_shared<AlignedBytes>(bytes()));
  return Model(opened_.back()->data(), opened_.back()->size(), options);
}

TestPlan addPlan(int64_t chunk) {
  TestPlan p;
  const int n = p.symbol("N", 0, 1 << 20, SymbolSource::InputDim, 0, 0);
  p.input("a", DType::F32, {n});
  p.input("b", DType::F32, {n});
  p.output("sum", DType::F32, {n});
  const uint32_t at = p.location("model.py", 7, "block.add");
  p.launch("add_f32", {p.inputBuffer(0), p.inputBuffer(1), p.outputBuffer(0)}, n, p.constant(chunk)).locations = {at};
  return p;
}

} // namespace graphc::test
