// Running: values, sizes, threads, layouts of inputs and outputs, memory modes.
#include "TestPlan.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <sys/resource.h>
#include <unistd.h>

using namespace graphc;
using namespace graphc::test;

namespace {

std::vector<float> ramp(size_t count, float start, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = start + step * static_cast<float>(i);
  return values;
}

/// exp-sum over rows of x [B, N] into out [B], rows split in chunks of 1.
TestPlan rowPlan() {
  TestPlan p;
  const int n = p.constant(37); // dims[0], which the kernel reads
  const int b = p.symbol("B", 1, 4096, SymbolSource::InputDim, 0, 0);
  p.input("x", DType::F32, {b, n});
  p.output("out", DType::F32, {b});
  p.launch("row_sum_exp_f32", {p.inputBuffer(0), p.outputBuffer(0)}, b, p.constant(1), p.constant(37 * 8));
  return p;
}

/// out = 2 * (2 * (a + b)) through two arena buffers.
TestPlan chainPlan() {
  TestPlan p;
  const int n = p.symbol("N", 0, 1 << 20, SymbolSource::InputDim, 0, 0);
  p.input("a", DType::F32, {n});
  p.input("b", DType::F32, {n});
  p.output("out", DType::F32, {n});
  const uint32_t a = p.inputBuffer(0), b = p.inputBuffer(1), out = p.outputBuffer(0);
  const uint32_t t0 = p.arenaBuffer(DType::F32, {n}, 0, 1), t1 = p.arenaBuffer(DType::F32, {n}, 1, 2);
  const int chunk = p.constant(64);
  p.launch("add_f32", {a, b, t0}, n, chunk);
  p.launch("double_f32", {t0, t1}, n, chunk);
  p.launch("double_f32", {t1, out}, n, chunk);
  return p;
}

std::vector<float> runAdd(Context &context, std::vector<float> a, std::vector<float> b) {
  const auto n = static_cast<int64_t>(a.size());
  context.setInput("a", Tensor(a.data(), {n}));
  context.setInput("b", Tensor(b.data(), {n}));
  context.run();
  const Tensor out = context.output(0);
  EXPECT_EQ(out.dims(), std::vector<int64_t>{n});
  return {out.data<float>(), out.data<float>() + out.elementCount()};
}

} // namespace

TEST(Run, AddsSeveralSizesInOneContext) {
  const TestPlan p = addPlan();
  Context context(p.open());
  for (size_t n : {0, 1, 7, 999, 1000, 1001, 100000, 7, 0, 100000}) {
    const std::vector<float> a = ramp(n, 1, 0.5f), b = ramp(n, -3, 2);
    const std::vector<float> sum = runAdd(context, a, b);
    ASSERT_EQ(sum.size(), n);
    for (size_t i = 0; i < n; ++i)
      ASSERT_EQ(sum[i], a[i] + b[i]) << "element " << i << " of " << n;
  }
}

TEST(Run, KeepsFewInstancesAndStaysRight) {
  const TestPlan p = chainPlan();
  auto options = sized<graphc_context_options>();
  options.max_cached_shapes = 2;
  Context context(p.open(), &options);
  for (int round = 0; round < 3; ++round)
    for (size_t n : {5, 300, 64, 1, 1024}) {
      const std::vector<float> out = runAdd(context, ramp(n, 1, 1), ramp(n, 2, 1));
      for (size_t i = 0; i < n; ++i)
        ASSERT_EQ(out[i], 4 * (3 + 2 * static_cast<float>(i)));
    }
}

TEST(Run, ThreadsDoNotChangeBits) {
  const TestPlan p = rowPlan();
  const Model model = p.open();
  std::vector<float> x(501 * 37);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(static_cast<float>(i));
  std::vector<float> first;
  for (uint32_t threads : {1, 2, 3, 4, 7}) {
    Pool pool(threads);
    auto options = sized<graphc_context_options>();
    options.threads = threads;
    options.pool = pool.get();
    Context context(model, &options);
    context.setInput("x", Tensor(x.data(), {501, 37}));
    for (int round = 0; round < 20; ++round) {
      context.run();
      const float *out = context.output(0).data<float>();
      if (first.empty()) {
        first.assign(out, out + 501);
        for (size_t row = 0; row < 501; ++row) {
          double sum = 0;
          for (size_t c = 0; c < 37; ++c)
            sum += std::exp(static_cast<double>(x[row * 37 + c]));
          ASSERT_FLOAT_EQ(first[row], static_cast<float>(sum));
        }
      }
      ASSERT_EQ(std::memcmp(out, first.data(), 501 * sizeof(float)), 0) << threads << " threads, round " << round;
    }
  }
}

