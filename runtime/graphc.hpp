// C++17 wrapper of graphc.h, header only. Handles are owned by move-only classes; a failing call throws graphc::Error.
//
//   graphc::Model model("model.gcx");
//   graphc::Context context(model);
//   std::vector<float> samples(512);
//   context.setInput("x", graphc::Tensor(samples.data(), {1, 512}));
//   context.run();
//   float p = context.output(0).data<float>()[0];
//
// What the C API says about threads, lifetimes and errors holds here too. Builds without exceptions use the C API.
#ifndef GRAPHC_HPP
#define GRAPHC_HPP

#include "graphc.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace graphc {

/// A structure of the C API, zeroed, with its size set: auto options = graphc::sized<graphc_context_options>();
template <typename T> T sized() {
  T structure{};
  structure.size = sizeof structure;
  return structure;
}

/// A failed call: the text of graphc_last_error() and the details.
class Error : public std::exception {
public:
  explicit Error(graphc_status status) : status_(status), text_(graphc_last_error()) {
    auto details = sized<graphc_error_details>();
    if (graphc_last_error_details(&details) != GRAPHC_OK || details.status != status)
      return;
    code = details.code;
    step = details.step;
    value = details.value;
    extent = details.extent;
    op = details.op ? details.op : "";
    file = details.file ? details.file : "";
    line = details.line;
    modulePath = details.module_path ? details.module_path : "";
  }
  const char *what() const noexcept override { return text_.c_str(); }
  graphc_status status() const noexcept { return status_; }

  // Of a program error (GRAPHC_ERROR_RUN); see graphc_error_details.
  int32_t code = 0;
  int64_t step = -1, value = 0, extent = 0;
  std::string op, file, modulePath;
  uint32_t line = 0;

private:
  graphc_status status_;
  std::string text_;
};

inline void check(graphc_status status) {
  if (status != GRAPHC_OK)
    throw Error(status);
}

template <typename T> struct DTypeOf;
template <> struct DTypeOf<uint8_t> { static constexpr graphc_dtype value = GRAPHC_U8; };
template <> struct DTypeOf<int8_t> { static constexpr graphc_dtype value = GRAPHC_I8; };
template <> struct DTypeOf<int16_t> { static constexpr graphc_dtype value = GRAPHC_I16; };
template <> struct DTypeOf<int32_t> { static constexpr graphc_dtype value = GRAPHC_I32; };
template <> struct DTypeOf<int64_t> { static constexpr graphc_dtype value = GRAPHC_I64; };
template <> struct DTypeOf<float> { static constexpr graphc_dtype value = GRAPHC_F32; };
template <> struct DTypeOf<double> { static constexpr graphc_dtype value = GRAPHC_F64; };
template <> struct DTypeOf<bool> { static constexpr graphc_dtype value = GRAPHC_BOOL; };

/// A view of memory that somebody else owns.
class Tensor {
public:
  Tensor() = default;
  Tensor(void *data, graphc_dtype dtype, std::vector<int64_t> dims, std::vector<int64_t> strides = {})
      : data_(data), dtype_(dtype), dims_(std::move(dims)), strides_(std::move(strides)) {}
  template <typename T>
  Tensor(T *data, std::vector<int64_t> dims, std::vector<int64_t> strides = {})
      : Tensor(const_cast<void *>(static_cast<const void *>(data)), DTypeOf<std::remove_const_t<T>>::value,
               std::move(dims), std::move(strides)) {}

