// Implements SymbolicExpression.h: lowering of expression trees to infix text through exact fractions.
//
// A tree is lowered to numerator and denominator texts; only what rounds (FloorToInt, CeilToInt, TruncToInt, FloorDiv)
// turns a fraction back into an integer. "TruncToInt(Mul(Float('1.5'), ToFloat(s0)))" gives "((3*s0) floordiv 2)".
#include "frontend/pt2/SymbolicExpression.h"

#include "frontend/SizeQuotient.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr size_t maxTextLength = 1 << 16;
constexpr int64_t maxExponent = 8;

struct Fraction {
  std::string numerator, denominator = "1";
  bool isInteger() const { return denominator == "1"; }
};

Error refuse(const std::string &what) {
  return createStringError(std::errc::invalid_argument, "%s", what.c_str());
}

std::string infix(const std::string &a, const char *op, const std::string &b) {
  return "(" + a + " " + op + " " + b + ")";
}

std::string times(const std::string &a, const std::string &b) {
  if (a == "1")
    return b;
  if (b == "1")
    return a;
  int64_t x, y, product;
  if (!StringRef(a).getAsInteger(10, x) && !StringRef(b).getAsInteger(10, y) && !llvm::MulOverflow(x, y, product))
    return std::to_string(product);
  return "(" + a + "*" + b + ")";
}

/// Whether the value can't be negative, from the signs of symbols and constants alone.
bool isNonNegative(const SymbolicTree &tree) {
  if (tree.kind == SymbolicTree::Kind::Rational)
    return tree.numerator >= 0;
  if (tree.kind == SymbolicTree::Kind::Symbol)
    return tree.isNonNegative;
  if (tree.name == "Max")
    return llvm::any_of(tree.arguments, isNonNegative);
  bool keepsSign = llvm::StringSwitch<bool>(tree.name)
                       .Cases({"Add", "Mul", "Min", "FloorDiv", "CleanDiv", "Mod", "PythonMod"}, true)
                       .Cases({"ToFloat", "IntTrueDiv", "FloatTrueDiv", "FloorToInt", "CeilToInt", "TruncToInt"}, true)
                       .Cases({"Identity", "PowByNatural"}, true)
                       .Default(false);
  return keepsSign && llvm::all_of(tree.arguments, isNonNegative);
}

const char *comparisonText(StringRef name) {
  return llvm::StringSwitch<const char *>(name)
      .Cases({"Equality", "Eq"}, "==")
      .Cases({"Unequality", "Ne"}, "!=")
      .Cases({"StrictLessThan", "Lt"}, "<")
      .Cases({"LessThan", "Le"}, "<=")
      .Cases({"StrictGreaterThan", "Gt"}, ">")
      .Cases({"GreaterThan", "Ge"}, ">=")
      .Default(nullptr);
}

/// The product of an integer and a number that is no small fraction, where `tree` rounds one; null otherwise.
const SymbolicTree *realProduct(const SymbolicTree &tree) {
  bool rounds = tree.name == "FloorToInt" || tree.name == "TruncToInt" || tree.name == "CeilToInt";
  if (!rounds || tree.arguments.size() != 1 || tree.arguments[0].name != "Mul" || tree.arguments[0].arguments.size() != 2)
    return nullptr;
  return llvm::any_of(tree.arguments[0].arguments, [](const SymbolicTree &factor) { return factor.real != 0; }) ? &tree.arguments[0] : nullptr;
}

class Lowering {
public:
  /// For which sizes the result is right.
  std::vector<DimGuard> guards;

  Expected<std::string> integer(const SymbolicTree &tree) {
    Expected<Fraction> value = fraction(tree);
    if (!value)
      return value.takeError();
    if (!value->isInteger())
      return refuse("a size is computed by " + describe(tree) + ", which isn't an integer");
    return value->numerator;
  }

