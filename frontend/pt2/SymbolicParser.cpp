// The two notations of SymbolicExpression.h: sympy's srepr, and the Python of guards. Both are recursive descent with a cap on
// nesting, for the text comes from a file that nobody has reason to trust.
#include "frontend/pt2/SymbolicExpression.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace graphc::frontend;
using namespace graphc::frontend::pt2;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr unsigned maxDepth = 100;
constexpr size_t maxTextLength = 1 << 16;
constexpr int64_t maxDenominator = 1 << 20;

SymbolicTree rational(int64_t numerator, int64_t denominator = 1) {
  SymbolicTree tree;
  tree.kind = SymbolicTree::Kind::Rational;
  tree.numerator = numerator;
  tree.denominator = denominator;
  return tree;
}

SymbolicTree operation(std::string name, std::vector<SymbolicTree> arguments) {
  SymbolicTree tree;
  tree.name = std::move(name);
  tree.arguments = std::move(arguments);
  return tree;
}

/// What both notations need: a cursor, tokens, and the first error, after which everything fails.
class Cursor {
protected:
  explicit Cursor(StringRef text) : whole(text), rest(text) {}

  SymbolicTree fail(const std::string &what) {
    if (message.empty())
      message = what + " in the symbolic expression \"" + whole.take_front(200).str() + "\"";
    return {};
  }
  bool failed() const { return !message.empty(); }
  void skip() { rest = rest.ltrim(); }
  bool take(StringRef token) {
    skip();
    return rest.consume_front(token);
  }
  bool startsWith(StringRef token) {
    skip();
    return rest.starts_with(token);
  }
  StringRef identifier() {
    skip();
    StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(name.size());
    return name;
  }
  std::optional<StringRef> quoted() {
    skip();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }
  SymbolicTree integer() {
    skip();
    StringRef digits = rest.take_while(llvm::isDigit);
    int64_t value = 0;
    if (digits.getAsInteger(10, value))
      return fail("a number that isn't a 64-bit integer");
    rest = rest.drop_front(digits.size());
    return rational(value);
  }
  /// The exact fraction behind a decimal such as "1.5"; of others the number itself.
  SymbolicTree decimal(StringRef text) {
    double value = 0;
    if (text.getAsDouble(value) || !(std::abs(value) < double(int64_t(1) << 31)))
      return fail("the number " + text.str());
    int64_t denominator = 1;
    const double real = value;
    while (value != std::floor(value) && denominator < maxDenominator) {
      value *= 2;
      denominator *= 2;
    }
    SymbolicTree tree = rational(int64_t(value), denominator);
    tree.real = value != std::floor(value) ? real : 0;
    return tree;
  }
  Expected<SymbolicTree> finish(SymbolicTree tree) {
    skip();
    if (!failed() && !rest.empty())
      fail("unexpected \"" + rest.take_front(40).str() + "\"");
    if (failed())
      return createStringError(std::errc::invalid_argument, "%s", message.c_str());
    return tree;
  }

  StringRef whole, rest;
  std::string message;
  unsigned depth = 0;
};

class SympyParser : Cursor {
public:
  explicit SympyParser(StringRef text) : Cursor(text) {}
  Expected<SymbolicTree> run() {
    if (whole.size() > maxTextLength)
      fail("too many characters");
    return finish(expression());
  }

private:
  SymbolicTree expression() {
    if (failed() || ++depth > maxDepth)
      return fail("too much nesting");
    SymbolicTree tree = expressionBody();
    --depth;
    return tree;
  }

  SymbolicTree expressionBody() {
    StringRef name = identifier();
    if (name.empty())
      return fail("expected an operation");
    if (!take("("))
      return operation(name.str(), {}); // true, false, oo
    if (name == "Symbol")
      return symbol();
    if (name == "Integer" || name == "Rational")
      return number();
    if (name == "Float") {
      std::optional<StringRef> text = quoted();
      SymbolicTree value = text ? decimal(*text) : fail("expected a quoted number");
      skipKeywords();
      return value;
    }
    std::vector<SymbolicTree> arguments;
    while (!failed() && !take(")")) {
      if (!arguments.empty() && !take(","))
        return fail("expected ',' or ')'");
      if (arguments.size() >= 64)
        return fail("too many operands");
      arguments.push_back(expression());
    }
    return operation(name.str(), std::move(arguments));
  }