TEST(Run, CopiesStridedAndUnalignedInputs) {
  const TestPlan p = rowPlan();
  Context context(p.open());
  std::vector<float> x(4 * 37);
  std::iota(x.begin(), x.end(), -40.0f);
  context.setInput("x", Tensor(x.data(), {4, 37}));
  context.run();
  const float *plain = context.output(0).data<float>();
  const std::vector<float> expected(plain, plain + 4);

  std::vector<float> transposed(37 * 4 + 5);
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 37; ++c)
      transposed[static_cast<size_t>(c * 4 + r)] = x[static_cast<size_t>(r * 37 + c)];
  context.setInput("x", Tensor(transposed.data(), {4, 37}, {1, 4}));
  context.run();
  EXPECT_EQ(std::memcmp(context.output(0).data<float>(), expected.data(), 16), 0);

  std::vector<char> odd(x.size() * 4 + 1);
  std::memcpy(odd.data() + 1, x.data(), x.size() * 4);
  context.setInput("x", Tensor(odd.data() + 1, GRAPHC_F32, {4, 37}));
  context.run();
  EXPECT_EQ(std::memcmp(context.output(0).data<float>(), expected.data(), 16), 0);

  std::vector<float> one(37, 0.0f);
  context.setInput("x", Tensor(one.data(), {3, 37}, {0, 1})); // expanded rows
  context.run();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(context.output(0).data<float>()[i], 37.0f);
}

TEST(Run, WritesBoundOutputs) {
  const TestPlan p = addPlan();
  Context context(p.open());
  std::vector<float> a = ramp(10, 0, 1), b = ramp(10, 100, 1), out(32, -1);
  context.setInput(0, Tensor(a.data(), {10}));
  context.setInput(1, Tensor(b.data(), {10}));
  EXPECT_EQ(context.outputDims(0), std::vector<int64_t>{10});
  context.bindOutput("sum", Tensor(out.data(), {10}));
  context.run();
  EXPECT_EQ(context.output(0).data<float>(), out.data());
  EXPECT_EQ(out[9], 118);
  EXPECT_EQ(out[10], -1);
  context.bindOutput(0, Tensor(out.data(), {10}, {3})); // strided
  context.run();
  EXPECT_EQ(out[27], 118);
  EXPECT_EQ(out[28], -1);
  context.bindOutput(0, Tensor(out.data(), {9}));
  EXPECT_THROW(context.run(), Error);
  context.bindOutput(0, Tensor(a.data(), {10}));
  EXPECT_THROW(context.run(), Error) << "an output over an input";
  context.unbindOutput(0);
  context.run();
  EXPECT_NE(context.output(0).data<float>(), out.data());
  EXPECT_EQ(context.output(0).data<float>()[9], 118);
}

TEST(Run, AlignsWhatTheCallerDoesNot) {
  // A kernel that needs 64 bytes never sees an address of the caller's that has fewer, and nothing beside the caller's memory is touched.
  TestPlan p;
  const int ten = p.constant(10);
  p.input("a", DType::F32, {ten});
  p.output("out", DType::F32, {ten});
  p.launch("misalignment_f32", {p.inputBuffer(0), p.outputBuffer(0)}, ten);
  for (auto &buffer : p.variant().buffers)
    buffer->alignment = 64;
  Context context(p.open());
  const std::vector<float> a = ramp(10, 0, 1);
  alignas(64) std::array<char, 128> in, out;
  for (size_t offset : {0, 1, 2, 4, 8, 32}) {
    std::memcpy(in.data() + offset, a.data(), 40);
    out.fill('~');
    context.setInput(0, Tensor(in.data() + offset, GRAPHC_F32, {10}));
    context.bindOutput(0, Tensor(out.data() + offset, GRAPHC_F32, {10}));
    context.run();
    EXPECT_EQ(context.output(0).rawData(), out.data() + offset);
    EXPECT_EQ(std::memcmp(out.data() + offset, a.data(), 40), 0) << "offset " << offset;
    EXPECT_EQ(out[offset + 40], '~');
    EXPECT_TRUE(offset == 0 || out[offset - 1] == '~');
  }
}

TEST(Run, ReturnsInputsAndConstantsAsOutputs) {
  TestPlan p;
  const int n = p.symbol("N", 1, 100, SymbolSource::InputDim, 0, 0);
  const float weight[3] = {5, 6, 7};
  const uint32_t c = p.constantData("w", DType::F32, {3}, weight);
  p.input("a", DType::F32, {n});
  p.output("same", DType::F32, {n});
  p.output("w", DType::F32, {p.constant(3)});
  const uint32_t a = p.inputBuffer(0);
  p.variant().outputs = {a, p.constantBuffer(c)};
  Context context(p.open());
  std::vector<float> x = {1, 2};
  context.setInput(0, Tensor(x.data(), {2}));
  context.run();
  EXPECT_EQ(context.output(0).data<float>()[1], 2);
  EXPECT_NE(context.output(0).data<float>(), x.data());
  EXPECT_EQ(context.output("w").data<float>()[2], 7);
}