  /// A condition as one comparison. What joins several is 1 or 0: "select(a == b, 1, select(b == 1, 1, 0)) == 1".
  Expected<DimGuard> comparison(const SymbolicTree &tree) {
    if (tree.kind == SymbolicTree::Kind::Operation && (tree.name == "And" || tree.name == "Or" || tree.name == "Not")) {
      Expected<std::string> truth = choice(tree, "1", "0");
      if (!truth)
        return truth.takeError();
      return DimGuard{*truth, "==", "1", ""};
    }
    const char *text = tree.kind == SymbolicTree::Kind::Operation ? comparisonText(tree.name) : nullptr;
    if (!text || tree.arguments.size() != 2)
      return refuse("the condition " + describe(tree) + " isn't a comparison");
    Expected<Fraction> a = fraction(tree.arguments[0]);
    if (!a)
      return a.takeError();
    Expected<Fraction> b = fraction(tree.arguments[1]);
    if (!b)
      return b.takeError();
    if (!isPositiveNumber(a->denominator) || !isPositiveNumber(b->denominator))
      return refuse("the condition " + describe(tree) + " divides by a symbolic number");
    return DimGuard{times(a->numerator, b->denominator), text, times(b->numerator, a->denominator), ""};
  }

private:
  /// `onTrue` where the condition holds, else `onFalse`.
  Expected<std::string> choice(const SymbolicTree &tree, const std::string &onTrue, const std::string &onFalse) {
    if (onTrue.size() + onFalse.size() > maxTextLength)
      return refuse("a condition is longer than " + std::to_string(maxTextLength) + " characters");
    bool isAnd = tree.name == "And";
    if (tree.kind == SymbolicTree::Kind::Operation && (isAnd || tree.name == "Or")) {
      std::string result = isAnd ? onTrue : onFalse; // the last part's, and from there to the first
      for (const SymbolicTree &part : llvm::reverse(tree.arguments)) {
        Expected<std::string> chosen = isAnd ? choice(part, result, onFalse) : choice(part, onTrue, result);
        if (!chosen)
          return chosen.takeError();
        result = std::move(*chosen);
      }
      return result;
    }
    if (tree.kind == SymbolicTree::Kind::Operation && tree.name == "Not") {
      if (tree.arguments.size() != 1)
        return unknown(tree);
      return choice(tree.arguments[0], onFalse, onTrue);
    }
    Expected<DimGuard> guard = comparison(tree);
    if (!guard)
      return guard.takeError();
    return "select(" + guard->lhs + " " + guard->comparison + " " + guard->rhs + ", " + onTrue + ", " + onFalse + ")";
  }

  static std::string describe(const SymbolicTree &tree) {
    return tree.kind == SymbolicTree::Kind::Operation ? "the operation " + tree.name : tree.name;
  }

  static bool isPositiveNumber(StringRef text) {
    int64_t value;
    return !text.getAsInteger(10, value) && value > 0;
  }

  /// A product with a real number, rounded: "FloorToInt(Mul(Float('1.7'), ToFloat(s0)))" is "((17*s0) floordiv 10)" for s0 up to a limit.
  Expected<Fraction> roundedProduct(StringRef name, const SymbolicTree &product) {
    bool isFirst = product.arguments[0].real != 0;
    const SymbolicTree &real = product.arguments[isFirst ? 0 : 1], &size = product.arguments[isFirst ? 1 : 0];
    Expected<std::string> text = integer(size);
    if (!text)
      return text.takeError();
    bool ceils = name == "CeilToInt";
    std::optional<SizeQuotient> quotient = isNonNegative(size) ? sizeQuotient(real.real, ceils ? SizeRounding::Ceil : SizeRounding::Floor) : std::nullopt;
    if (!quotient)
      return inexact(real);
    if (quotient->mostSize)
      guards.push_back({*text, "<=", std::to_string(*quotient->mostSize),
                        *text + " <= " + std::to_string(*quotient->mostSize) + " (up to which graphc computes the product with " + numberText(real.real) + ")"});
    return Fraction{infix(times(std::to_string(quotient->numerator), *text), ceils ? "ceildiv" : "floordiv", std::to_string(quotient->denominator))};
  }

