// IndexSimplifier: the forms that views leave behind, and random expressions, which must keep their value everywhere in the domain.
#include "passes/outline/IndexSimplifier.h"

#include "ir/graph/Graph.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <random>

using namespace graphc;
using mlir::AffineExpr;

namespace {

class IndexSimplifierTest : public testing::Test {
protected:
  IndexSimplifierTest() : simplifier(&context) {
    context.loadDialect<graph::GraphDialect>();
    for (int64_t extent : {6, 64, 8, 1})
      simplifier.addDim(graph::DimAttr::constant(&context, extent));
  }
  AffineExpr d(unsigned i) { return mlir::getAffineDimExpr(i, &context); }
  void expect(AffineExpr expr, AffineExpr simple) {
    AffineExpr found = simplifier.simplify(expr);
    std::string text;
    llvm::raw_string_ostream(text) << found;
    EXPECT_EQ(found, simple) << text;
  }

  mlir::MLIRContext context;
  IndexSimplifier simplifier;
};

TEST_F(IndexSimplifierTest, DividesWhatReshapesMultiplied) {
  expect((d(0) * 64 + d(1)).floorDiv(64), d(0));
  expect((d(0) * 64 + d(1)) % 64, d(1));
  expect((d(0) * 512 + d(1) * 8 + d(2)).floorDiv(8) % 64, d(1));
  expect((d(0) * 64 + d(1)).floorDiv(128), d(0).floorDiv(2));
}

TEST_F(IndexSimplifierTest, JoinsQuotientAndRemainder) {
  expect(d(1).floorDiv(8) * 8 + d(1) % 8, d(1));
  expect((d(1).floorDiv(8) * 8 + d(1) % 8) * 3, d(1) * 3);
}

TEST_F(IndexSimplifierTest, OrdersNestedDivisions) {
  expect((d(1) % 32).floorDiv(8), d(1).floorDiv(8) % 4);
  expect(d(1).floorDiv(4).floorDiv(4), d(1).floorDiv(16));
  expect(d(1) % 16 % 4, d(1) % 4);
}

TEST_F(IndexSimplifierTest, KnowsUnitExtents) { expect(d(3) + d(0), d(0)); }

TEST_F(IndexSimplifierTest, DividesBySymbolicExtents) {
  graph::DimAttr length = graph::DimAttr::symbol(&context, "T");
  unsigned t = simplifier.addDim(length);
  AffineExpr T = simplifier.getExpr(length);
  expect((d(0) * T + d(t)).floorDiv(T), d(0));
  expect((d(0) * T + d(t)) % T, d(t));
}

TEST_F(IndexSimplifierTest, RangesOfSums) {
  EXPECT_TRUE(simplifier.getRange(d(0) * 64 + d(1)).within(0, 383));
  EXPECT_FALSE(simplifier.getRange(d(0) * 64 + d(1)).within(0, 382));
  EXPECT_TRUE(simplifier.getRange(d(0) - d(1)).within(-63, 5));
}

/// A random expression of the given depth over dims 0…2.
AffineExpr makeExpression(std::mt19937 &random, unsigned depth, mlir::MLIRContext *context) {
  auto below = [&](int n) { return int(random() % unsigned(n)); };
  if (depth == 0)
    return mlir::getAffineDimExpr(below(3), context);
  AffineExpr inner = makeExpression(random, depth - 1, context);
  switch (below(5)) {
  case 0: return inner + makeExpression(random, depth - 1, context);
  case 1: return inner * (below(9) - 2) + below(7) - 3;
  case 2: return inner.floorDiv(1 + below(12));
  case 3: return inner % (1 + below(12));
  default: return inner.ceilDiv(1 + below(12));
  }
}

TEST_F(IndexSimplifierTest, KeepsValues) {
  std::mt19937 random(3);
  mlir::Builder builder(&context);
  for (int round = 0; round < 400; ++round) {
    AffineExpr before = makeExpression(random, 1 + round % 5, &context), after = simplifier.simplify(before);
    IndexRange range = simplifier.getRange(after);
    auto value = [&](AffineExpr expr, llvm::ArrayRef<int64_t> point) {
      llvm::SmallVector<AffineExpr> dims;
      for (int64_t coordinate : point)
        dims.push_back(mlir::getAffineConstantExpr(coordinate, &context));
      return llvm::cast<mlir::AffineConstantExpr>(expr.replaceDims(dims)).getValue();
    };
    std::string text;
    llvm::raw_string_ostream(text) << before << " became " << after;
    for (int sample = 0; sample < 60; ++sample) {
      int64_t point[] = {int64_t(random() % 6), int64_t(random() % 64), int64_t(random() % 8), 0};
      int64_t expected = value(before, point);
      ASSERT_EQ(expected, value(after, point)) << text;
      ASSERT_TRUE((!range.low || *range.low <= expected) && (!range.high || *range.high >= expected)) << text;
    }
  }
}

} // namespace
