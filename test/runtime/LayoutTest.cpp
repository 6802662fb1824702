// How launches are cut, physical orders of inputs and outputs, inputs that the model writes, one buffer as several outputs.
#include "TestPlan.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace graphc;
using namespace graphc::test;

namespace {

/// Sizes of the calls that a launch of 1000 units in chunks of 64 with this estimated cost was cut into.
std::vector<int64_t> callSizes(uint32_t threads, int64_t costNs, int64_t candidateChunk = -1) {
  TestPlan p;
  const int n = p.constant(1000);
  p.output("out", DType::I64, {n});
  p.launch("call_size_i64", {p.outputBuffer(0)}, n, p.constant(64));
  p.variant().steps[0]->body.AsLaunch()->cost_ns = costNs < 0 ? -1 : p.constant(costNs);
  p.candidateChunk = candidateChunk < 0 ? -1 : p.constant(candidateChunk);
  Pool pool(threads);
  auto options = sized<graphc_context_options>();
  options.pool = pool.get();
  Context context(p.open(), &options);
  context.run();
  const int64_t *sizes = context.output(0).data<int64_t>();
  return {sizes, sizes + 1000};
}

int64_t total(const std::vector<float> &values) {
  double sum = 0;
  for (float value : values)
    sum += value;
  return static_cast<int64_t>(sum);
}

} // namespace

TEST(Layout, SmallLaunchesStayWhole) {
  EXPECT_EQ(callSizes(2, 9999), std::vector<int64_t>(1000, 1000));
  EXPECT_EQ(callSizes(1, 1000000), std::vector<int64_t>(1000, 1000)) << "one thread has nothing to share";
}

TEST(Layout, LargeLaunchesAreCutByTheirChunk) {
  for (int64_t cost : {int64_t(10000), int64_t(-1)}) {
    const std::vector<int64_t> sizes = callSizes(3, cost);
    EXPECT_TRUE(std::all_of(sizes.begin(), sizes.begin() + 960, [](int64_t size) { return size == 64; }));
    EXPECT_TRUE(std::all_of(sizes.begin() + 960, sizes.end(), [](int64_t size) { return size == 40; }));
  }
}

TEST(Layout, ACandidateHasItsOwnChunk) { EXPECT_EQ(callSizes(2, 20000, 500), std::vector<int64_t>(1000, 500)); }

TEST(Layout, OrdersGiveTheDefaultStrides) {
  TestPlan p; // x [2, 3] stored column by column
  const int two = p.constant(2), three = p.constant(3);
  p.input("x", DType::F32, {two, three});
  p.output("out", DType::F32, {two, three});
  p.plan.inputs[0]->order = p.plan.outputs[0]->order = {1, 0};
  p.launch("double_f32", {p.inputBuffer(0), p.outputBuffer(0)}, p.constant(6));
  const Model model = p.open();
  EXPECT_EQ(model.input(0).order[0], 1u);
  Context context(model);
  std::vector<float> columns = {1, 4, 2, 5, 3, 6}, rows = {1, 2, 3, 4, 5, 6};
  for (bool inOrder : {true, false}) {
    if (inOrder)
      context.setInput(0, Tensor(columns.data(), {2, 3}));
    else
      context.setInput(0, Tensor(rows.data(), {2, 3}, {3, 1}));
    context.run();
    const Tensor out = context.output(0);
    EXPECT_EQ(out.strides(), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(std::vector<float>(out.data<float>(), out.data<float>() + 6), (std::vector<float>{2, 8, 4, 10, 6, 12}));
  }
  std::vector<float> bound(6);
  context.bindOutput(0, Tensor(bound.data(), {2, 3}, {3, 1}));
  context.run();
  EXPECT_EQ(bound, (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(Layout, MutatedInputsAreWrittenBack) {
  TestPlan p;
  const int n = p.symbol("N", 1, 100, SymbolSource::InputDim, 0, 0);
  p.input("x", DType::F32, {n});
  p.input("y", DType::F32, {n});
  p.plan.inputs[0]->mutated = true;
  p.output("sum", DType::F32, {n});
  const uint32_t x = p.inputBuffer(0), y = p.inputBuffer(1);
  p.launch("bump_f32", {x}, n);
  p.launch("add_f32", {x, y, p.outputBuffer(0)}, n);
  Context context(p.open());
  std::vector<float> a(30, 1), b(10, 5);
  context.setInput(1, Tensor(b.data(), {10}));
  context.setInput(0, Tensor(a.data(), {10}));
  context.run();
  EXPECT_EQ(total(a), 40) << "in place";
  context.setInput(0, Tensor(a.data(), {10}, {3}));
  context.run();
  EXPECT_EQ(total(a), 50) << "through a copy";
  EXPECT_EQ(a[27], 2);
  EXPECT_EQ(context.output(0).data<float>()[0], 8);
  EXPECT_THROW(context.setInput(0, Tensor(a.data(), {10}, {0})), Error);
  context.setInput(0, Tensor(b.data(), {10}));
  EXPECT_EQ(graphc_context_run(context.get()), GRAPHC_ERROR_INPUT);
  EXPECT_NE(std::string(graphc_last_error()).find("input 'x', which the model writes, overlaps input 'y'"), std::string::npos);
}

TEST(Layout, OneBufferServesSeveralOutputs) {
  TestPlan p;
  const int n = p.constant(4);
  p.input("x", DType::F32, {n});
  p.output("a", DType::F32, {n});
  p.output("b", DType::F32, {n});
  const uint32_t x = p.inputBuffer(0), out = p.outputBuffer(0);
  p.launch("double_f32", {x, out}, n);
  p.variant().outputs = {out, out};
  Context context(p.open());
  std::vector<float> in = {1, 2, 3, 4}, bound(8);
  context.setInput(0, Tensor(in.data(), {4}));
  context.run();
  EXPECT_EQ(context.output(1).data<float>()[3], 8);
  EXPECT_NE(context.output(1).data<float>(), context.output(0).data<float>());
  context.bindOutput(0, Tensor(bound.data(), {4}, {2}));
  context.run();
  EXPECT_EQ(bound[6], 8);
  EXPECT_EQ(context.output(1).data<float>()[3], 8);
  EXPECT_THROW(context.bindOutput(1, Tensor(bound.data() + 6, {2})), Error);
  context.bindOutput(1, Tensor(bound.data() + 4, {4}));
  EXPECT_EQ(graphc_context_run(context.get()), GRAPHC_ERROR_INPUT);
  EXPECT_NE(std::string(graphc_last_error()).find("overlaps output 'a'"), std::string::npos) << graphc_last_error();
}