  static std::string numberText(double number) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.9g", number);
    return text;
  }

  static Error inexact(const SymbolicTree &real) {
    return refuse("a size is computed by the number " + numberText(real.real) + ", by which sizes can't be computed exactly");
  }

  Expected<Fraction> fraction(const SymbolicTree &tree) {
    switch (tree.kind) {
    case SymbolicTree::Kind::Rational:
      if (tree.real != 0)
        return inexact(tree);
      return Fraction{std::to_string(tree.numerator), std::to_string(tree.denominator)};
    case SymbolicTree::Kind::Symbol:
      return Fraction{tree.name};
    case SymbolicTree::Kind::Operation:
      break;
    }
    if (const SymbolicTree *product = realProduct(tree))
      return roundedProduct(tree.name, *product);
    std::vector<Fraction> arguments;
    bool isBranch = tree.name == "Where" || tree.name == "Piecewise";
    for (const SymbolicTree &argument : tree.arguments) {
      if (isBranch)
        break;
      Expected<Fraction> value = fraction(argument);
      if (!value)
        return value.takeError();
      if (value->numerator.size() + value->denominator.size() > maxTextLength)
        return refuse("a symbolic size is longer than " + std::to_string(maxTextLength) + " characters");
      arguments.push_back(std::move(*value));
    }
    if (isBranch)
      return branch(tree);
    return operation(tree, arguments);
  }

  Expected<Fraction> operation(const SymbolicTree &tree, const std::vector<Fraction> &arguments) {
    StringRef name = tree.name;
    if (name == "Add" || name == "Mul" || name == "Max" || name == "Min")
      return fold(tree, arguments);
    if (arguments.size() == 1)
      return unary(tree, arguments[0]);
    if (arguments.size() == 2)
      return binary(tree, arguments[0], arguments[1]);
    if (name == "ModularIndexing" && arguments.size() == 3 && areIntegers(arguments))
      return Fraction{infix(infix(arguments[0].numerator, "floordiv", arguments[1].numerator), "mod",
                            arguments[2].numerator)};
    return unknown(tree);
  }

  static bool areIntegers(const std::vector<Fraction> &values) {
    return llvm::all_of(values, [](const Fraction &value) { return value.isInteger(); });
  }

  static Error unknown(const SymbolicTree &tree) {
    return refuse("a size is computed by sympy's " + tree.name + " of " + std::to_string(tree.arguments.size()) +
                  " operands, which graphc can't express over integers");
  }

  Expected<Fraction> fold(const SymbolicTree &tree, const std::vector<Fraction> &arguments) {
    if (arguments.empty())
      return unknown(tree);
    Fraction result = arguments[0];
    for (const Fraction &next : llvm::ArrayRef(arguments).drop_front()) {
      if (tree.name == "Mul") {
        result = {times(result.numerator, next.numerator), times(result.denominator, next.denominator)};
      } else if (tree.name == "Add") {
        bool same = result.denominator == next.denominator;
        std::string a = same ? result.numerator : times(result.numerator, next.denominator);
        std::string b = same ? next.numerator : times(next.numerator, result.denominator);
        result = {infix(a, "+", b), same ? result.denominator : times(result.denominator, next.denominator)};
      } else {
        if (!result.isInteger() || !next.isInteger())
          return unknown(tree);
        result.numerator =
            (tree.name == "Max" ? "max(" : "min(") + result.numerator + ", " + next.numerator + ")";
      }
    }
    return result;
  }

  Expected<Fraction> unary(const SymbolicTree &tree, const Fraction &value) {
    StringRef name = tree.name;
    if (name == "ToFloat" || name == "Identity")
      return value;
    bool floors = name == "FloorToInt" || (name == "TruncToInt" && isNonNegative(tree.arguments[0]));
    if (value.isInteger() && (floors || name == "CeilToInt" || name == "TruncToInt" || name == "RoundToInt"))
      return value;
    if (floors)
      return Fraction{infix(value.numerator, "floordiv", value.denominator)};
    if (name == "CeilToInt")
      return Fraction{infix(value.numerator, "ceildiv", value.denominator)};
    if (name == "TruncToInt" && isPositiveNumber(value.denominator))
      return Fraction{"select(" + value.numerator + " < 0, " + infix(value.numerator, "ceildiv", value.denominator) +
                      ", " + infix(value.numerator, "floordiv", value.denominator) + ")"};
    return unknown(tree);
  }

  Expected<Fraction> binary(const SymbolicTree &tree, const Fraction &a, const Fraction &b) {
    StringRef name = tree.name;
    Fraction quotient{times(a.numerator, b.denominator), times(a.denominator, b.numerator)};
    if (name == "IntTrueDiv" || name == "FloatTrueDiv")
      return quotient;
    if (name == "FloorDiv" || name == "CleanDiv")
      return Fraction{infix(quotient.numerator, "floordiv", quotient.denominator)};
    if (name == "Pow" || name == "PowByNatural")
      return power(tree, a);
    if (!a.isInteger() || !b.isInteger())
      return unknown(tree);
    if (name == "Mod" || name == "PythonMod")
      return Fraction{infix(a.numerator, "mod", b.numerator)};
    if (name == "LShift")
      return Fraction{"shl(" + a.numerator + ", " + b.numerator + ")"};
    if (name == "RShift")
      return Fraction{"shr(" + a.numerator + ", " + b.numerator + ")"};
    return unknown(tree);
  }

  static Expected<Fraction> power(const SymbolicTree &tree, const Fraction &base) {
    const SymbolicTree &exponent = tree.arguments[1];
    bool isSmall = exponent.kind == SymbolicTree::Kind::Rational && exponent.denominator == 1 &&
                   exponent.numerator >= -maxExponent && exponent.numerator <= maxExponent;
    if (!isSmall)
      return unknown(tree);
    Fraction result{"1"};
    for (int64_t i = 0; i < std::abs(exponent.numerator); ++i)
      result = {times(result.numerator, base.numerator), times(result.denominator, base.denominator)};
    if (exponent.numerator < 0)
      std::swap(result.numerator, result.denominator);
    return result;
  }

  /// Where(condition, a, b), or Piecewise(ExprCondPair(a, condition), ExprCondPair(b, true)).
  Expected<Fraction> branch(const SymbolicTree &tree) {
    const auto &arguments = tree.arguments;
    if (tree.name == "Where" && arguments.size() == 3)
      return select(arguments[0], arguments[1], arguments[2]);
    bool isPair = arguments.size() == 2 && llvm::all_of(arguments, [](const SymbolicTree &argument) {
                    return argument.name == "ExprCondPair" && argument.arguments.size() == 2;
                  });
    if (!isPair || arguments[1].arguments[1].name != "true")
      return unknown(tree);
    return select(arguments[0].arguments[1], arguments[0].arguments[0], arguments[1].arguments[0]);
  }

  Expected<Fraction> select(const SymbolicTree &condition, const SymbolicTree &onTrue, const SymbolicTree &onFalse) {
    Expected<std::string> a = integer(onTrue);
    if (!a)
      return a.takeError();
    Expected<std::string> b = integer(onFalse);
    if (!b)
      return b.takeError();
    Expected<std::string> chosen = choice(condition, *a, *b);
    if (!chosen)
      return chosen.takeError();
    return Fraction{*chosen};
  }
};

} // namespace

