// graphc.h: pools, streams, contexts, completions, state, profile.
#include "runtime/exec/Context.h"
#include "runtime/exec/Stream.h"
#include "runtime/status/Failure.h"

#include <cstring>

using namespace graphc;
using namespace graphc::runtime;

struct graphc_pool {
  explicit graphc_pool(unsigned threads) : pool(threads) {}
  ThreadPool pool;
};
struct graphc_stream {
  Stream stream;
};
struct graphc_context {
  std::shared_ptr<Context> context; // an asynchronous run has a share
};
struct graphc_completion {
  std::shared_ptr<Completion> completion;
};

namespace {

template <typename T> T &required(T *pointer, const char *what) {
  if (!pointer)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("the argument '", what, "' is NULL"));
  return *pointer;
}

ContextOptions optionsOf(const graphc_context_options *options) {
  ContextOptions result;
  if (!options)
    return result;
  if (options->size < sizeof *options)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("graphc_context_options::size is ", options->size, ", expected ", sizeof *options,
                                              "; set it to sizeof(graphc_context_options)"));
  result.threads = options->threads;
  result.pool = options->pool ? &options->pool->pool : nullptr;
  result.waitForPool = options->when_busy == GRAPHC_BUSY_WAIT;
  result.arenaOff = options->arena == GRAPHC_ARENA_OFF;
  if (options->max_cached_shapes > 0)
    result.maxCachedShapes = options->max_cached_shapes;
  return result;
}

/// Runs `body(context)` while the context is marked as in use.
template <typename Body> graphc_status withContext(const graphc_context *context, Body &&body) {
  return guarded([&] {
    Context &c = *required(context, "context").context;
    const Busy busy(c);
    body(c);
  });
}

/// The run of a stream's job: takes over the mark that the submitter set.
void runSubmitted(Context &context, Completion &completion) {
  std::optional<Failure> failure;
  try {
    context.run();
  } catch (const Failure &f) {
    failure = f;
  } catch (const std::bad_alloc &) {
    failure.emplace(GRAPHC_ERROR_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    failure.emplace(GRAPHC_ERROR_INTERNAL, error.what());
  }
  context.busyFlag().store(false, std::memory_order_release);
  completion.finish(std::move(failure));
}

} // namespace

