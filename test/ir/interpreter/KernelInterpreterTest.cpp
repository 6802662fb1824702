// The kernel interpreter on small kernels given as text, against values computed here by hand.
#include "ir/interpreter/KernelInterpreter.h"
#include "ir/interpreter/Products.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <array>
#include <cmath>

using namespace graphc;
using namespace graphc::interpreter;

namespace {

class KernelInterpreterTest : public testing::Test {
protected:
  KernelInterpreterTest() {
    context.loadDialect<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect>();
  }

  /// The only kernel of `text`.
  kernel::FuncOp parse(const char *text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return module ? *module->getOps<kernel::FuncOp>().begin() : kernel::FuncOp();
  }
  Tensor floats(std::vector<int64_t> sizes, std::vector<double> values) {
    Tensor tensor(mlir::Float32Type::get(&context), sizes);
    tensor.elements.floats = std::move(values);
    return tensor;
  }
  Tensor ints(std::vector<int64_t> sizes, std::vector<int64_t> values) {
    Tensor tensor(mlir::IntegerType::get(&context, 64), sizes);
    tensor.elements.ints = std::move(values);
    return tensor;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::StringMap<int64_t> symbols;
};

TEST_F(KernelInterpreterTest, SoftmaxRow) {
  kernel::FuncOp func = parse(R"(
    kernel.func @softmax(%x: tensor<2x3xf32>) outs(%y: tensor<2x3xf32>) grid(%r : <2>) {
      %m = kernel.reduce [max] over (%k : <3>) -> f32 {
        %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<2x3xf32> -> f32
        kernel.yield %v : f32
      }
      %s = kernel.reduce [sum] over (%k : <3>) -> f32 {
        %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<2x3xf32> -> f32
        %d = scalar.sub %v, %m : f32
        %e = scalar.exp %d : f32
        kernel.yield %e : f32
      }
      kernel.map (%k : <3>) {
        %v = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<2x3xf32> -> f32
        %d = scalar.sub %v, %m : f32
        %e = scalar.exp %d : f32
        %q = scalar.div %e, %s : f32
        kernel.store %q, %y[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : f32, tensor<2x3xf32>
      }
    })");
  ASSERT_TRUE(func);
  Tensor x = floats({2, 3}, {1, 2, 3, 0, 0, INFINITY});
  llvm::Expected<std::vector<Tensor>> y = interpretKernel(func, {&x}, symbols, Precision::Default);
  ASSERT_TRUE(bool(y));
  double sum = std::exp(-2.0) + std::exp(-1.0) + 1;
  EXPECT_NEAR((*y)[0].elements.floats[0], std::exp(-2.0) / sum, 1e-7);
  EXPECT_NEAR((*y)[0].elements.floats[2], 1 / sum, 1e-7);
  EXPECT_TRUE(std::isnan((*y)[0].elements.floats[3])); // inf - inf makes the row's sum NaN, as eager's
  EXPECT_TRUE(std::isnan((*y)[0].elements.floats[5]));
}

TEST_F(KernelInterpreterTest, ContractionWithSymbolicRowsAndEpilogue) {
  kernel::FuncOp func = parse(R"(
    kernel.func @linear(%a: tensor<?x2xf32, #graph.info<dims = [B, 2]>>, %w: tensor<3x2xf32>, %b: tensor<3xf32>)
        outs(%y: tensor<?x3xf32, #graph.info<dims = [B, 3]>>) grid() {
      %two = scalar.constant 2.0 : f32
      kernel.contract %a[affine_map<(m, k) -> (m, k)>], %w[affine_map<(n, k) -> (n, k)>]
          m [#graph.dim<B>] n [#graph.dim<3>] k [#graph.dim<2>]
          : tensor<?x2xf32, #graph.info<dims = [B, 2]>>, tensor<3x2xf32> {
      ^bb0(%acc: f32, %m: index, %n: index):
        %v = kernel.load %b[affine_map<(d0) -> (d0)>](%n) : tensor<3xf32> -> f32
        %s = scalar.add %acc, %v : f32
        %t = scalar.mul %s, %two : f32
        kernel.store %t, %y[affine_map<(d0, d1) -> (d0, d1)>](%m, %n) : f32, tensor<?x3xf32, #graph.info<dims = [B, 3]>>
      }
    })");
  ASSERT_TRUE(func);
  Tensor a = floats({2, 2}, {1, 2, 3, 4}), w = floats({3, 2}, {1, 0, 0, 1, 1, 1}), b = floats({3}, {0.5, 0, -1});
  EXPECT_FALSE(bool(llvm::expectedToOptional(interpretKernel(func, {&a, &w, &b}, symbols, Precision::Default))));
  symbols["B"] = 2;
  llvm::Expected<std::vector<Tensor>> y = interpretKernel(func, {&a, &w, &b}, symbols, Precision::Default);
  ASSERT_TRUE(bool(y));
  EXPECT_EQ((*y)[0].elements.floats, (std::vector<double>{3, 4, 4, 7, 8, 12}));
}

TEST_F(KernelInterpreterTest, CheckedIndexAndMask) {
  kernel::FuncOp func = parse(R"(
    kernel.func @gather(%ids: tensor<2xi64>, %t: tensor<3x2xf32>) outs(%y: tensor<2x4xf32>) grid(%i : <2>, %j : <4>) {
      %zero = scalar.constant 7.0 : f32
      %id = kernel.load %ids[affine_map<(d0) -> (d0)>](%i) : tensor<2xi64> -> i64
      %row = kernel.check_index %id in <3> wrap : i64
      %v = kernel.load %t[affine_map<(d0, d1) -> (d0, d1 - 1)>](%row, %j) mask affine_set<(d0, d1) : (d1 - 1 >= 0, 2 - d1 >= 0)> else %zero : f32 : tensor<3x2xf32> -> f32
      kernel.store %v, %y[affine_map<(d0, d1) -> (d0, d1)>](%i, %j) : f32, tensor<2x4xf32>
    })");
  ASSERT_TRUE(func);
  Tensor table = floats({3, 2}, {1, 2, 3, 4, 5, 6}), ids = ints({2}, {-1, 0}), bad = ints({2}, {0, 3});
  llvm::Expected<std::vector<Tensor>> y = interpretKernel(func, {&ids, &table}, symbols, Precision::Default);
  ASSERT_TRUE(bool(y));
  EXPECT_EQ((*y)[0].elements.floats, (std::vector<double>{7, 5, 6, 7, 7, 1, 2, 7}));
  llvm::Expected<std::vector<Tensor>> failed = interpretKernel(func, {&bad, &table}, symbols, Precision::Default);
  ASSERT_FALSE(bool(failed));
  EXPECT_NE(llvm::toString(failed.takeError()).find("index 3 is out of range for a dim of size 3"), std::string::npos);
}

TEST_F(KernelInterpreterTest, ArgmaxTakesTheFirstAndNan) {
  kernel::FuncOp func = parse(R"(
    kernel.func @argmax(%x: tensor<2x4xf32>) outs(%v: tensor<2xf32>, %i: tensor<2xi64>) grid(%r : <2>) {
      %m:2 = kernel.reduce [argmax] over (%k : <4>) -> (f32, i64) {
        %e = kernel.load %x[affine_map<(d0, d1) -> (d0, d1)>](%r, %k) : tensor<2x4xf32> -> f32
        %p = kernel.index_value [affine_map<(d0) -> (d0)>](%k) : i64
        kernel.yield %e, %p : f32, i64
      }
      kernel.store %m#0, %v[affine_map<(d0) -> (d0)>](%r) : f32, tensor<2xf32>
      kernel.store %m#1, %i[affine_map<(d0) -> (d0)>](%r) : i64, tensor<2xi64>
    })");
  ASSERT_TRUE(func);
  Tensor x = floats({2, 4}, {1, 9, 9, 2, 4, NAN, 8, NAN});
  llvm::Expected<std::vector<Tensor>> y = interpretKernel(func, {&x}, symbols, Precision::Default);
  ASSERT_TRUE(bool(y));
  EXPECT_EQ((*y)[1].elements.ints, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ((*y)[0].elements.floats[0], 9);
  EXPECT_TRUE(std::isnan((*y)[0].elements.floats[1]));
}

} // namespace

TEST(Products, EqualPlainLoops) {
  for (auto [rows, columns, depth] : {std::array<size_t, 3>{1, 1, 0}, {1, 1, 1}, {3, 5, 7}, {4, 2, 4}, {9, 11, 17}, {6, 300, 515}}) {
    std::vector<double> lhs(rows * depth), rhs(columns * depth), out(rows * columns, -1);
    for (size_t i = 0; i < lhs.size(); ++i)
      lhs[i] = double(i * 37 % 101) - 50;
    for (size_t i = 0; i < rhs.size(); ++i)
      rhs[i] = double(i * 53 % 97) - 48;
    graphc::interpreter::multiply(lhs.data(), rhs.data(), rows, columns, depth, out.data());
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) {
        double sum = 0; // integers: exact in any order
        for (size_t p = 0; p < depth; ++p)
          sum += lhs[i * depth + p] * rhs[j * depth + p];
        ASSERT_EQ(out[i * columns + j], sum) << rows << "x" << columns << "x" << depth;
      }
  }
}