Expected<std::string> graphc::frontend::pt2::infixOf(const SymbolicTree &tree, std::vector<DimGuard> &guards) {
  Lowering lowering;
  Expected<std::string> text = lowering.integer(tree);
  guards.insert(guards.end(), lowering.guards.begin(), lowering.guards.end());
  return text;
}

Expected<std::vector<DimGuard>> graphc::frontend::pt2::guardsOf(const SymbolicTree &tree) {
  std::vector<DimGuard> guards;
  if (tree.name != "And") {
    Lowering lowering;
    Expected<DimGuard> guard = lowering.comparison(tree);
    if (!guard)
      return guard.takeError();
    guards = std::move(lowering.guards);
    guards.push_back(std::move(*guard));
    return guards;
  }
  for (const SymbolicTree &argument : tree.arguments) {
    Expected<std::vector<DimGuard>> inner = guardsOf(argument);
    if (!inner)
      return inner.takeError();
    guards.insert(guards.end(), inner->begin(), inner->end());
  }
  return guards;
}

void graphc::frontend::pt2::forEachSymbol(const SymbolicTree &tree,
                                          llvm::function_ref<void(const SymbolicTree &)> visit) {
  if (tree.kind == SymbolicTree::Kind::Symbol)
    visit(tree);
  for (const SymbolicTree &argument : tree.arguments)
    forEachSymbol(argument, visit);
}