TEST(Run, WritesConcatenationInPlace) {
  TestPlan p;
  const int n = p.symbol("N", 1, 1000, SymbolSource::InputDim, 0, 0);
  const int twice = p.binary(DimOp::Add, n, n), bytes = p.bytesOf(DType::F32, {n});
  p.input("a", DType::F32, {n});
  p.output("cat", DType::F32, {twice});
  const uint32_t a = p.inputBuffer(0), cat = p.outputBuffer(0);
  const uint32_t left = p.arenaBuffer(DType::F32, {n}, 0, 1), right = p.arenaBuffer(DType::F32, {n}, 0, 1);
  p.variant().buffers[left]->alias_of = p.variant().buffers[right]->alias_of = static_cast<int>(cat);
  p.variant().buffers[right]->alias_offset = bytes;
  p.step(plan::CopyT{}).body.AsCopy()->from = a;
  p.variant().steps.back()->body.AsCopy()->to = left;
  p.launch("double_f32", {a, right}, n);
  Context context(p.open());
  std::vector<float> x = {1, 2, 3};
  context.setInput(0, Tensor(x.data(), {3}));
  context.run();
  const float expected[] = {1, 2, 3, 2, 4, 6};
  EXPECT_EQ(std::memcmp(context.output(0).data<float>(), expected, sizeof expected), 0);
}

TEST(Run, ReadsConstantsOfTheCodeImage) {
  TestPlan p;
  const int n = p.constant(8);
  p.input("a", DType::F32, {n});
  p.output("out", DType::F32, {n});
  p.launch("poly_f32", {p.inputBuffer(0), p.outputBuffer(0)}, n);
  Context context(p.open());
  std::vector<float> x(8, 8.0f);
  context.setInput(0, Tensor(x.data(), {8}));
  context.run();
  const float expected[] = {8, 4, 2, 1, 8, 4, 2, 1};
  EXPECT_EQ(std::memcmp(context.output(0).data<float>(), expected, sizeof expected), 0);
}

TEST(Run, ArenaOffGivesTheSameAndFindsOverruns) {
  auto options = sized<graphc_context_options>();
  options.arena = GRAPHC_ARENA_OFF;
  {
    const TestPlan p = chainPlan();
    Context context(p.open(), &options);
    for (size_t n : {1, 16, 17, 1000})
      EXPECT_EQ(runAdd(context, ramp(n, 1, 1), ramp(n, 2, 1)).back(), 4 * (3 + 2 * static_cast<float>(n - 1)));
  }
  TestPlan p;
  const int n = p.constant(10);
  p.input("a", DType::F32, {n});
  p.output("out", DType::F32, {n});
  const uint32_t a = p.inputBuffer(0), out = p.outputBuffer(0), t = p.arenaBuffer(DType::F32, {n}, 0, 1);
  p.launch("overrun_f32", {t}, n);
  p.launch("add_f32", {a, t, out}, n);
  Context context(p.open(), &options);
  std::vector<float> x(10, 1.0f);
  context.setInput(0, Tensor(x.data(), {10}));
  try {
    context.run();
    FAIL() << "the overrun was not seen";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), GRAPHC_ERROR_INTERNAL);
    EXPECT_NE(std::string(error.what()).find("outside of buffer"), std::string::npos) << error.what();
  }
}

TEST(Run, ArenaOffPageFaultsOnLargeOverruns) {
  TestPlan p;
  const int n = p.constant(16); // 64 bytes: the element after it is on the guard page
  p.output("out", DType::F32, {n});
  const uint32_t out = p.outputBuffer(0), t = p.arenaBuffer(DType::F32, {n}, 0, 1);
  p.launch("overrun_f32", {t}, n);
  p.launch("double_f32", {t, out}, n);
  const Model model = p.open();
  EXPECT_DEATH(
      {
        auto options = sized<graphc_context_options>();
        options.arena = GRAPHC_ARENA_OFF;
        Context(model, &options).run();
      },
      "");
}

