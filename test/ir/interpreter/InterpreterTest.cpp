// The graph interpreter: whole functions, state, symbolic dims and what it refuses.
#include "ir/interpreter/Interpreter.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace graphc;
using namespace graphc::interpreter;

namespace {

class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect, mlir::func::FuncDialect>();
  }
  void parse(const char *text) { module = mlir::parseSourceString<mlir::ModuleOp>(text, &context); }
  mlir::func::FuncOp function(llvm::StringRef name) { return module->lookupSymbol<mlir::func::FuncOp>(name); }
  Tensor floats(std::vector<int64_t> sizes, std::vector<double> values) {
    Tensor tensor(mlir::Float32Type::get(&context), sizes);
    tensor.elements.floats = std::move(values);
    return tensor;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(InterpreterTest, MlpWithSoftmaxOverSymbolicBatch) {
  parse(R"(
    graph.parameter @w = dense<[[1.0, -1.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
    graph.parameter @b = dense<[0.0, 0.0, -10.0]> : tensor<3xf32>
    func.func @forward(%x: tensor<?x2xf32, #graph.info<dims = [B, 2]>>) -> tensor<?x3xf32, #graph.info<dims = [B, 3]>> {
      %w = graph.get @w : tensor<3x2xf32>
      %b = graph.get @b : tensor<3xf32>
      %0 = graph.linear %x, %w bias %b : (tensor<?x2xf32, #graph.info<dims = [B, 2]>>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x3xf32, #graph.info<dims = [B, 3]>>
      %1 = graph.relu %0 : (tensor<?x3xf32, #graph.info<dims = [B, 3]>>) -> tensor<?x3xf32, #graph.info<dims = [B, 3]>>
      %2 = graph.softmax %1 dim 1 : (tensor<?x3xf32, #graph.info<dims = [B, 3]>>) -> tensor<?x3xf32, #graph.info<dims = [B, 3]>>
      return %2 : tensor<?x3xf32, #graph.info<dims = [B, 3]>>
    })");
  ASSERT_TRUE(module);
  Interpreter interpreter(*module);
  llvm::Expected<std::vector<Tensor>> y = interpreter.run(function("forward"), {floats({2, 2}, {1, 2, 3, 1})});
  ASSERT_TRUE(bool(y)) << llvm::toString(y.takeError());
  // relu(linear) is [0, 2, 0] and [2, 1, 0].
  double sum0 = 2 + std::exp(2.0), sum1 = std::exp(2.0) + std::exp(1.0) + 1;
  const std::vector<double> &values = y->front().elements.floats;
  EXPECT_NEAR(values[0], 1 / sum0, 1e-7);
  EXPECT_NEAR(values[1], std::exp(2.0) / sum0, 1e-7);
  EXPECT_NEAR(values[3], std::exp(2.0) / sum1, 1e-7);
  EXPECT_NEAR(values[5], 1 / sum1, 1e-7);
}

TEST_F(InterpreterTest, StateOutlivesARunAndIsReset) {
  parse(R"(
    graph.state @h attribute "h" = dense<1.0> : tensor<1xf32>
    func.func @forward(%x: tensor<1xf32>) -> tensor<1xf32> {
      %h = graph.read_state @h : tensor<1xf32>
      %0 = graph.add %h, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      graph.write_state @h, %0 : tensor<1xf32>
      return %0 : tensor<1xf32>
    })");
  ASSERT_TRUE(module);
  Interpreter interpreter(*module);
  auto step = [&] { return llvm::cantFail(interpreter.run(function("forward"), {floats({1}, {2})}))[0].elements.floats[0]; };
  EXPECT_EQ(step(), 3);
  EXPECT_EQ(step(), 5);
  interpreter.resetState();
  EXPECT_EQ(step(), 3);
}

TEST_F(InterpreterTest, RefusesWrongInputsAndFailedGuards) {
  parse(R"(
    func.func @forward(%x: tensor<?x2xf32, #graph.info<dims = [B, 2]>>) -> tensor<?x2xf32, #graph.info<dims = [B, 2]>> {
      graph.guard <B> "<=" <2>, "the batch may be at most 2"
      return %x : tensor<?x2xf32, #graph.info<dims = [B, 2]>>
    })");
  ASSERT_TRUE(module);
  Interpreter interpreter(*module);
  auto message = [&](std::vector<Tensor> inputs) {
    llvm::Expected<std::vector<Tensor>> y = interpreter.run(function("forward"), std::move(inputs));
    return y ? std::string("none") : llvm::toString(y.takeError());
  };
  EXPECT_NE(message({}).find("takes 1 inputs, found 0"), std::string::npos);
  EXPECT_NE(message({floats({1, 3}, {1, 2, 3})}).find("dim 1 is 3, expected 2"), std::string::npos);
  EXPECT_NE(message({floats({3, 2}, {1, 2, 3, 4, 5, 6})}).find("at most 2"), std::string::npos);
  EXPECT_EQ(message({floats({2, 2}, {1, 2, 3, 4})}), "none");
}

} // namespace
