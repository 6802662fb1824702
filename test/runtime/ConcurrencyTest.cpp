// Several contexts at once, pools, streams, completions, calls that overlap.
#include "TestPlan.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace graphc;
using namespace graphc::test;

namespace {

/// 20 dependent steps, each split in chunks: out = a + 20 b.
TestPlan longPlan() {
  TestPlan p;
  const int n = p.symbol("N", 1, 1 << 20, SymbolSource::InputDim, 0, 0), chunk = p.constant(50);
  p.input("a", DType::F32, {n});
  p.input("b", DType::F32, {n});
  p.output("out", DType::F32, {n});
  const uint32_t a = p.inputBuffer(0), b = p.inputBuffer(1), out = p.outputBuffer(0);
  uint32_t from = a;
  for (uint32_t i = 0; i < 20; ++i) {
    const uint32_t to = i == 19 ? out : p.arenaBuffer(DType::F32, {n}, i, i + 1);
    p.launch("add_f32", {from, b, to}, n, chunk);
    from = to;
  }
  return p;
}

void runMany(const Model &model, graphc_context_options options, float seed, int rounds) {
  Context context(model, &options);
  for (int round = 0; round < rounds; ++round) {
    const int64_t n = 100 + 37 * (round % 5);
    std::vector<float> a(static_cast<size_t>(n), seed), b(static_cast<size_t>(n), static_cast<float>(round));
    context.setInput(0, Tensor(a.data(), {n}));
    context.setInput(1, Tensor(b.data(), {n}));
    context.run();
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(context.output(0).data<float>()[i], seed + 20.0f * static_cast<float>(round));
  }
}

} // namespace

TEST(Concurrency, ContextsShareThePoolOrRunInline) {
  const TestPlan p = longPlan();
  const Model model = p.open();
  Pool pool(3);
  for (graphc_when_busy whenBusy : {GRAPHC_BUSY_RUN_INLINE, GRAPHC_BUSY_WAIT}) {
    auto options = sized<graphc_context_options>();
    options.pool = pool.get();
    options.when_busy = whenBusy;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] { runMany(model, options, static_cast<float>(t), 200); });
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST(Concurrency, TheProcessPoolServesThreadsWithBudgets) {
  const TestPlan p = longPlan();
  const Model model = p.open();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto options = sized<graphc_context_options>();
      options.threads = t;
      runMany(model, options, static_cast<float>(t), 100);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Concurrency, AForkedChildStillRuns) {
  const TestPlan p = longPlan();
  const Model model = p.open();
  Pool pool(4);
  auto options = sized<graphc_context_options>();
  options.pool = pool.get();
  runMany(model, options, 1, 5); // the threads exist in the parent only
  const pid_t child = fork();
  if (child == 0) {
    Context context(model, &options);
    std::vector<float> a(1000, 1), b(1000, 2);
    context.setInput(0, Tensor(a.data(), {1000}));
    context.setInput(1, Tensor(b.data(), {1000}));
    context.run();
    _exit(context.output(0).data<float>()[999] == 41 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Concurrency, StreamsRunInOrderAndReportFailures) {
  const TestPlan p = longPlan();
  const Model model = p.open();
  Stream stream;
  std::vector<Context> contexts;
  std::vector<Completion> completions;
  std::vector<float> a(500, 1), b(500, 2);
  for (int i = 0; i < 8; ++i) {
    contexts.emplace_back(model);
    contexts.back().setInput(0, Tensor(a.data(), {500}));
    if (i != 5)
      contexts.back().setInput(1, Tensor(b.data(), {500}));
  }
  for (Context &context : contexts)
    completions.push_back(context.runAsync(&stream));
  stream.synchronize();
  for (size_t i = 0; i < completions.size(); ++i) {
    EXPECT_TRUE(completions[i].done());
    if (i == 5) {
      EXPECT_THROW(completions[i].wait(), Error);
      EXPECT_NE(std::string(graphc_last_error()).find("input 'b'"), std::string::npos);
      continue;
    }
    completions[i].wait();
    EXPECT_EQ(contexts[i].output(0).data<float>()[499], 41);
  }
  Completion immediate = contexts[0].runAsync();
  EXPECT_TRUE(immediate.done());
}

TEST(Concurrency, OverlappingCallsAreRefused) {
  TestPlan p; // a loop that ends by its trip count only: long enough to be caught running
  p.output("n", DType::I64, {});
  plan::LoopT loop;
  loop.trip_dim = p.constant(3'000'000);
  loop.iteration = static_cast<int>(p.outputBuffer(0));
  loop.body_end = 1;
  p.step(std::move(loop));
  Context context(p.open());
  Stream stream;
  graphc_status run = GRAPHC_OK, reset = GRAPHC_OK;
  for (int attempt = 0; attempt < 20 && (run == GRAPHC_OK || reset == GRAPHC_OK); ++attempt) {
    Completion completion = context.runAsync(&stream);
    run = graphc_context_run(context.get());
    reset = graphc_context_reset(context.get());
    completion.wait();
  }
  EXPECT_EQ(run, GRAPHC_ERROR_BUSY);
  EXPECT_EQ(reset, GRAPHC_ERROR_BUSY);
  EXPECT_NE(std::string(graphc_last_error()).find("one call at a time"), std::string::npos);
  EXPECT_EQ(*context.output(0).data<int64_t>(), 2'999'999);
}

TEST(Concurrency, DevicesOtherThanTheCpuAreAbsent) {
  EXPECT_EQ(graphc_device_count(GRAPHC_DEVICE_CPU), 1);
  EXPECT_EQ(graphc_device_count(GRAPHC_DEVICE_CUDA), 0);
  graphc_stream *stream = nullptr;
  EXPECT_EQ(graphc_stream_create(GRAPHC_DEVICE_CUDA, 0, &stream), GRAPHC_ERROR_UNSUPPORTED);
  EXPECT_EQ(graphc_stream_create(GRAPHC_DEVICE_CPU, 3, &stream), GRAPHC_ERROR_ARGUMENT);
}