  SymbolicTree symbol() {
    SymbolicTree tree;
    tree.kind = SymbolicTree::Kind::Symbol;
    std::optional<StringRef> name = quoted();
    bool isPlain = name && !name->empty() && !llvm::isDigit(name->front()) &&
                   llvm::all_of(*name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!isPlain)
      return fail("expected the name of a symbol");
    tree.name = name->str();
    StringRef before = rest;
    skipKeywords();
    StringRef keywords = before.drop_back(rest.size());
    tree.isNonNegative = keywords.contains("positive=True") || keywords.contains("nonnegative=True");
    return tree;
  }

  /// The rest up to the closing parenthesis of a leaf: ", positive=True, integer=True)".
  void skipKeywords() {
    size_t end = rest.find(')');
    if (end == StringRef::npos || rest.take_front(end).contains('('))
      fail("expected ')'");
    else
      rest = rest.drop_front(end + 1);
  }

  SymbolicTree number() {
    bool negative = take("-");
    SymbolicTree value = integer();
    if (negative)
      value.numerator = -value.numerator;
    if (take(","))
      value.denominator = integer().numerator;
    if (!take(")") || value.denominator <= 0)
      return fail("malformed number");
    return value;
  }
};

/// Python's precedence: or, and, not, comparisons, + -, * / // %, unary -, **, calls and indexing.
class GuardParser : Cursor {
public:
  GuardParser(StringRef text, SizeOfInput sizeOf) : Cursor(text), sizeOf(sizeOf) {}
  Expected<SymbolicTree> run() {
    if (whole.size() > maxTextLength)
      fail("too many characters");
    return finish(condition());
  }

private:
  SymbolicTree condition() {
    std::vector<SymbolicTree> parts{conjunction()};
    while (!failed() && take("or "))
      parts.push_back(conjunction());
    return parts.size() == 1 ? std::move(parts.front()) : operation("Or", std::move(parts));
  }

  SymbolicTree conjunction() {
    std::vector<SymbolicTree> parts{negation()};
    while (!failed() && take("and "))
      parts.push_back(negation());
    return parts.size() == 1 ? std::move(parts.front()) : operation("And", std::move(parts));
  }

  SymbolicTree negation() {
    if (failed() || ++depth > maxDepth)
      return fail("too much nesting");
    SymbolicTree tree = take("not ") ? operation("Not", {negation()}) : comparison();
    --depth;
    return tree;
  }

  SymbolicTree comparison() {
    SymbolicTree lhs = sum();
    static constexpr std::pair<const char *, const char *> names[] = {
        {"==", "Eq"}, {"!=", "Ne"}, {"<=", "Le"}, {">=", "Ge"}, {"<", "Lt"}, {">", "Gt"}};
    std::vector<SymbolicTree> chain;
    for (bool found = true; found && !failed();) {
      found = false;
      for (const auto &[token, name] : names) {
        if (!take(token))
          continue;
        SymbolicTree rhs = sum();
        chain.push_back(operation(name, {lhs, rhs}));
        lhs = std::move(rhs);
        found = true;
        break;
      }
    }
    if (chain.empty())
      return lhs;
    return chain.size() == 1 ? std::move(chain.front()) : operation("And", std::move(chain));
  }

  SymbolicTree sum() {
    if (failed() || ++depth > maxDepth)
      return fail("too much nesting");
    SymbolicTree lhs = product();
    while (!failed()) {
      if (take("+"))
        lhs = operation("Add", {std::move(lhs), product()});
      else if (take("-"))
        lhs = operation("Add", {std::move(lhs), negated(product())});
      else
        break;
    }
    --depth;
    return lhs;
  }