#ifndef __SANITIZE_ADDRESS__ // its shadow needs more address space than the limit leaves
TEST(Run, AnArenaThatDoesNotFitIsAnErrorAndSmallerRunsGoOn) {
  TestPlan p;
  const int n = p.symbol("N", 0, 1 << 20, SymbolSource::InputValue, 0), one = p.constant(1);
  p.input("n", DType::I64, {});
  p.output("out", DType::F32, {one});
  p.inputBuffer(0);
  const uint32_t out = p.outputBuffer(0), t = p.arenaBuffer(DType::F32, {n, n}, 0, 1);
  p.launch("overrun_f32", {t}, p.constant(0)); // no unit: only the memory counts
  p.launch("double_f32", {t, out}, one);
  const Model model = p.open();
  const auto child = [&] {
    Context context(model);
    int64_t value = 8;
    context.setInput(0, Tensor(&value, {}));
    context.run();
    const rlimit limit{uint64_t(2) << 30, uint64_t(2) << 30};
    setrlimit(RLIMIT_AS, &limit);
    value = 30000; // 3.6 GB
    if (graphc_context_run(context.get()) != GRAPHC_ERROR_MEMORY)
      return 1;
    value = 8; // the sizes of the first run, cached
    return graphc_context_run(context.get()) == GRAPHC_OK ? 0 : 2;
  };
  EXPECT_EXIT(_exit(child()), testing::ExitedWithCode(0), "");
}
#endif

TEST(Run, ReportsAnIndexOutOfRangeWithItsLine) {
  TestPlan p;
  const int v = p.constant(5); // dims[0]: the table's size
  const int n = p.symbol("N", 1, 100, SymbolSource::InputDim, 0, 0);
  const float table[5] = {10, 11, 12, 13, 14};
  const uint32_t c = p.constantData("emb.weight", DType::F32, {5}, table);
  p.input("index", DType::I64, {n});
  p.output("out", DType::F32, {n});
  (void)v;
  const uint32_t at = p.location("model.py", 42, "encoder.emb");
  p.launch("gather_f32", {p.constantBuffer(c), p.inputBuffer(0), p.outputBuffer(0)}, n).locations = {at};
  Context context(p.open());
  std::vector<int64_t> index = {0, 4, 2};
  context.setInput(0, Tensor(index.data(), {3}));
  context.run();
  EXPECT_EQ(context.output(0).data<float>()[1], 14);
  index[1] = 7;
  try {
    context.run();
    FAIL() << "index 7 of 5 was accepted";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), GRAPHC_ERROR_RUN);
    EXPECT_EQ(error.code, 1);
    EXPECT_EQ(error.value, 7);
    EXPECT_EQ(error.extent, 5);
    EXPECT_EQ(error.line, 42u);
    EXPECT_EQ(error.file, "model.py");
    EXPECT_EQ(error.modulePath, "encoder.emb");
    EXPECT_STREQ(error.what(), "the run failed: index 7 is out of range for a dim of size 5, in gather_f32, at model.py:42"
                               " (encoder.emb)");
  }
  EXPECT_THROW(context.output(0), Error);
  index[1] = -1;
  EXPECT_THROW(context.run(), Error);
  index[1] = 3;
  context.run(); // no state: nothing to reset
  EXPECT_EQ(context.output(0).data<float>()[1], 13);
}

TEST(Run, ProfilesSteps) {
  const TestPlan p = chainPlan();
  const Model model = p.open();
  Context context(model);
  uint32_t count = 0;
  ASSERT_EQ(graphc_model_step_count(model.get(), 0, &count), GRAPHC_OK);
  ASSERT_EQ(count, 3u);
  std::vector<uint64_t> times(3);
  ASSERT_EQ(graphc_context_profile(context.get(), times.data(), times.size()), GRAPHC_OK);
  runAdd(context, ramp(100000, 1, 1), ramp(100000, 1, 1));
  for (uint64_t time : times)
    EXPECT_GT(time, 0u);
  auto info = sized<graphc_step_info>();
  ASSERT_EQ(graphc_model_step_info(model.get(), 0, 1, &info), GRAPHC_OK);
  EXPECT_STREQ(info.name, "double_f32");
  EXPECT_STREQ(info.kind, "launch");
}

TEST(Run, IndependentStepsShareARegion) {
  TestPlan p;
  const int n = p.symbol("N", 1, 1 << 20, SymbolSource::InputDim, 0, 0), chunk = p.constant(16);
  p.input("a", DType::F32, {n});
  p.output("x", DType::F32, {n});
  p.output("y", DType::F32, {n});
  const uint32_t a = p.inputBuffer(0), x = p.outputBuffer(0), y = p.outputBuffer(1);
  p.launch("double_f32", {a, x}, n, chunk);
  p.launch("add_f32", {a, a, y}, n, chunk).independent = true;
  Pool pool(3);
  auto options = sized<graphc_context_options>();
  options.pool = pool.get();
  Context context(p.open(), &options);
  const std::vector<float> in = ramp(1000, 0, 1);
  context.setInput(0, Tensor(in.data(), {1000}));
  for (int round = 0; round < 50; ++round) {
    context.run();
    for (size_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(context.output(0).data<float>()[i], 2 * in[i]);
      ASSERT_EQ(context.output(1).data<float>()[i], 2 * in[i]);
    }
  }
}
