// Memory of the heap: none is taken by a run whose sizes were seen before, and a failure of any single allocation is an error
// that leaves everything usable. Replaces operator new of the whole test program.
#include "TestPlan.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

thread_local bool counting = false;
thread_local long allocations = 0, failAt = -1;

void *allocate(size_t bytes) {
  if (counting && allocations++ == failAt)
    throw std::bad_alloc();
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}

/// Counts (and fails) allocations of this thread for a scope.
struct Counting {
  explicit Counting(long failing = -1) {
    allocations = 0;
    failAt = failing;
    counting = true;
  }
  ~Counting() { counting = false; }
};

} // namespace

void *operator new(size_t bytes) { return allocate(bytes); }
void *operator new[](size_t bytes) { return allocate(bytes); }
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  try {
    return allocate(bytes);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
void *operator new[](size_t bytes, const std::nothrow_t &tag) noexcept { return operator new(bytes, tag); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

using namespace graphc;
using namespace graphc::test;

namespace {

graphc_tensor tensorOf(float *data, const int64_t *dims) {
  auto tensor = sized<graphc_tensor>();
  tensor.data = data;
  tensor.dtype = GRAPHC_F32;
  tensor.rank = 1;
  tensor.dims = dims;
  return tensor;
}

/// The whole life of a model through the C API: the first failing status.
graphc_status wholeLife(AlignedBytes &bytes, float *result) {
  static float a[3000], b[3000];
  a[2999] = 1, b[2999] = 2;
  const int64_t dims[1] = {3000};
  graphc_model *model = nullptr;
  graphc_context *context = nullptr;
  graphc_pool *pool = nullptr;
  const graphc_tensor x = tensorOf(a, dims), y = tensorOf(b, dims);
  auto out = sized<graphc_tensor>();
  graphc_status status = graphc_model_open_memory(bytes.data(), bytes.size(), nullptr, &model);
  if (!status)
    status = graphc_pool_create(2, &pool);
  auto options = sized<graphc_context_options>();
  options.pool = pool;
  if (!status)
    status = graphc_context_create(model, &options, &context);
  if (!status)
    status = graphc_context_set_input(context, 0, &x);
  if (!status)
    status = graphc_context_set_input(context, 1, &y);
  if (!status)
    status = graphc_context_run(context);
  if (!status)
    status = graphc_context_output(context, 0, &out);
  *result = status ? -1 : static_cast<const float *>(out.data)[2999];
  graphc_context_release(context);
  graphc_pool_destroy(pool);
  graphc_model_release(model);
  return status;
}

} // namespace

TEST(Allocation, RepeatedRunsTakeNone) {
  const TestPlan p = addPlan(100);
  const Model model = p.open();
  Pool pool(2);
  auto options = sized<graphc_context_options>();
  options.pool = pool.get();
  Context context(model, &options);
  std::vector<float> a(5000, 1), b(5000, 2);
  const int64_t sizes[3][1] = {{5000}, {300}, {0}};
  const auto runAll = [&] {
    for (const int64_t *dims : sizes) {
      const graphc_tensor x = tensorOf(a.data(), dims), y = tensorOf(b.data(), dims);
      auto out = sized<graphc_tensor>();
      if (graphc_context_set_input(context.get(), 0, &x) || graphc_context_set_input(context.get(), 1, &y) ||
          graphc_context_run(context.get()) || graphc_context_output(context.get(), 0, &out))
        return false;
    }
    return true;
  };
  ASSERT_TRUE(runAll()); // first time: instances are built
  bool fine = true;
  {
    const Counting scope;
    for (int round = 0; round < 10; ++round)
      fine &= runAll();
  }
  EXPECT_TRUE(fine) << graphc_last_error();
  EXPECT_EQ(allocations, 0);
}

TEST(Allocation, AnySingleFailureIsAnErrorAndHarmless) {
  AlignedBytes bytes(addPlan(100).bytes());
  float result = 0;
  long failing = 0, failed = 0;
  for (;; ++failing) {
    graphc_status status;
    {
      const Counting scope(failing);
      status = wholeLife(bytes, &result);
    }
    if (status != GRAPHC_OK) {
      ++failed;
      ASSERT_EQ(status, GRAPHC_ERROR_MEMORY) << "allocation " << failing << ": " << graphc_last_error();
    } else {
      ASSERT_EQ(result, 3);
    }
    if (allocations <= failing)
      break; // nothing failed any more
  }
  EXPECT_GT(failed, 30);
  EXPECT_EQ(wholeLife(bytes, &result), GRAPHC_OK);
  EXPECT_EQ(result, 3);
}
