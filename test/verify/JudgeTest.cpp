// What counts as right: DESIGN section 7's two measures, NaN and infinity, ties, dtypes and shapes.
#include "tools/verify/Judge.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace graphc::verify;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

class Judge : public ::testing::Test {
protected:
  Tensor floats(std::vector<double> values, mlir::Type type = {}) {
    Tensor tensor(type ? type : b.getF32Type(), {int64_t(values.size())});
    tensor.elements.floats = std::move(values);
    return tensor;
  }
  Tensor ints(std::vector<int64_t> values) {
    Tensor tensor(b.getI64Type(), {int64_t(values.size())});
    tensor.elements.ints = std::move(values);
    return tensor;
  }
  bool isRight(const Tensor &y, const Tensor &exact, const Tensor &eager) { return judge(y, expect(exact, eager)).right; }

  mlir::MLIRContext context;
  mlir::Builder b{&context};
};

TEST_F(Judge, MeasuresAreRelativeToTheRms) {
  Measure m = measure(floats({3.0, 4.5}), floats({3.0, 4.0}));
  double rms = std::sqrt((9.0 + 16.0) / 2);
  EXPECT_DOUBLE_EQ(m.rms, std::sqrt(0.25 / 2) / rms);
  EXPECT_DOUBLE_EQ(m.largest, 0.5 / (4.0 + rms));
}

TEST_F(Judge, TwiceEagersErrorAndAFloor) {
  Tensor exact = floats({1.0, 1.0}), eager = floats({1.0 + 1e-4, 1.0});
  EXPECT_TRUE(isRight(floats({1.0 + 1.9e-4, 1.0}), exact, eager));
  EXPECT_FALSE(isRight(floats({1.0 + 2.2e-4, 1.0}), exact, eager));
  EXPECT_TRUE(isRight(floats({1.0 + 9e-7, 1.0}), exact, exact));
  EXPECT_FALSE(isRight(floats({1.0 + 3e-6, 1.0}), exact, exact));
  EXPECT_TRUE(isRight(floats({1.0 + 3e-4, 1.0}, b.getF16Type()), exact, floats({1.0, 1.0}, b.getF16Type())));
}

TEST_F(Judge, DecidesAnewByAnotherErrorOfEager) {
  Tensor exact = floats({1.0, 1.0});
  Verdict verdict = judge(floats({1.0 + 1e-5, 1.0}), expect(exact, exact));
  EXPECT_FALSE(verdict.right);
  EXPECT_GT(verdict.ratio(), 1);
  decide(verdict, {1e-5, 1e-5});
  EXPECT_TRUE(verdict.right);
  EXPECT_LE(verdict.ratio(), 1);
  Verdict wrong = judge(ints({1}), expect(ints({2}), ints({2})));
  decide(wrong, {1, 1});
  EXPECT_FALSE(wrong.right);
}

TEST_F(Judge, OneBadElementAmongMany) {
  std::vector<double> values(100000, 1.0);
  Tensor exact = floats(values);
  values[7] += 1e-4; // rms 3e-7, within the floor
  EXPECT_FALSE(isRight(floats(values), exact, exact));
}

TEST_F(Judge, NanAndInfinityStandWhereTheyStand) {
  Tensor exact = floats({nan, inf, 1.0});
  EXPECT_TRUE(isRight(floats({nan, inf, 1.0}), exact, exact));
  EXPECT_FALSE(isRight(floats({0.0, inf, 1.0}), exact, exact));
  EXPECT_FALSE(isRight(floats({nan, -inf, 1.0}), exact, exact));
  EXPECT_FALSE(isRight(floats({nan, inf, nan}), exact, exact));
  // What overflows in eager's dtype only.
  EXPECT_TRUE(isRight(floats({inf, 1.0}), floats({1e60, 1.0}), floats({inf, 1.0})));
  EXPECT_FALSE(isRight(floats({1e30, 1.0}), floats({1e60, 1.0}), floats({inf, 1.0})));
}

TEST_F(Judge, IntegersAreExactButForTies) {
  EXPECT_TRUE(isRight(ints({1, 2}), ints({1, 2}), ints({1, 2})));
  EXPECT_FALSE(isRight(ints({1, 3}), ints({1, 2}), ints({1, 2})));
  EXPECT_TRUE(isRight(ints({1, 3}), ints({1, 2}), ints({1, 3})));
  EXPECT_TRUE(isRight(ints({1, 2}), ints({1, 2}), ints({1, 3})));
}

TEST_F(Judge, DtypesAndShapesAreEagers) {
  Tensor one = floats({1.0}), two = floats({1.0, 1.0});
  Verdict shape = judge(two, expect(one, one));
  EXPECT_FALSE(shape.right);
  EXPECT_EQ(describe(shape), "it is f32[2], expected f32[1]");
  EXPECT_TRUE(isRight(one, floats({1.0}, b.getF64Type()), one)); // the exact value is in double
  EXPECT_EQ(describe(judge(ints({1}), expect(one, one))), "it is i64[1], expected f32[1]");
}

} // namespace
