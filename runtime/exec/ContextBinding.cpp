// What a context reads and writes: inputs and outputs as the caller binds them, checked when they are bound, and where a run
// finds their memory (the caller's, or a copy in the physical order and alignment that the kernels need).
#include "runtime/exec/Context.h"

#include "runtime/exec/StridedCopy.h"
#include "runtime/status/Failure.h"

#include <climits>
#include <cstring>

namespace graphc::runtime {
namespace {

size_t sizeOf(graphc_dtype dtype) { return graphc_dtype_size(dtype); }

/// Memory for zero bytes: kernels get a valid address.
std::byte *orNothing(std::byte *data) {
  alignas(64) static std::byte nothing[64];
  return data ? data : nothing;
}

bool overlap(const std::byte *a, uint64_t aBytes, const std::byte *b, uint64_t bBytes) {
  return aBytes > 0 && bBytes > 0 && a < b + bBytes && b < a + aBytes;
}

std::string shapeText(std::span<const int64_t> dims) {
  std::string result = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    result += (i ? ", " : "") + std::to_string(dims[i]);
  return result + "]";
}

/// dtype, rank and pointers of a tensor that the caller passes for `expected`.
void checkTensor(const graphc_tensor &tensor, const ModelTensor &expected, const char *what) {
  if (tensor.size < sizeof(graphc_tensor))
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("graphc_tensor::size is ", tensor.size, ", expected ", sizeof(graphc_tensor),
                                              "; set it to sizeof(graphc_tensor)"));
  if (tensor.dtype != expected.dtype)
    throw Failure(GRAPHC_ERROR_INPUT, text(what, " '", expected.name, "' has dtype ", graphc_dtype_name(tensor.dtype),
                                           ", expected ", graphc_dtype_name(expected.dtype), "; convert it first"));
  if (tensor.rank != expected.dims.size())
    throw Failure(GRAPHC_ERROR_INPUT, text(what, " '", expected.name, "' has rank ", tensor.rank, ", expected ",
                                           expected.dims.size(), "; add or remove dims of size 1"));
  if (tensor.rank > 0 && !tensor.dims)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text(what, " '", expected.name, "' has no dims; set graphc_tensor::dims"));
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    const graphc_dim &dim = expected.dims[d];
    if (tensor.dims[d] >= dim.min && tensor.dims[d] <= dim.max && tensor.dims[d] >= 0)
      continue;
    throw Failure(GRAPHC_ERROR_INPUT,
                  text(what, " '", expected.name, "' has size ", tensor.dims[d], " in dim ", d, ", expected ",
                       dim.value >= 0         ? text(dim.value)
                       : dim.max == INT64_MAX ? text(dim.symbol, " of ", dim.min, " or more")
                                              : text(dim.symbol, " between ", dim.min, " and ", dim.max),
                       dim.value >= 0 ? "; compile the model with a symbolic dim there to run other sizes" : ""));
  }
}

/// Bytes from the first to the last element; throws where strides are negative or the whole is too large.
uint64_t extentBytes(const graphc_tensor &tensor, std::span<const int64_t> strides, const ModelTensor &expected,
                     const char *what) {
  int64_t count = 0, extent = 0;
  const std::span<const int64_t> dims(tensor.dims, tensor.rank);
  if (!elementCount(dims, count) || !elementExtent(dims, strides, extent) || extent > int64_t(1) << 46)
    throw Failure(GRAPHC_ERROR_INPUT, text(what, " '", expected.name, "' has dims and strides that no memory holds; strides must",
                                           " not be negative"));
  if (extent > 0 && !tensor.data)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text(what, " '", expected.name, "' has no data; set graphc_tensor::data"));
  return static_cast<uint64_t>(extent) * sizeOf(tensor.dtype);
}

} // namespace

void Context::setInput(uint32_t index, const graphc_tensor &tensor) {
  if (index >= inputs_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("input ", index, " does not exist; the model has ", inputs_.size()));
  const ModelTensor &expected = model_->inputs()[index];
  BoundInput &input = inputs_[index];
  input.isSet = false;
  checkTensor(tensor, expected, "input");
  input.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  denseStrides(input.dims, expected.order, input.denseStrides);
  input.strides = input.denseStrides;
  if (tensor.strides)
    input.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  input.extentBytes = extentBytes(tensor, input.strides, expected, "input");
  for (uint32_t d = 0; expected.isMutated && d < tensor.rank; ++d)
    if (input.dims[d] > 1 && input.strides[d] == 0)
      throw Failure(GRAPHC_ERROR_INPUT, text("input '", expected.name, "', which the model writes, has stride 0 in dim ", d,
                                             "; its elements must not share memory"));
  input.isDense = sameLayout(input.dims, input.strides, input.denseStrides);
  if (expected.isRowMajor && !input.isDense) {
    const std::string where = model_->locationText(expected.location);
    throw Failure(GRAPHC_ERROR_INPUT, text("input '", expected.name, "' has strides ", shapeText(input.strides), ", expected ", shapeText(input.denseStrides),
                                           "; what the model computes depends on its memory order", where.empty() ? "" : ", at " + where,
                                           ": pass a contiguous tensor"));
  }
  input.data = static_cast<std::byte *>(tensor.data);
  input.isSet = true;
}

