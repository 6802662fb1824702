// Dims programs: values, Python's rounding, overflow, lazily invalid entries, text.
#include "TestPlan.h"

#include "runtime/exec/Dims.h"

#include <gtest/gtest.h>

#include <climits>

using namespace graphc;
using namespace graphc::test;
using runtime::DimTable, runtime::DimValue, runtime::DimValues, runtime::dimText, runtime::isDimProgram;

namespace {

struct Packed {
  explicit Packed(const plan::PlanT &source) {
    plan::PlanT copy = source;
    copy.levels = {"x86-64-v3"};
    plan::FinishPlanBuffer(builder, plan::Plan::Pack(builder, &copy));
  }
  const plan::Plan &get() const { return *plan::GetPlan(builder.GetBufferPointer()); }
  flatbuffers::FlatBufferBuilder builder;
};

DimValue evaluate(DimOp op, int64_t a, int64_t b) {
  TestPlan p;
  const int entry = p.binary(op, p.constant(a), p.constant(b));
  const Packed packed(p.plan);
  EXPECT_TRUE(isDimProgram(packed.get(), static_cast<uint32_t>(entry)));
  DimValues values;
  DimTable(packed.get()).evaluate({}, values);
  return {values.values[static_cast<size_t>(entry)], values.valid[static_cast<size_t>(entry)] != 0};
}

} // namespace

TEST(Dims, DivideAsPython) {
  const int64_t cases[][5] = {// a, b, a//b, ceil(a/b), a%b
                              {7, 2, 3, 4, 1},     {-7, 2, -4, -3, 1}, {7, -2, -4, -3, -1}, {-7, -2, 3, 4, -1},
                              {6, 3, 2, 2, 0},     {-6, 3, -2, -2, 0}, {0, 5, 0, 0, 0},     {1, 5, 0, 1, 1},
                              {INT64_MIN, 2, INT64_MIN / 2, INT64_MIN / 2, 0}};
  for (const auto &c : cases) {
    EXPECT_EQ(evaluate(DimOp::FloorDiv, c[0], c[1]).value, c[2]);
    EXPECT_EQ(evaluate(DimOp::CeilDiv, c[0], c[1]).value, c[3]);
    EXPECT_EQ(evaluate(DimOp::Mod, c[0], c[1]).value, c[4]);
  }
  EXPECT_EQ(evaluate(DimOp::Mod, INT64_MIN, -1).value, 0);
}

TEST(Dims, MarkWhatCannotBeComputed) {
  EXPECT_FALSE(evaluate(DimOp::FloorDiv, 1, 0).valid);
  EXPECT_FALSE(evaluate(DimOp::Mod, 1, 0).valid);
  EXPECT_FALSE(evaluate(DimOp::FloorDiv, INT64_MIN, -1).valid);
  EXPECT_FALSE(evaluate(DimOp::Add, INT64_MAX, 1).valid);
  EXPECT_FALSE(evaluate(DimOp::Sub, INT64_MIN, 1).valid);
  EXPECT_FALSE(evaluate(DimOp::Mul, INT64_MAX, 2).valid);
  EXPECT_FALSE(evaluate(DimOp::Shl, 1, 63).valid);
  EXPECT_FALSE(evaluate(DimOp::Shl, 4, 62).valid);
  EXPECT_EQ(evaluate(DimOp::Shl, 1, 62).value, int64_t(1) << 62);
  EXPECT_EQ(evaluate(DimOp::Shr, -8, 1).value, -4);
  EXPECT_EQ(evaluate(DimOp::Min, 3, -4).value, -4);
  EXPECT_EQ(evaluate(DimOp::Max, 3, -4).value, 3);
  EXPECT_EQ(evaluate(DimOp::Le, 3, 3).value, 1);
  EXPECT_EQ(evaluate(DimOp::And, 3, 0).value, 0);
}

TEST(Dims, AnInvalidOperandThatIsNotChosenDoesNoHarm) {
  TestPlan p;
  const int zero = p.constant(0), seven = p.constant(7), bad = p.binary(DimOp::FloorDiv, seven, zero);
  const auto select = [&](int condition) {
    auto expr = std::make_unique<plan::DimExprT>();
    expr->code = {plan::DimInstr(DimOp::Dim, condition), plan::DimInstr(DimOp::Dim, bad), plan::DimInstr(DimOp::Dim, seven),
                  plan::DimInstr(DimOp::Select, 0)};
    p.plan.dims.push_back(std::move(expr));
    return p.plan.dims.size() - 1;
  };
  const size_t good = select(zero), chosen = select(seven), unknown = select(bad);
  const Packed packed(p.plan);
  DimValues values;
  DimTable(packed.get()).evaluate({}, values);
  EXPECT_TRUE(values.valid[good]);
  EXPECT_EQ(values.values[good], 7);
  EXPECT_FALSE(values.valid[chosen]);
  EXPECT_FALSE(values.valid[unknown]);
  EXPECT_EQ(values.values[chosen], 0);
}

TEST(Dims, PrintAsInfix) {
  TestPlan p;
  const int s = p.symbol("s0", 0, 9, SymbolSource::InputValue, 0), two = p.constant(2), one = p.constant(1);
  const int twice = p.binary(DimOp::Mul, two, s), odd = p.binary(DimOp::Add, twice, one);
  const int half = p.binary(DimOp::FloorDiv, odd, two), most = p.binary(DimOp::Max, half, one);
  const int product = p.binary(DimOp::Mul, odd, two);
  const Packed packed(p.plan);
  EXPECT_EQ(dimText(packed.get(), odd), "2*s0 + 1");
  EXPECT_EQ(dimText(packed.get(), half), "(2*s0 + 1)//2");
  EXPECT_EQ(dimText(packed.get(), most), "max((2*s0 + 1)//2, 1)");
  EXPECT_EQ(dimText(packed.get(), product), "(2*s0 + 1)*2");
}