  graphc_dtype dtype() const { return dtype_; }
  const std::vector<int64_t> &dims() const { return dims_; }
  /// In elements; empty: the default.
  const std::vector<int64_t> &strides() const { return strides_; }
  int64_t elementCount() const {
    int64_t count = 1;
    for (int64_t dim : dims_)
      count *= dim;
    return count;
  }
  void *rawData() const { return data_; }
  /// Throws std::bad_cast where T isn't the tensor's dtype.
  template <typename T> T *data() const {
    if (DTypeOf<std::remove_const_t<T>>::value != dtype_)
      throw std::bad_cast();
    return static_cast<T *>(data_);
  }
  /// The C structure; valid as long as this object.
  graphc_tensor c() const {
    auto tensor = sized<graphc_tensor>();
    tensor.data = data_;
    tensor.dtype = dtype_;
    tensor.rank = static_cast<uint32_t>(dims_.size());
    tensor.dims = dims_.data();
    tensor.strides = strides_.empty() ? nullptr : strides_.data();
    return tensor;
  }

private:
  void *data_ = nullptr;
  graphc_dtype dtype_ = GRAPHC_F32;
  std::vector<int64_t> dims_, strides_;
};

/// What a model says of an input or output. Strings and dims belong to the model.
using TensorInfo = graphc_tensor_info;

/// An opened artifact. Copies share it.
class Model {
public:
  explicit Model(const std::string &path, const graphc_model_options *options = nullptr) {
    graphc_model *model = nullptr;
    check(graphc_model_open(path.c_str(), options, &model));
    handle_.reset(model, graphc_model_release);
  }
  /// The memory must outlive the model and its contexts.
  Model(const void *data, size_t size, const graphc_model_options *options = nullptr) {
    graphc_model *model = nullptr;
    check(graphc_model_open_memory(data, size, options, &model));
    handle_.reset(model, graphc_model_release);
  }

  graphc_model_info info() const {
    auto info = sized<graphc_model_info>();
    check(graphc_model_get_info(get(), &info));
    return info;
  }
  uint32_t inputCount() const { return info().input_count; }
  uint32_t outputCount() const { return info().output_count; }
  TensorInfo input(uint32_t index) const {
    auto info = sized<TensorInfo>();
    check(graphc_model_input_info(get(), index, &info));
    return info;
  }
  TensorInfo output(uint32_t index) const {
    auto info = sized<TensorInfo>();
    check(graphc_model_output_info(get(), index, &info));
    return info;
  }
  uint32_t findInput(const std::string &name) const {
    uint32_t index = 0;
    check(graphc_model_find_input(get(), name.c_str(), &index));
    return index;
  }
  uint32_t findOutput(const std::string &name) const {
    uint32_t index = 0;
    check(graphc_model_find_output(get(), name.c_str(), &index));
    return index;
  }
  void verify() const { check(graphc_model_verify(get())); }
  graphc_model *get() const { return handle_.get(); }

private:
  std::shared_ptr<graphc_model> handle_;
};

/// Worker threads of one's own; see graphc_pool_create. Must outlive the contexts that use it.
class Pool {
public:
  explicit Pool(uint32_t threads = 0) {
    graphc_pool *pool = nullptr;
    check(graphc_pool_create(threads, &pool));
    handle_.reset(pool);
  }
  graphc_pool *get() const { return handle_.get(); }

private:
  struct Destroy {
    void operator()(graphc_pool *pool) const { graphc_pool_destroy(pool); }
  };
  std::unique_ptr<graphc_pool, Destroy> handle_;
};

/// Runs submitted to it follow each other; see graphc_stream_create.
class Stream {
public:
  explicit Stream(graphc_device_type type = GRAPHC_DEVICE_CPU, int32_t device = 0) {
    graphc_stream *stream = nullptr;
    check(graphc_stream_create(type, device, &stream));
    handle_.reset(stream);
  }
  void synchronize() { check(graphc_stream_synchronize(get())); }
  graphc_stream *get() const { return handle_.get(); }

private:
  struct Destroy {
    void operator()(graphc_stream *stream) const { graphc_stream_destroy(stream); }
  };
  std::unique_ptr<graphc_stream, Destroy> handle_;
};

