// State: variants with changing shapes (as Silero VAD's context), counters, reset, saving, and runs that fail half way.
#include "TestPlan.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace graphc;
using namespace graphc::test;

namespace {

void writeState(TestPlan &p, uint32_t state, int32_t from, int32_t value = -1) {
  plan::StateWriteT write;
  write.state = state;
  write.from = from;
  write.value = value;
  p.step(std::move(write));
}

/// out = x the first time (state `last` has shape [0]); later out = x + last. last becomes x [B, 3]; `count` counts runs.
TestPlan accumulator() {
  TestPlan p;
  const int b = p.symbol("B", 1, 100, SymbolSource::InputDim, 0, 0), three = p.constant(3);
  const int count = p.symbol("count", 0, INT64_MAX, SymbolSource::StateValue, 1);
  const int next = p.binary(DimOp::Add, count, p.constant(1)), elements = p.binary(DimOp::Mul, b, three);
  p.input("x", DType::F32, {b, three});
  p.output("out", DType::F32, {b, three});
  p.output("count", DType::I64, {});
  const uint32_t last = p.state("last", DType::F32, {0}), counter = p.state("count", DType::I64, {});
  const auto common = [&](bool first) {
    const uint32_t x = p.inputBuffer(0), out = p.outputBuffer(0), n = p.outputBuffer(1);
    p.stateBuffer(last, first ? std::vector<int>{p.constant(0)} : std::vector<int>{b, three});
    p.stateBuffer(counter, {});
    if (first) {
      plan::CopyT copy;
      copy.from = x, copy.to = out;
      p.step(std::move(copy));
    } else {
      p.launch("add_f32", {x, static_cast<uint32_t>(p.variant().states[last]), out}, elements);
    }
    writeState(p, last, static_cast<int>(x));
    writeState(p, counter, -1, next);
    plan::StoreDimT store;
    store.to = n, store.value = next;
    p.step(std::move(store));
  };
  common(true);
  p.variant().name = "first call";
  p.variant().next = {1};
  p.addVariant();
  common(false);
  p.plan.start = {0};
  return p;
}

struct Result {
  std::vector<float> out;
  int64_t count;
};

Result step(Context &context, float value, int64_t b = 2) {
  std::vector<float> x(static_cast<size_t>(b) * 3, value);
  context.setInput(0, Tensor(x.data(), {b, 3}));
  context.run();
  const Tensor out = context.output(0);
  return {{out.data<float>(), out.data<float>() + out.elementCount()}, *context.output("count").data<int64_t>()};
}

} // namespace

TEST(State, VariantsFollowEachOther) {
  const TestPlan p = accumulator();
  Context context(p.open());
  EXPECT_EQ(context.state(0).rank, 1u);
  EXPECT_EQ(context.state(0).bytes, 0u);
  EXPECT_STREQ(context.state(0).attribute, "model.last");
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(step(context, 1).out[0], 1);
    EXPECT_EQ(context.state(0).rank, 2u);
    EXPECT_EQ(context.state(0).dims[0], 2);
    EXPECT_EQ(context.state(0).bytes, 24u);
    EXPECT_EQ(step(context, 10).out[5], 11);
    const Result third = step(context, 100);
    EXPECT_EQ(third.out[5], 110);
    EXPECT_EQ(third.count, 3);
    context.reset();
    EXPECT_EQ(context.state(0).rank, 1u);
  }
}

TEST(State, AnotherBatchSizeNeedsAReset) {
  const TestPlan p = accumulator();
  Context context(p.open());
  step(context, 1, 2);
  try {
    step(context, 1, 3);
    FAIL() << "the state of batch 2 served batch 3";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), GRAPHC_ERROR_INPUT);
    EXPECT_STREQ(error.what(), "state 'last' has shape [2, 3] from the runs before, these inputs need [3, 3]; give inputs of the"
                               " same sizes or call graphc_context_reset first");
  }
  EXPECT_EQ(step(context, 5, 2).out[0], 6) << "a refused run changes nothing";
  context.reset();
  EXPECT_EQ(step(context, 1, 3).count, 1);
  EXPECT_EQ(step(context, 1, 3).out.size(), 9u);
}

TEST(State, ContextsHaveTheirOwn) {
  const TestPlan p = accumulator();
  const Model model = p.open();
  Context a(model), b(model);
  step(a, 1);
  EXPECT_EQ(step(b, 2).count, 1);
  EXPECT_EQ(step(a, 3).out[0], 4);
}

TEST(State, SavesLoadsReadsAndWrites) {
  const TestPlan p = accumulator();
  const Model model = p.open();
  Context a(model);
  const std::vector<unsigned char> fresh = a.saveState();
  step(a, 1);
  step(a, 10);
  const std::vector<unsigned char> saved = a.saveState();
  EXPECT_EQ(step(a, 100).out[0], 110);
  Context b(model);
  b.loadState(saved);
  EXPECT_EQ(step(b, 100).out[0], 110);
  EXPECT_EQ(step(b, 0).count, 4);
  b.loadState(fresh);
  EXPECT_EQ(step(b, 7).out[0], 7);

  float last[6];
  b.readState(0, last, sizeof last);
  EXPECT_EQ(last[5], 7);
  last[5] = 1000;
  b.writeState(0, last, sizeof last);
  EXPECT_EQ(step(b, 1).out[5], 1001);
  EXPECT_THROW(b.readState(0, last, 4), Error);
  EXPECT_THROW(b.writeState(2, last, 4), Error);

  for (size_t cut = 0; cut < saved.size(); ++cut)
    EXPECT_THROW(b.loadState({saved.begin(), saved.begin() + static_cast<long>(cut)}), Error) << cut;
  for (size_t byte = 0; byte < 48; ++byte) {
    std::vector<unsigned char> damaged = saved;
    damaged[byte] ^= 0x40;
    EXPECT_THROW(b.loadState(damaged), Error) << byte;
  }
  EXPECT_EQ(step(b, 1).out[0], 2) << "a refused load changes nothing";
}