void Context::bindOutput(uint32_t index, const graphc_tensor *tensor) {
  if (index >= outputs_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("output ", index, " does not exist; the model has ", outputs_.size()));
  BoundOutput &output = outputs_[index];
  output.isBound = false;
  hasOutputs_ = false;
  if (!tensor)
    return;
  const ModelTensor &expected = model_->outputs()[index];
  checkTensor(*tensor, expected, "output");
  output.dims.assign(tensor->dims, tensor->dims + tensor->rank);
  std::vector<int64_t> dense;
  denseStrides(output.dims, expected.order, dense);
  output.strides = tensor->strides ? std::vector<int64_t>(tensor->strides, tensor->strides + tensor->rank) : dense;
  output.extentBytes = extentBytes(*tensor, output.strides, expected, "output");
  for (uint32_t d = 0; d < tensor->rank; ++d)
    if (output.dims[d] > 1 && output.strides[d] == 0)
      throw Failure(GRAPHC_ERROR_INPUT, text("output '", expected.name, "' has stride 0 in dim ", d,
                                             "; its elements must not share memory"));
  output.isDense = sameLayout(output.dims, output.strides, dense);
  output.data = static_cast<std::byte *>(tensor->data);
  output.isBound = true;
}

std::byte *Context::inputAddress(size_t index, const Instance::Input &input) {
  BoundInput &bound = inputs_[index];
  const bool aligned = reinterpret_cast<uintptr_t>(bound.data) % input.alignment == 0;
  bound.copied = input.buffer >= 0 && input.bytes > 0 && (!bound.isDense || !aligned || options_.arenaOff);
  if (!bound.copied)
    return orNothing(bound.data);
  if (options_.arenaOff && bound.copy.capacity() != input.bytes)
    bound.copy = Storage::guarded(input.alignment); // the guard page right behind it
  bound.copy.reserve(input.bytes);
  stridedCopy(bound.dims, sizeOf(model_->inputs()[index].dtype), bound.copy.data(), bound.denseStrides, bound.data,
              bound.strides);
  return bound.copy.data();
}

std::byte *Context::outputAddress(size_t index, const Instance::Output &output) {
  BoundOutput &bound = outputs_[index];
  if (bound.isBound && bound.dims != output.dims)
    throw Failure(GRAPHC_ERROR_INPUT, text("output '", model_->outputs()[index].name, "' is bound to memory of shape ",
                                           shapeText(bound.dims), ", these inputs give ", shapeText(output.dims),
                                           "; ask graphc_context_output_dims before binding"));
  const uint32_t alignment = model_->plan().variants()->Get(current_->variantIndex())->buffers()->Get(output.buffer)->alignment();
  bound.inPlace = bound.isBound && bound.isDense && output.direct && !options_.arenaOff &&
                  reinterpret_cast<uintptr_t>(bound.data) % alignment == 0;
  if (bound.inPlace)
    return orNothing(bound.data);
  if (options_.arenaOff && bound.own.capacity() != output.bytes)
    bound.own = Storage::guarded(alignment);
  bound.own.reserve(output.bytes);
  return bound.own.data();
}

void Context::checkOverlaps() const {
  for (size_t o = 0; o < outputs_.size(); ++o)
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (outputs_[o].isBound &&
          overlap(outputs_[o].data, outputs_[o].extentBytes, inputs_[i].data, inputs_[i].extentBytes))
        throw Failure(GRAPHC_ERROR_INPUT, text("the memory of output '", model_->outputs()[o].name, "' overlaps input '",
                                               model_->inputs()[i].name, "'; give it memory of its own"));
  for (size_t a = 0; a < outputs_.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (outputs_[a].isBound && outputs_[b].isBound &&
          overlap(outputs_[a].data, outputs_[a].extentBytes, outputs_[b].data, outputs_[b].extentBytes))
        throw Failure(GRAPHC_ERROR_INPUT, text("the memory of output '", model_->outputs()[a].name, "' overlaps output '",
                                               model_->outputs()[b].name, "'; give each memory of its own"));
  for (size_t a = 0; a < inputs_.size(); ++a)
    for (size_t b = 0; b < inputs_.size(); ++b)
      if (a != b && model_->inputs()[a].isMutated &&
          overlap(inputs_[a].data, inputs_[a].extentBytes, inputs_[b].data, inputs_[b].extentBytes))
        throw Failure(GRAPHC_ERROR_INPUT, text("input '", model_->inputs()[a].name, "', which the model writes, overlaps input '",
                                               model_->inputs()[b].name, "'; give it memory of its own"));
}

void Context::bindMemory(Instance &instance) {
  checkOverlaps();
  roots_.arena = arena_.data();
  for (size_t i = 0; i < inputs_.size(); ++i)
    roots_.inputs[i] = inputAddress(i, instance.inputs()[i]);
  for (size_t i = 0; i < outputs_.size(); ++i)
    roots_.outputs[i] = outputAddress(i, instance.outputs()[i]);
  for (size_t i = 0; i < states_.size(); ++i)
    roots_.states[i] = states_[i].storage.data();
  instance.resolve(roots_);
}

graphc_tensor Context::output(uint32_t index) const {
  if (index >= outputs_.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("output ", index, " does not exist; the model has ", outputs_.size()));
  if (!hasOutputs_)
    throw Failure(GRAPHC_ERROR_ARGUMENT, "there is no output yet: it is valid after a successful run, until the next run,"
                                         " reset or change of sizes");
  const Instance::Output &output = current_->outputs()[index];
  const BoundOutput &bound = outputs_[index];
  graphc_tensor tensor{};
  tensor.size = sizeof tensor;
  tensor.data = bound.isBound ? bound.data : bound.own.data();
  tensor.dtype = model_->outputs()[index].dtype;
  tensor.rank = static_cast<uint32_t>(output.dims.size());
  tensor.dims = output.dims.data();
  tensor.strides = bound.isBound ? bound.strides.data() : output.strides.data();
  return tensor;
}

} // namespace graphc::runtime