/// An asynchronous run. Destroying it waits.
class Completion {
public:
  explicit Completion(graphc_completion *completion) : handle_(completion) {}
  bool done() const {
    int done = 0;
    check(graphc_completion_query(handle_.get(), &done));
    return done != 0;
  }
  /// Waits; throws what the run failed with.
  void wait() { check(graphc_completion_wait(handle_.get())); }

private:
  struct Release {
    void operator()(graphc_completion *completion) const { graphc_completion_release(completion); }
  };
  std::unique_ptr<graphc_completion, Release> handle_;
};

/// One run at a time: arena, bound inputs and outputs, state.
class Context {
public:
  explicit Context(const Model &model, const graphc_context_options *options = nullptr) : model_(model) {
    graphc_context *context = nullptr;
    check(graphc_context_create(model.get(), options, &context));
    handle_.reset(context);
  }

  void setInput(uint32_t index, const Tensor &tensor) {
    graphc_tensor c = tensor.c();
    check(graphc_context_set_input(get(), index, &c));
  }
  void setInput(const std::string &name, const Tensor &tensor) { setInput(model_.findInput(name), tensor); }
  void bindOutput(uint32_t index, const Tensor &tensor) {
    graphc_tensor c = tensor.c();
    check(graphc_context_bind_output(get(), index, &c));
  }
  void bindOutput(const std::string &name, const Tensor &tensor) { bindOutput(model_.findOutput(name), tensor); }
  void unbindOutput(uint32_t index) { check(graphc_context_bind_output(get(), index, nullptr)); }
  /// The shape that the inputs set now give.
  std::vector<int64_t> outputDims(uint32_t index) const {
    uint32_t rank = model_.output(index).rank;
    std::vector<int64_t> dims(rank);
    check(graphc_context_output_dims(get(), index, dims.data(), &rank));
    dims.resize(rank);
    return dims;
  }

  void run() { check(graphc_context_run(get())); }
  /// The context belongs to the run until the completion is done; nullptr: runs before returning.
  Completion runAsync(Stream *stream = nullptr) {
    graphc_completion *completion = nullptr;
    check(graphc_context_run_async(get(), stream ? stream->get() : nullptr, &completion));
    return Completion(completion);
  }
  /// Valid until the next run, reset or the context's end.
  Tensor output(uint32_t index) const {
    auto c = sized<graphc_tensor>();
    check(graphc_context_output(get(), index, &c));
    return Tensor(c.data, c.dtype, std::vector<int64_t>(c.dims, c.dims + c.rank),
                  std::vector<int64_t>(c.strides, c.strides + c.rank));
  }
  Tensor output(const std::string &name) const { return output(model_.findOutput(name)); }

  void reset() { check(graphc_context_reset(get())); }
  graphc_state_info state(uint32_t index) const {
    auto info = sized<graphc_state_info>();
    check(graphc_context_state_info(get(), index, &info));
    return info;
  }
  void readState(uint32_t index, void *data, size_t bytes) const {
    check(graphc_context_state_read(get(), index, data, bytes));
  }
  void writeState(uint32_t index, const void *data, size_t bytes) {
    check(graphc_context_state_write(get(), index, data, bytes));
  }
  std::vector<unsigned char> saveState() const {
    size_t bytes = 0;
    check(graphc_context_state_save(get(), nullptr, &bytes));
    std::vector<unsigned char> data(bytes);
    check(graphc_context_state_save(get(), data.data(), &bytes));
    return data;
  }
  void loadState(const std::vector<unsigned char> &data) {
    check(graphc_context_state_load(get(), data.data(), data.size()));
  }
  /// Memory held now, in bytes.
  uint64_t memory() const {
    uint64_t bytes = 0;
    check(graphc_context_memory(get(), &bytes));
    return bytes;
  }
  const Model &model() const { return model_; }
  graphc_context *get() const { return handle_.get(); }

private:
  struct Release {
    void operator()(graphc_context *context) const { graphc_context_release(context); }
  };
  Model model_;
  std::unique_ptr<graphc_context, Release> handle_;
};

} // namespace graphc

#endif // GRAPHC_HPP
