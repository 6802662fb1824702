// If, loop and raise steps.
#include "TestPlan.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::test;

namespace {

/// out = c ? x + x : x (through an arena buffer that both branches write).
TestPlan branchPlan() {
  TestPlan p;
  const int n = p.symbol("N", 1, 1 << 16, SymbolSource::InputDim, 1, 0), chunk = p.constant(8);
  p.input("c", DType::Bool, {});
  p.input("x", DType::F32, {n});
  p.output("out", DType::F32, {n});
  const uint32_t c = p.inputBuffer(0), x = p.inputBuffer(1), out = p.outputBuffer(0), t = p.arenaBuffer(DType::F32, {n}, 0, 3);
  plan::IfT branch;
  branch.predicate = static_cast<int>(c), branch.then_end = 2, branch.else_end = 3;
  p.step(std::move(branch));
  p.launch("double_f32", {x, t}, n, chunk);
  plan::CopyT copy;
  copy.from = x, copy.to = t;
  p.step(std::move(copy));
  p.launch("double_f32", {t, out}, n, chunk);
  return p;
}

/// i = x; while (i < 10) i = i + 1, at most `trip` times; out = i, n = last iteration number.
TestPlan loopPlan(int64_t trip) {
  TestPlan p;
  p.constant(0);
  p.constant(10); // dims[1], what less_i64 compares with
  const int one = p.constant(1);
  p.input("x", DType::I64, {});
  p.output("out", DType::I64, {});
  p.output("n", DType::I64, {});
  const uint32_t x = p.inputBuffer(0), out = p.outputBuffer(0), n = p.outputBuffer(1);
  const uint32_t i = p.arenaBuffer(DType::I64, {}, 0, 5), next = p.arenaBuffer(DType::I64, {}, 2, 4),
                 more = p.arenaBuffer(DType::Bool, {}, 1, 5);
  plan::CopyT copy;
  copy.from = x, copy.to = i;
  p.step(copy);
  p.launch("less_i64", {i, more}, one);
  plan::LoopT loop;
  loop.trip_dim = trip < 0 ? -1 : p.constant(trip);
  loop.condition = static_cast<int>(more), loop.iteration = static_cast<int>(n), loop.body_end = 5;
  auto carry = std::make_unique<plan::CarryT>();
  carry->from = next, carry->to = i;
  loop.carried.push_back(std::move(carry));
  p.step(std::move(loop));
  p.launch("increment_i64", {i, next}, one);
  p.launch("less_i64", {next, more}, one);
  copy.from = i, copy.to = out;
  p.step(copy);
  p.variant().buffers[next]->first_step = 2;
  return p;
}

int64_t runLoop(Context &context, int64_t x) {
  context.setInput(0, Tensor(&x, {}));
  context.run();
  return *context.output(0).data<int64_t>();
}

} // namespace

TEST(ControlFlow, IfTakesOneBranch) {
  const TestPlan p = branchPlan();
  Pool pool(2);
  auto options = sized<graphc_context_options>();
  options.pool = pool.get();
  Context context(p.open(), &options);
  std::vector<float> x(100, 3);
  context.setInput(1, Tensor(x.data(), {100}));
  for (bool c : {true, false, true, true, false}) {
    context.setInput(0, Tensor(&c, {}));
    context.run();
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(context.output(0).data<float>()[i], c ? 12 : 6);
  }
}

TEST(ControlFlow, LoopStopsByConditionAndTripCount) {
  const TestPlan open = loopPlan(-1), bounded = loopPlan(4);
  Context a(open.open()), b(bounded.open());
  EXPECT_EQ(runLoop(a, 3), 10);
  EXPECT_EQ(*a.output(1).data<int64_t>(), 6);
  EXPECT_EQ(runLoop(a, 12), 12) << "no iteration";
  EXPECT_EQ(runLoop(b, 3), 7);
  EXPECT_EQ(*b.output(1).data<int64_t>(), 3);
  EXPECT_EQ(runLoop(b, 8), 10);
}

TEST(ControlFlow, RaiseEndsTheRunWithItsText) {
  TestPlan p;
  const int n = p.constant(1);
  p.input("bad", DType::Bool, {});
  p.input("x", DType::F32, {n});
  p.output("out", DType::F32, {n});
  const uint32_t bad = p.inputBuffer(0), x = p.inputBuffer(1), out = p.outputBuffer(0);
  plan::RaiseT raise;
  raise.predicate = static_cast<int>(bad), raise.message = p.message("ValueError: sampling rate must be 8000 or 16000");
  p.step(std::move(raise)).locations = {p.location("vad.py", 31, "")};
  p.launch("double_f32", {x, out}, n);
  Context context(p.open());
  float value = 4;
  context.setInput(1, Tensor(&value, {1}));
  for (bool b : {false, true, false}) {
    context.setInput(0, Tensor(&b, {}));
    if (!b) {
      context.run();
      EXPECT_EQ(*context.output(0).data<float>(), 8);
      continue;
    }
    try {
      context.run();
      FAIL();
    } catch (const Error &error) {
      EXPECT_EQ(error.code, 3);
      EXPECT_STREQ(error.what(), "the run failed: ValueError: sampling rate must be 8000 or 16000, at vad.py:31");
    }
  }
}

TEST(ControlFlow, LibraryAndFallbackStepsAreRefusedByName) {
  for (bool library : {true, false}) {
    TestPlan p = addPlan();
    plan::LibraryCallT call;
    call.library = "cublasLt", call.function = "matmul";
    plan::FallbackT fallback;
    fallback.plugin = "torch";
    library ? p.step(std::move(call)) : p.step(std::move(fallback));
    try {
      p.open();
      FAIL();
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), GRAPHC_ERROR_UNSUPPORTED);
      EXPECT_NE(std::string(error.what()).find(library ? "a call of matmul of library cublasLt" : "plugin torch"), std::string::npos)
          << error.what();
    }
  }
}