extern "C" {

graphc_status graphc_pool_create(uint32_t threads, graphc_pool **pool) {
  return guarded([&] {
    required(pool, "pool") = nullptr;
    *pool = new graphc_pool(threads == 0 ? ThreadPool::availableCpus() : threads);
  });
}

void graphc_pool_destroy(graphc_pool *pool) { delete pool; }

graphc_status graphc_stream_create(graphc_device_type type, int32_t device, graphc_stream **stream) {
  return guarded([&] {
    required(stream, "stream") = nullptr;
    if (type != GRAPHC_DEVICE_CPU)
      throw Failure(GRAPHC_ERROR_UNSUPPORTED, "this version of libgraphc has no such device; use GRAPHC_DEVICE_CPU");
    if (device != 0)
      throw Failure(GRAPHC_ERROR_ARGUMENT, text("CPU device ", device, " does not exist; the only one is 0"));
    *stream = new graphc_stream{};
  });
}

graphc_status graphc_stream_synchronize(graphc_stream *stream) {
  return guarded([&] { required(stream, "stream").stream.synchronize(); });
}

void graphc_stream_destroy(graphc_stream *stream) { delete stream; }

graphc_status graphc_context_create(graphc_model *model, const graphc_context_options *options, graphc_context **context) {
  return guarded([&] {
    required(context, "context") = nullptr;
    *context = new graphc_context{std::make_shared<Context>(required(model, "model").model, optionsOf(options))};
  });
}

void graphc_context_release(graphc_context *context) { delete context; }

graphc_status graphc_context_set_input(graphc_context *context, uint32_t index, const graphc_tensor *tensor) {
  return withContext(context, [&](Context &c) { c.setInput(index, required(tensor, "tensor")); });
}

graphc_status graphc_context_bind_output(graphc_context *context, uint32_t index, const graphc_tensor *tensor) {
  return withContext(context, [&](Context &c) { c.bindOutput(index, tensor); });
}

graphc_status graphc_context_output_dims(graphc_context *context, uint32_t index, int64_t *dims, uint32_t *rank) {
  return withContext(context, [&](Context &c) {
    const std::span<const int64_t> found = c.outputDims(index);
    const uint32_t capacity = required(rank, "rank");
    *rank = static_cast<uint32_t>(found.size());
    if (found.size() > capacity)
      throw Failure(GRAPHC_ERROR_ARGUMENT, text("output ", index, " has rank ", found.size(), ", got room for ", capacity));
    for (size_t d = 0; d < found.size(); ++d)
      required(dims, "dims"), dims[d] = found[d];
  });
}

graphc_status graphc_context_run(graphc_context *context) {
  return withContext(context, [](Context &c) { c.run(); });
}

graphc_status graphc_context_run_async(graphc_context *context, graphc_stream *stream, graphc_completion **completion) {
  return guarded([&] {
    required(completion, "completion") = nullptr;
    const std::shared_ptr<Context> shared = required(context, "context").context;
    const auto result = std::make_shared<Completion>();
    auto handle = std::make_unique<graphc_completion>(graphc_completion{result});
    if (shared->busyFlag().exchange(true, std::memory_order_acquire))
      throw Failure(GRAPHC_ERROR_BUSY, "the context is running or in another call; wait for its completion first");
    try {
      if (stream)
        stream->stream.submit([shared, result] { runSubmitted(*shared, *result); });
      else
        runSubmitted(*shared, *result);
    } catch (...) {
      shared->busyFlag().store(false, std::memory_order_release);
      throw;
    }
    *completion = handle.release();
  });
}

graphc_status graphc_completion_query(graphc_completion *completion, int *done) {
  return guarded([&] { required(done, "done") = required(completion, "completion").completion->done(); });
}

graphc_status graphc_completion_wait(graphc_completion *completion) {
  return guarded([&] {
    if (const std::optional<Failure> &failure = required(completion, "completion").completion->wait())
      throw Failure(*failure);
  });
}

void graphc_completion_release(graphc_completion *completion) {
  if (!completion)
    return;
  completion->completion->wait();
  delete completion;
}

graphc_status graphc_context_output(graphc_context *context, uint32_t index, graphc_tensor *tensor) {
  return withContext(context, [&](Context &c) {
    const size_t size = required(tensor, "tensor").size;
    if (size < sizeof *tensor)
      throw Failure(GRAPHC_ERROR_ARGUMENT, text("graphc_tensor::size is ", size, ", expected ", sizeof *tensor,
                                                "; set it to sizeof(graphc_tensor)"));
    *tensor = c.output(index);
    tensor->size = size;
  });
}

graphc_status graphc_context_memory(const graphc_context *context, uint64_t *bytes) {
  return withContext(context, [&](Context &c) { required(bytes, "bytes") = c.memory(); });
}

graphc_status graphc_context_reset(graphc_context *context) {
  return withContext(context, [](Context &c) { c.reset(); });
}

graphc_status graphc_context_state_info(graphc_context *context, uint32_t index, graphc_state_info *info) {
  return withContext(context, [&](Context &c) {
    if (required(info, "info").size < sizeof *info)
      throw Failure(GRAPHC_ERROR_ARGUMENT, text("graphc_state_info::size is ", info->size, ", expected ", sizeof *info));
    const StateSlot &slot = c.state(index);
    const plan::State &state = *c.model().plan().states()->Get(index);
    info->name = state.name()->c_str();
    info->attribute = state.attribute() ? state.attribute()->c_str() : "";
    info->dtype = static_cast<graphc_dtype>(state.dtype());
    info->rank = static_cast<uint32_t>(slot.dims.size());
    info->dims = slot.dims.data();
    info->bytes = slot.bytes;
  });
}

graphc_status graphc_context_state_read(graphc_context *context, uint32_t index, void *data, size_t bytes) {
  return withContext(context, [&](Context &c) {
    if (bytes > 0)
      required(static_cast<std::byte *>(data), "data");
    c.readState(index, {static_cast<std::byte *>(data), bytes});
  });
}

graphc_status graphc_context_state_write(graphc_context *context, uint32_t index, const void *data, size_t bytes) {
  return withContext(context, [&](Context &c) {
    if (bytes > 0)
      required(static_cast<const std::byte *>(data), "data");
    c.writeState(index, {static_cast<const std::byte *>(data), bytes});
  });
}

graphc_status graphc_context_state_save(graphc_context *context, void *data, size_t *bytes) {
  return withContext(context, [&](Context &c) {
    const std::vector<std::byte> saved = c.saveState();
    const size_t capacity = required(bytes, "bytes");
    *bytes = saved.size();
    if (data && capacity < saved.size())
      throw Failure(GRAPHC_ERROR_ARGUMENT, text("the saved state has ", saved.size(), " bytes, got room for ", capacity));
    if (data)
      std::memcpy(data, saved.data(), saved.size());
  });
}

graphc_status graphc_context_state_load(graphc_context *context, const void *data, size_t bytes) {
  return withContext(context, [&](Context &c) {
    c.loadState({&required(static_cast<const std::byte *>(data), "data"), bytes});
  });
}

graphc_status graphc_context_profile(graphc_context *context, uint64_t *nanoseconds, size_t count) {
  return withContext(context, [&](Context &c) { c.setProfile(nanoseconds, count); });
}

graphc_status graphc_context_variant(const graphc_context *context, uint32_t *variant) {
  return withContext(context, [&](Context &c) { required(variant, "variant") = c.variant(); });
}

} // extern "C"
