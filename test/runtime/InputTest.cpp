// Wrong inputs: what was found, what was expected, what to do; and what a model says of its inputs.
#include "TestPlan.h"

#include <gtest/gtest.h>

#include <climits>
#include <functional>

using namespace graphc;
using namespace graphc::test;

namespace {

std::string messageOf(const std::function<void()> &call, graphc_status expected) {
  try {
    call();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "the call succeeded";
  return "";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// x [B, 4], mask [B], both needed; B in 1…8.
TestPlan twoInputs() {
  TestPlan p;
  const int b = p.symbol("B", 1, 8, SymbolSource::InputDim, 0, 0), four = p.constant(4);
  p.input("x", DType::F32, {b, four});
  p.input("mask", DType::F32, {b});
  p.output("out", DType::F32, {b});
  p.launch("double_f32", {p.inputBuffer(1), p.outputBuffer(0)}, b);
  p.inputBuffer(0);
  return p;
}

} // namespace

TEST(Input, DescribesInputsAndOutputs) {
  const TestPlan p = twoInputs();
  const Model model = p.open();
  EXPECT_EQ(model.inputCount(), 2u);
  const TensorInfo x = model.input(0);
  EXPECT_STREQ(x.name, "x");
  EXPECT_EQ(x.dtype, GRAPHC_F32);
  ASSERT_EQ(x.rank, 2u);
  EXPECT_STREQ(x.dims[0].symbol, "B");
  EXPECT_EQ(x.dims[0].value, -1);
  EXPECT_EQ(x.dims[0].min, 1);
  EXPECT_EQ(x.dims[0].max, 8);
  EXPECT_EQ(x.dims[1].value, 4);
  EXPECT_EQ(model.findInput("mask"), 1u);
  EXPECT_EQ(model.findInput("in1"), 1u);
  EXPECT_EQ(model.findOutput("out0"), 0u);
  EXPECT_TRUE(contains(messageOf([&] { model.findInput("y"); }, GRAPHC_ERROR_ARGUMENT), "it has: x, mask"));
  EXPECT_THROW(model.input(2), Error);
}

TEST(Input, RefusesWrongTensors) {
  const TestPlan p = twoInputs();
  Context context(p.open());
  std::vector<float> data(64);
  const auto refused = [&](uint32_t index, const Tensor &tensor) {
    return messageOf([&] { context.setInput(index, tensor); }, GRAPHC_ERROR_INPUT);
  };
  EXPECT_EQ(refused(0, Tensor(data.data(), GRAPHC_F64, {2, 4})), "input 'x' has dtype f64, expected f32; convert it first");
  EXPECT_EQ(refused(0, Tensor(data.data(), {2})), "input 'x' has rank 1, expected 2; add or remove dims of size 1");
  EXPECT_TRUE(contains(refused(0, Tensor(data.data(), {2, 5})), "size 5 in dim 1, expected 4;"));
  EXPECT_TRUE(contains(refused(0, Tensor(data.data(), {9, 4})), "size 9 in dim 0, expected B between 1 and 8"));
  EXPECT_TRUE(contains(refused(0, Tensor(data.data(), {0, 4})), "size 0 in dim 0"));
  EXPECT_TRUE(contains(refused(0, Tensor(data.data(), {2, 4}, {-4, 1})), "strides must not be negative"));
  EXPECT_TRUE(contains(refused(0, Tensor(data.data(), {2, 4}, {INT64_MAX, 1})), "no memory holds"));
  EXPECT_TRUE(contains(messageOf([&] { context.setInput(0, Tensor(static_cast<float *>(nullptr), {2, 4})); },
                                 GRAPHC_ERROR_ARGUMENT), "has no data"));
  EXPECT_TRUE(contains(messageOf([&] { context.setInput(5, Tensor(data.data(), {2})); }, GRAPHC_ERROR_ARGUMENT),
                       "input 5 does not exist; the model has 2"));
  EXPECT_TRUE(contains(messageOf([&] { context.run(); }, GRAPHC_ERROR_INPUT), "input 'x' (number 0 of 2) is not set"));
}

TEST(Input, RefusesSizesThatDisagree) {
  const TestPlan p = twoInputs();
  Context context(p.open());
  std::vector<float> data(64, 3);
  context.setInput("x", Tensor(data.data(), {2, 4}));
  EXPECT_TRUE(contains(messageOf([&] { context.run(); }, GRAPHC_ERROR_INPUT), "input 'mask'"));
  context.setInput("mask", Tensor(data.data(), {3}));
  const std::string message = messageOf([&] { context.run(); }, GRAPHC_ERROR_INPUT);
  EXPECT_TRUE(contains(message, "input 'mask' has size 3 in dim 0, expected B = 2")) << message;
  context.setInput("mask", Tensor(data.data(), {2}));
  context.run();
  EXPECT_EQ(context.output(0).data<float>()[1], 6);
}

TEST(Input, ChecksGuardsAndNamesTheLine) {
  TestPlan p = addPlan();
  auto guard = std::make_unique<plan::GuardT>();
  guard->lhs = p.binary(DimOp::Mod, 0, p.constant(4));
  guard->rhs = p.constant(0);
  guard->relation = Relation::Eq;
  guard->location = 1;
  guard->message = "give a multiple of 4";
  p.variant().guards.push_back(std::move(guard));
  Context context(p.open());
  std::vector<float> data(64);
  context.setInput(0, Tensor(data.data(), {8}));
  context.setInput(1, Tensor(data.data(), {8}));
  context.run();
  context.setInput(0, Tensor(data.data(), {6}));
  context.setInput(1, Tensor(data.data(), {6}));
  EXPECT_EQ(messageOf([&] { context.run(); }, GRAPHC_ERROR_INPUT),
            "these inputs don't fit: the model needs N%4 == 0, found 2 and 0, at model.py:7 (block.add); give a multiple of 4");
}

TEST(Input, RefusesStructuresOfUnknownSize) {
  const TestPlan p = addPlan();
  const Model model = p.open();
  Context context(model);
  graphc_tensor tensor{};
  EXPECT_EQ(graphc_context_set_input(context.get(), 0, &tensor), GRAPHC_ERROR_ARGUMENT);
  EXPECT_TRUE(contains(graphc_last_error(), "set it to sizeof(graphc_tensor)"));
  graphc_model_info info{};
  EXPECT_EQ(graphc_model_get_info(model.get(), &info), GRAPHC_ERROR_ARGUMENT);
  EXPECT_EQ(graphc_context_run(nullptr), GRAPHC_ERROR_ARGUMENT);
  EXPECT_EQ(graphc_context_create(nullptr, nullptr, nullptr), GRAPHC_ERROR_ARGUMENT);
}

TEST(Input, TakesIntegersAsSymbols) {
  TestPlan p;
  const int n = p.symbol("n", 0, 100, SymbolSource::InputValue, 0);
  p.input("n", DType::I64, {});
  p.output("twice", DType::I64, {});
  p.inputBuffer(0);
  const uint32_t out = p.outputBuffer(0);
  plan::StoreDimT store;
  store.to = out;
  store.value = p.binary(DimOp::Add, n, n);
  p.step(std::move(store));
  Context context(p.open());
  for (int64_t value : {3, 4, 3}) {
    context.setInput(0, Tensor(&value, {}));
    context.run();
    EXPECT_EQ(*context.output(0).data<int64_t>(), 2 * value);
  }
  int64_t large = 101;
  context.setInput(0, Tensor(&large, {}));
  EXPECT_TRUE(contains(messageOf([&] { context.run(); }, GRAPHC_ERROR_INPUT), "is 101, the model was compiled for 0 to 100"));
}

TEST(Input, SizesThatOverflowAreRefused) {
  TestPlan p;
  const int n = p.symbol("N", 0, INT64_MAX, SymbolSource::InputValue, 0);
  p.input("n", DType::I64, {});
  p.output("out", DType::F32, {p.constant(1)});
  p.inputBuffer(0);
  const uint32_t out = p.outputBuffer(0), t = p.arenaBuffer(DType::F32, {n, n}, 0, 0);
  p.launch("double_f32", {t, out}, p.constant(0));
  Context context(p.open());
  int64_t value = 4;
  context.setInput(0, Tensor(&value, {}));
  context.run();
  for (int64_t large : {INT64_MAX / 2, int64_t(1) << 40, int64_t(1) << 30}) {
    value = large;
    EXPECT_TRUE(contains(messageOf([&] { context.run(); }, GRAPHC_ERROR_INPUT), large == int64_t(1) << 30 ? "bytes" : "too large"));
  }
  value = 4;
  context.run();
}