  static SymbolicTree negated(SymbolicTree tree) { return operation("Mul", {rational(-1), std::move(tree)}); }

  SymbolicTree product() {
    SymbolicTree lhs = unary();
    while (!failed()) {
      const char *name = take("//")                            ? "FloorDiv"
                         : take("/")                           ? "FloatTrueDiv"
                         : take("%")                           ? "PythonMod"
                         : !startsWith("**") && take("*") ? "Mul"
                                                               : nullptr;
      if (!name)
        break;
      lhs = operation(name, {std::move(lhs), unary()});
    }
    return lhs;
  }

  SymbolicTree unary() {
    if (failed() || ++depth > maxDepth)
      return fail("too much nesting");
    SymbolicTree tree = take("-") ? negated(unary()) : atom();
    if (!failed() && take("**"))
      tree = operation("Pow", {std::move(tree), unary()});
    --depth;
    return tree;
  }

  SymbolicTree atom() {
    if (take("(")) {
      SymbolicTree inner = condition();
      return take(")") ? inner : fail("expected ')'");
    }
    skip();
    if (!rest.empty() && llvm::isDigit(rest.front())) {
      StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
      if (!digits.contains('.'))
        return integer();
      rest = rest.drop_front(digits.size());
      return decimal(digits);
    }
    if (startsWith("L["))
      return inputSize();
    std::string name = identifier().str();
    while (take("."))
      name += "." + identifier().str();
    if (name.empty() || !take("("))
      return fail("unexpected \"" + (name.empty() ? rest.take_front(20).str() : name) + "\"");
    return call(name);
  }

  SymbolicTree call(const std::string &function) {
    std::vector<SymbolicTree> arguments;
    while (!failed() && !take(")")) {
      if (!arguments.empty() && !take(","))
        return fail("expected ',' or ')'");
      arguments.push_back(sum());
    }
    std::string name = llvm::StringSwitch<std::string>(function)
                           .Cases({"max", "Max", "torch.sym_max"}, "Max")
                           .Cases({"min", "Min", "torch.sym_min"}, "Min")
                           .Cases({"math.trunc", "torch.sym_int", "int", "TruncToInt"}, "TruncToInt")
                           .Cases({"math.floor", "FloorToInt"}, "FloorToInt")
                           .Cases({"math.ceil", "CeilToInt"}, "CeilToInt")
                           .Cases({"torch.sym_float", "float", "ToFloat"}, "ToFloat")
                           .Cases({"Mod", "PythonMod"}, "PythonMod")
                           .Case("FloorDiv", "FloorDiv")
                           .Default("");
    return name.empty() ? fail("the function " + function) : operation(name, std::move(arguments));
  }

  /// L['d']['a'][0].size()[1], or L['n'], an int
  SymbolicTree inputSize() {
    take("L");
    std::string path;
    while (!failed() && take("[")) {
      std::optional<StringRef> key = quoted();
      std::string part = key ? key->str() : std::to_string(integer().numerator);
      path += (path.empty() ? "" : ".") + part;
      if (!take("]"))
        return fail("expected ']'");
    }
    std::optional<uint64_t> dim;
    if (take(".size()[")) {
      dim = uint64_t(integer().numerator);
      if (!take("]"))
        return fail("expected ']'");
    }
    std::optional<std::string> size = sizeOf(path, dim);
    if (!size)
      return fail(dim ? "the input " + path + ", which doesn't exist or lacks that dim," : "the input " + path + ", which isn't an int,");
    SymbolicTree tree;
    tree.kind = SymbolicTree::Kind::Symbol;
    tree.name = *size;
    tree.isNonNegative = dim.has_value();
    return tree;
  }

  SizeOfInput sizeOf;
};

} // namespace

Expected<SymbolicTree> graphc::frontend::pt2::parseSympy(StringRef text) { return SympyParser(text).run(); }

Expected<SymbolicTree> graphc::frontend::pt2::parsePythonGuard(StringRef text, SizeOfInput sizeOf) {
  return GuardParser(text, sizeOf).run();
}