TEST(State, SavedStateBelongsToItsArtifact) {
  const TestPlan p = accumulator();
  TestPlan other = accumulator();
  other.plan.model = "other.pt";
  Context a(p.open()), b(other.open());
  EXPECT_THROW(b.loadState(a.saveState()), Error);
}

TEST(State, InitialValuesComeFromTheFile) {
  TestPlan p;
  const float initial[2] = {3, 4};
  const int two = p.constant(2);
  p.input("x", DType::F32, {two});
  p.output("out", DType::F32, {two});
  const uint32_t state = p.state("s", DType::F32, {2}, static_cast<int>(p.constantData("s", DType::F32, {2}, initial)));
  const uint32_t x = p.inputBuffer(0), out = p.outputBuffer(0), s = p.stateBuffer(state, {two});
  p.launch("add_f32", {x, s, s}, two); // in place
  plan::CopyT copy;
  copy.from = s, copy.to = out;
  p.step(std::move(copy));
  Context context(p.open());
  std::vector<float> one = {1, 1};
  context.setInput(0, Tensor(one.data(), {2}));
  for (int round = 0; round < 2; ++round) {
    context.run();
    EXPECT_EQ(context.output(0).data<float>()[0], 4);
    context.run();
    EXPECT_EQ(context.output(0).data<float>()[1], 6);
    context.reset();
  }
}

TEST(State, LargeZeroStateIsZeroAgainAfterAReset) {
  TestPlan p;
  const int n = p.constant(1 << 20); // 4 MiB of floats
  p.output("out", DType::F32, {n});
  const uint32_t state = p.state("s", DType::F32, {1 << 20}), s = p.stateBuffer(state, {n});
  p.launch("bump_f32", {s}, n);
  p.variant().outputs = {s};
  Context context(p.open());
  for (int round = 0; round < 2; ++round) {
    context.run();
    EXPECT_EQ(context.output(0).data<float>()[(1 << 20) - 1], 1);
    context.run();
    EXPECT_EQ(context.output(0).data<float>()[0], 2);
    context.reset();
  }
}

TEST(State, AFailedRunNeedsAReset) {
  TestPlan p;
  p.constant(5); // dims[0]: the table's size
  const int two = p.constant(2);
  const float table[5] = {0, 1, 2, 3, 4};
  p.input("index", DType::I64, {two});
  p.output("out", DType::F32, {two});
  const uint32_t state = p.state("s", DType::F32, {2});
  const uint32_t c = p.constantBuffer(p.constantData("t", DType::F32, {5}, table));
  const uint32_t index = p.inputBuffer(0), out = p.outputBuffer(0), s = p.stateBuffer(state, {two});
  p.launch("gather_f32", {c, index, out}, two);
  p.launch("add_f32", {out, s, s}, two);
  Context context(p.open());
  std::vector<int64_t> at = {1, 9};
  context.setInput(0, Tensor(at.data(), {2}));
  EXPECT_EQ(graphc_context_run(context.get()), GRAPHC_ERROR_RUN);
  at[1] = 2;
  EXPECT_EQ(graphc_context_run(context.get()), GRAPHC_ERROR_NEEDS_RESET);
  EXPECT_NE(std::string(graphc_last_error()).find("graphc_context_reset"), std::string::npos);
  size_t bytes = 0;
  EXPECT_EQ(graphc_context_state_save(context.get(), nullptr, &bytes), GRAPHC_ERROR_NEEDS_RESET);
  context.reset();
  context.run();
  float values[2];
  context.readState(0, values, sizeof values);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 2);
}

TEST(State, ChoosesAmongVariantsByTheirConditions) {
  TestPlan p; // out = 1 for N < 10, else 2
  const int n = p.symbol("N", 1, 20, SymbolSource::InputDim, 0, 0), ten = p.constant(10);
  p.input("x", DType::F32, {n});
  p.output("out", DType::I64, {});
  for (int64_t value : {1, 2}) {
    if (value == 2)
      p.addVariant();
    plan::StoreDimT store;
    p.inputBuffer(0);
    store.to = p.outputBuffer(0), store.value = p.constant(value);
    p.step(std::move(store));
    auto when = std::make_unique<plan::GuardT>();
    when->lhs = n, when->rhs = ten, when->relation = value == 1 ? Relation::Lt : Relation::Ge;
    p.variant().when.push_back(std::move(when));
    p.variant().next = {0, 1};
  }
  p.plan.start = {0, 1};
  Context context(p.open());
  std::vector<float> x(20);
  for (int64_t size : {5, 15, 15, 9, 10}) {
    context.setInput(0, Tensor(x.data(), {size}));
    context.run();
    EXPECT_EQ(*context.output(0).data<int64_t>(), size < 10 ? 1 : 2);
  }
  p.variant().when[0]->rhs = p.constant(12); // nothing fits 10 and 11 now
  Context gap(p.open());
  gap.setInput(0, Tensor(x.data(), {11}));
  EXPECT_EQ(graphc_context_run(gap.get()), GRAPHC_ERROR_INPUT);
  EXPECT_NE(std::string(graphc_last_error()).find("needs N >= 12, found 11 and 12"), std::string::npos) << graphc_last_error();
}
