// Sympy and Python notations to infix, one line per rule; what can't be exact must be refused.
#include "frontend/pt2/SymbolicExpression.h"

#include <gtest/gtest.h>

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;

namespace {

std::string infix(llvm::StringRef sympy) {
  llvm::Expected<SymbolicTree> tree = parseSympy(sympy);
  if (!tree)
    return "error: " + llvm::toString(tree.takeError());
  std::vector<DimGuard> guards;
  llvm::Expected<std::string> text = infixOf(*tree, guards);
  if (!text)
    return "error: " + llvm::toString(text.takeError());
  for (const DimGuard &guard : guards)
    *text += ", " + guard.lhs + " " + guard.comparison + " " + guard.rhs;
  return *text;
}

#define S "Symbol('s0', positive=True, integer=True)"
#define U "Symbol('u0', integer=True)"

std::string guards(llvm::StringRef python) {
  auto sizeOf = [](llvm::StringRef path, std::optional<uint64_t> dim) -> std::optional<std::string> {
    if (path == "x" && dim == 0)
      return "s0";
    if (path == "n" && !dim)
      return "s2";
    return path == "d.a.1" && dim == 2 ? std::optional<std::string>("(2*s1)") : std::nullopt;
  };
  llvm::Expected<SymbolicTree> tree = parsePythonGuard(python, sizeOf);
  if (!tree)
    return "error: " + llvm::toString(tree.takeError());
  llvm::Expected<std::vector<DimGuard>> parsed = guardsOf(*tree);
  if (!parsed)
    return "error: " + llvm::toString(parsed.takeError());
  std::string text;
  for (const DimGuard &guard : *parsed)
    text += guard.lhs + " " + guard.comparison + " " + guard.rhs + "; ";
  return text;
}

TEST(SymbolicExpression, Integers) {
  EXPECT_EQ(infix("Integer(3)"), "3");
  EXPECT_EQ(infix("Integer(-3)"), "-3");
  EXPECT_EQ(infix(S), "s0");
  EXPECT_EQ(infix("Add(Mul(Integer(2), " S "), Integer(-1))"), "((2*s0) + -1)");
  EXPECT_EQ(infix("Pow(" S ", Integer(2))"), "(s0*s0)");
  EXPECT_EQ(infix("FloorDiv(Add(" S ", Integer(1)), Integer(2))"), "((s0 + 1) floordiv 2)");
  EXPECT_EQ(infix("Mod(" S ", Integer(4))"), "(s0 mod 4)");
  EXPECT_EQ(infix("Max(Integer(7), " S ", " U ")"), "max(max(7, s0), u0)");
  EXPECT_EQ(infix("ModularIndexing(" S ", Integer(3), Integer(5))"), "((s0 floordiv 3) mod 5)");
  EXPECT_EQ(infix("LShift(" S ", Integer(2))"), "shl(s0, 2)");
}

TEST(SymbolicExpression, Fractions) {
  EXPECT_EQ(infix("FloorToInt(IntTrueDiv(" S ", Integer(2)))"), "(s0 floordiv 2)");
  EXPECT_EQ(infix("CeilToInt(IntTrueDiv(" S ", Integer(2)))"), "(s0 ceildiv 2)");
  EXPECT_EQ(infix("TruncToInt(Mul(Float('1.5', precision=53), ToFloat(" S ")))"), "((3*s0) floordiv 2)");
  EXPECT_EQ(infix("TruncToInt(Mul(Rational(1, 2), " U "))"), "select(u0 < 0, (u0 ceildiv 2), (u0 floordiv 2))");
  EXPECT_EQ(infix("FloorToInt(Add(Mul(Rational(1, 2), " S "), Rational(1, 3)))"), "(((s0*3) + 2) floordiv 6)");
  EXPECT_EQ(infix("FloorDiv(" S ", Rational(1, 2))"), "((s0*2) floordiv 1)");
}

/// 1.1 * 10 is 11.000000000000002 in doubles: its ceil is no quotient.
TEST(SymbolicExpression, RealNumbers) {
  EXPECT_EQ(infix("TruncToInt(Mul(Float('1.7', precision=53), ToFloat(" S ")))"), "((17*s0) floordiv 10), s0 <= 4194304");
  EXPECT_EQ(infix("FloorToInt(Mul(ToFloat(Add(" S ", Integer(1))), Float('0.6', precision=53)))"), "((3*(s0 + 1)) floordiv 5), (s0 + 1) <= 4194304");
  EXPECT_EQ(infix("CeilToInt(Mul(Float('1.7', precision=53), ToFloat(" S ")))"), "((17*s0) ceildiv 10), s0 <= 4194304");
  EXPECT_EQ(guards("math.trunc(1.7*torch.sym_float(L['x'].size()[0])) == 6"), "s0 <= 4194304; ((17*s0) floordiv 10) == 6; ");
  for (const char *text : {"CeilToInt(Mul(Float('1.1', precision=53), ToFloat(" S ")))", "TruncToInt(Mul(Float('1.7', precision=53), ToFloat(" U ")))",
                           "TruncToInt(Add(Mul(Float('1.7', precision=53), ToFloat(" S ")), Integer(1)))", "FloorToInt(Mul(Float('3.14159265358979', precision=53), ToFloat(" S ")))"})
    EXPECT_EQ(infix(text).substr(0, 6), "error:") << text;
}

TEST(SymbolicExpression, Branches) {
  EXPECT_EQ(infix("Where(GreaterThan(" S ", Integer(4)), Integer(1), " S ")"), "select(s0 >= 4, 1, s0)");
  EXPECT_EQ(infix("Piecewise(ExprCondPair(Integer(0), Equality(" S ", Integer(2))), ExprCondPair(Integer(1), true))"),
            "select(s0 == 2, 0, 1)");
}

TEST(SymbolicExpression, Refused) {
  for (const char *text :
       {"OpaqueUnaryFn_sqrt(" S ")", "Mul(Rational(1, 2), " S ")", "Mul(Float('1.3', precision=53), " S ")",
        "Symbol('a b')", "Symbol('2x')", "Integer(99999999999999999999)", "Add(Integer(1)", "Add(Integer(1)) x", "",
        "Rational(1, 0)", "RoundToInt(Mul(Rational(1, 2), " S "))", "Pow(" S ", " S ")", "Add()", "Float('nan')"})
    EXPECT_EQ(infix(text).substr(0, 6), "error:") << text;
}

TEST(SymbolicExpression, Guards) {
  EXPECT_EQ(guards("L['x'].size()[0] % 2 == 0"), "(s0 mod 2) == 0; ");
  EXPECT_EQ(guards("L['d']['a'][1].size()[2] == 2*L['x'].size()[0]"), "(2*s1) == (2*s0); ");
  EXPECT_EQ(guards("2 <= L['x'].size()[0] and L['x'].size()[0] <= 9"), "2 <= s0; s0 <= 9; ");
  EXPECT_EQ(guards("2 <= L['x'].size()[0] <= 9"), "2 <= s0; s0 <= 9; ");
  EXPECT_EQ(guards("math.trunc(1.5*torch.sym_float(L['x'].size()[0])) != 9"), "((3*s0) floordiv 2) != 9; ");
  EXPECT_EQ(guards("-(L['x'].size()[0] - 1)**2 // 2 < 0"), "((-1*((s0 + -1)*(s0 + -1))) floordiv 2) < 0; ");
  EXPECT_EQ(guards("L['x'].size()[0] / 2 > 1"), "s0 > 2; ");
  EXPECT_EQ(guards("max(L['x'].size()[0], 3) == 3"), "max(s0, 3) == 3; ");
  EXPECT_EQ(guards("L['n'] < L['x'].size()[0]"), "s2 < s0; ");
  EXPECT_EQ(guards("L['x'].size()[0] == L['n'] or L['n'] == 1"), "select(s0 == s2, 1, select(s2 == 1, 1, 0)) == 1; ");
  EXPECT_EQ(guards("L['n'] == 1 or 2 <= L['n'] <= 9"), "select(s2 == 1, 1, select(2 <= s2, select(s2 <= 9, 1, 0), 0)) == 1; ");
  EXPECT_EQ(guards("not L['n'] == 1 and L['n'] > 0"), "select(s2 == 1, 0, 1) == 1; s2 > 0; ");
}

TEST(SymbolicExpression, RefusedGuards) {
  for (const char *text : {"L['y'].size()[0] == 1", "L['x'].stride()[0] == 1", "f(L['x'].size()[0]) == 1", "L['x'].size()[0]",
                           "1 == ", "((((", "L['x"})
    EXPECT_EQ(guards(text).substr(0, 6), "error:") << text;
  EXPECT_EQ(guards(std::string(5000, '(') + "1").substr(0, 6), "error:");
  EXPECT_EQ(guards(std::string(5000, '-') + "1 == 1").substr(0, 6), "error:");
}

} // namespace
