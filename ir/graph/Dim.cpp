// #graph.dim: construction with simplification, evaluation, infix text; and #graph.info's assembly form and verifier.
#include "ir/graph/DimSum.h"
#include "ir/graph/Graph.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace graphc::graph;

namespace {

std::optional<int64_t> foldBinary(DimKind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  auto floorDiv = [](int64_t x, int64_t y) { return x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0); };
  switch (kind) {
  case DimKind::Add: return llvm::AddOverflow(a, b, result) ? std::nullopt : std::optional(result);
  case DimKind::Sub: return llvm::SubOverflow(a, b, result) ? std::nullopt : std::optional(result);
  case DimKind::Mul: return llvm::MulOverflow(a, b, result) ? std::nullopt : std::optional(result);
  case DimKind::Min: return std::min(a, b);
  case DimKind::Max: return std::max(a, b);
  case DimKind::Shl: return b < 0 || b > 62 || llvm::MulOverflow(a, int64_t(1) << b, result) ? std::nullopt : std::optional(result);
  case DimKind::Shr: return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
  default: break;
  }
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  if (kind == DimKind::FloorDiv)
    return floorDiv(a, b);
  if (kind == DimKind::CeilDiv)
    return -floorDiv(-a, b);
  return a - floorDiv(a, b) * b; // Mod, sign of the divisor
}

const char *const predicateText[] = {"==", "!=", "<", "<=", ">", ">="};

DimAttr make(MLIRContext *context, DimKind kind, int64_t value, ArrayRef<Attribute> operands, StringRef symbol = "") {
  return DimAttr::get(context, kind, value, StringAttr::get(context, symbol), operands);
}

/// Neutral and absorbing operands; null where nothing applies.
DimAttr simplifyNeutral(DimKind kind, DimAttr a, DimAttr b) {
  auto is = [](DimAttr x, int64_t v) { return x.isConstant() && x.getValue() == v; };
  switch (kind) {
  case DimKind::Add: return is(a, 0) ? b : is(b, 0) ? a : DimAttr();
  case DimKind::Sub: return is(b, 0) ? a : a == b ? DimAttr::constant(a.getContext(), 0) : DimAttr();
  case DimKind::Mul: return is(a, 1) || is(b, 0) ? b : is(b, 1) || is(a, 0) ? a : DimAttr();
  case DimKind::FloorDiv:
  case DimKind::CeilDiv: return is(b, 1) ? a : DimAttr();
  case DimKind::Mod: return is(b, 1) ? DimAttr::constant(a.getContext(), 0) : DimAttr();
  case DimKind::Min:
  case DimKind::Max: return a == b ? a : DimAttr();
  default: return DimAttr();
  }
}

/// Recursive descent over the infix form.
class InfixParser {
public:
  InfixParser(MLIRContext *context, StringRef text) : context(context), rest(text) {}

  DimAttr parseAll(std::string &error) {
    DimAttr result = sum();
    if (result && !(rest = rest.ltrim()).empty())
      result = fail("unexpected '" + rest.str() + "'");
    error = message;
    return result;
  }

private:
  DimAttr fail(const std::string &text) {
    if (message.empty())
      message = text;
    return DimAttr();
  }
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  StringRef identifier() {
    rest = rest.ltrim();
    StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    return name;
  }
  DimAttr apply(DimKind kind, DimAttr lhs, DimAttr rhs) { return lhs && rhs ? DimAttr::binary(kind, lhs, rhs) : DimAttr(); }

  DimAttr sum() {
    DimAttr lhs = product();
    while (lhs) {
      if (take("+"))
        lhs = apply(DimKind::Add, lhs, product());
      else if (take("-"))
        lhs = apply(DimKind::Sub, lhs, product());
      else
        break;
    }
    return lhs;
  }
  DimAttr product() {
    DimAttr lhs = atom();
    while (lhs) {
      StringRef word = identifier();
      DimKind kind = word == "floordiv" ? DimKind::FloorDiv : word == "ceildiv" ? DimKind::CeilDiv : DimKind::Mod;
      if (take("*"))
        lhs = apply(DimKind::Mul, lhs, atom());
      else if (word == "floordiv" || word == "ceildiv" || word == "mod") {
        rest = rest.drop_front(word.size());
        lhs = apply(kind, lhs, atom());
      } else
        break;
    }
    return lhs;
  }
  DimAttr atom() {
    if (take("(")) {
      DimAttr inner = sum();
      return inner && !take(")") ? fail("expected ')'") : inner;
    }
    if (take("-")) {
      DimAttr inner = atom();
      return inner ? DimAttr::binary(DimKind::Mul, DimAttr::constant(context, -1), inner) : inner;
    }
    StringRef word = identifier();
    int64_t value;
    if (word.empty())
      return fail("expected a number, a symbol or '('");
    rest = rest.drop_front(word.size());
    if (!word.getAsInteger(10, value))
      return DimAttr::constant(context, value);
    if (llvm::isDigit(word.front()))
      return fail("'" + word.str() + "' is not a number that fits 64 bits");
    return rest.ltrim().starts_with("(") ? call(word) : DimAttr::symbol(context, word);
  }
  DimAttr call(StringRef name) {
    take("(");
    if (name == "select")
      return selectCall();
    DimAttr lhs = sum();
    if (lhs && !take(","))
      return fail("expected ','");
    DimAttr rhs = lhs ? sum() : lhs;
    if (rhs && !take(")"))
      return fail("expected ')'");
    DimKind kind = name == "min" ? DimKind::Min : name == "max" ? DimKind::Max : name == "shl" ? DimKind::Shl : DimKind::Shr;
    if (name != "min" && name != "max" && name != "shl" && name != "shr")
      return fail("unknown function '" + name.str() + "'");
    return apply(kind, lhs, rhs);
  }
  DimAttr selectCall() {
    DimAttr parts[4];
    parts[0] = sum();
    int predicate = -1;
    for (int p : {0, 1, 3, 5, 2, 4}) // two-character tokens first
      if (predicate < 0 && take(predicateText[p]))
        predicate = p;
    if (predicate < 0)
      return fail("expected a comparison");
    parts[1] = sum();
    for (int i : {2, 3})
      parts[i] = take(",") ? sum() : fail("expected ','");
    if (!parts[0] || !parts[1] || !parts[2] || !parts[3])
      return DimAttr();
    return take(")") ? DimAttr::select(DimPredicate(predicate), parts[0], parts[1], parts[2], parts[3]) : fail("expected ')'");
  }

  MLIRContext *context;
  StringRef rest;
  std::string message;
};

} // namespace

std::optional<DimPredicate> graphc::graph::parsePredicate(StringRef text) {
  for (auto [i, known] : llvm::enumerate(predicateText))
    if (text == known)
      return DimPredicate(i);
  return std::nullopt;
}

bool graphc::graph::holds(DimPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case DimPredicate::Eq: return a == b;
  case DimPredicate::Ne: return a != b;
  case DimPredicate::Lt: return a < b;
  case DimPredicate::Le: return a <= b;
  case DimPredicate::Gt: return a > b;
  case DimPredicate::Ge: return a >= b;
  }
  return false;
}

DimAttr DimAttr::constant(MLIRContext *context, int64_t value) { return make(context, DimKind::Constant, value, {}); }

DimAttr DimAttr::symbol(MLIRContext *context, StringRef name) { return make(context, DimKind::Symbol, 0, {}, name); }

DimAttr DimAttr::binary(DimKind kind, DimAttr lhs, DimAttr rhs) {
  MLIRContext *context = lhs.getContext();
  if (lhs.isConstant() && rhs.isConstant())
    if (std::optional<int64_t> value = foldBinary(kind, lhs.getValue(), rhs.getValue()))
      return constant(context, *value);
  if (DimAttr simple = simplifyNeutral(kind, lhs, rhs))
    return simple;
  if (DimAttr simple = simplifySum(kind, lhs, rhs))
    return simple;
  bool commutes = kind == DimKind::Add || kind == DimKind::Mul || kind == DimKind::Min || kind == DimKind::Max;
  if (commutes && rhs.str() < lhs.str())
    std::swap(lhs, rhs);
  return make(context, kind, 0, {lhs, rhs});
}

DimAttr DimAttr::select(DimPredicate predicate, DimAttr lhs, DimAttr rhs, DimAttr onTrue, DimAttr onFalse) {
  if (lhs.isConstant() && rhs.isConstant())
    return holds(predicate, lhs.getValue(), rhs.getValue()) ? onTrue : onFalse;
  return onTrue == onFalse ? onTrue : make(lhs.getContext(), DimKind::Select, int64_t(predicate), {lhs, rhs, onTrue, onFalse});
}

std::optional<int64_t> DimAttr::evaluate(const llvm::StringMap<int64_t> &symbols) const {
  if (isConstant())
    return getValue();
  if (getKind() == DimKind::Symbol) {
    auto it = symbols.find(getSymbol().getValue());
    return it == symbols.end() ? std::nullopt : std::optional(it->second);
  }
  std::optional<int64_t> a = operand(0).evaluate(symbols), b = operand(1).evaluate(symbols);
  if (!a || !b)
    return std::nullopt;
  if (getKind() == DimKind::Select)
    return operand(holds(DimPredicate(getValue()), *a, *b) ? 2 : 3).evaluate(symbols);
  return foldBinary(getKind(), *a, *b);
}

std::string DimAttr::str() const {
  auto text = [&](unsigned i) { return operand(i).str(); };
  auto infix = [&](const char *op) { return "(" + text(0) + " " + op + " " + text(1) + ")"; };
  auto call = [&](const char *name) { return std::string(name) + "(" + text(0) + ", " + text(1) + ")"; };
  switch (getKind()) {
  case DimKind::Constant: return std::to_string(getValue());
  case DimKind::Symbol: return getSymbol().getValue().str();
  case DimKind::Add: return infix("+");
  case DimKind::Sub: return infix("-");
  case DimKind::Mul: return infix("*");
  case DimKind::FloorDiv: return infix("floordiv");
  case DimKind::CeilDiv: return infix("ceildiv");
  case DimKind::Mod: return infix("mod");
  case DimKind::Min: return call("min");
  case DimKind::Max: return call("max");
  case DimKind::Shl: return call("shl");
  case DimKind::Shr: return call("shr");
  case DimKind::Select:
    return "select(" + text(0) + " " + predicateText[getValue()] + " " + text(1) + ", " + text(2) + ", " + text(3) + ")";
  }
  return "";
}

DimAttr DimAttr::parseInfix(MLIRContext *context, StringRef text, std::string &error) {
  return InfixParser(context, text).parseAll(error);
}

namespace {
/// A quoted expression, or a plain number or symbol.
DimAttr parseQuotedDim(AsmParser &parser) {
  std::string text, error;
  int64_t value;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value())
    return failed(*number) ? DimAttr() : DimAttr::constant(parser.getContext(), value);
  if (failed(parser.parseOptionalString(&text))) {
    StringRef word;
    if (failed(parser.parseKeyword(&word)))
      return DimAttr();
    text = word.str();
  }
  DimAttr dim = DimAttr::parseInfix(parser.getContext(), text, error);
  if (!dim)
    parser.emitError(loc) << "bad dim expression '" << text << "': " << error;
  return dim;
}

void printQuotedDim(AsmPrinter &printer, DimAttr dim) {
  if (dim.isConstant() || dim.getKind() == DimKind::Symbol)
    printer << dim.str();
  else
    printer << '"' << dim.str() << '"';
}
} // namespace

Attribute DimAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  DimAttr dim = parseQuotedDim(parser);
  return !dim || parser.parseGreater() ? Attribute() : dim;
}

void DimAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printQuotedDim(printer, *this);
  printer << '>';
}

Attribute InfoAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimAttr> dims;
  SmallVector<int64_t> order;
  auto parseDim = [&]() -> ParseResult {
    dims.push_back(parseQuotedDim(parser));
    return success(dims.back() != nullptr);
  };
  auto parseEntry = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("dims")))
      return failure(parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim));
    return failure(parser.parseKeyword("order") || parser.parseEqual() ||
                   parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                  [&] { return parser.parseInteger(order.emplace_back()); }));
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(parseEntry) || parser.parseGreater())
    return {};
  return InfoAttr::get(parser.getContext(), dims, order);
}

void InfoAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (!getDims().empty()) {
    printer << "dims = [";
    llvm::interleaveComma(getDims(), printer, [&](DimAttr dim) { printQuotedDim(printer, dim); });
    printer << (getOrder().empty() ? "]" : "], ");
  }
  if (!getOrder().empty()) {
    printer << "order = [";
    llvm::interleaveComma(getOrder(), printer);
    printer << ']';
  }
  printer << '>';
}

LogicalResult InfoAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, function_ref<InFlightDiagnostic()> emitError) const {
  if (!getDims().empty() && getDims().size() != shape.size())
    return emitError() << "#graph.info has " << getDims().size() << " dims, the tensor has rank " << shape.size();
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (ShapedType::isDynamic(shape[i]) ? dim.isConstant() : !dim.isConstant() || dim.getValue() != shape[i])
      return emitError() << "dim " << i << " of #graph.info is " << dim.str() << ", the tensor's type says "
                         << (ShapedType::isDynamic(shape[i]) ? std::string("?") : std::to_string(shape[i]));
  SmallVector<bool> seen(shape.size());
  for (int64_t d : getOrder())
    if (d < 0 || d >= int64_t(shape.size()) || std::exchange(seen[d], true))
      return emitError() << "order of #graph.info is not a permutation of the tensor's dims";
  if (!getOrder().empty() && getOrder().size() != shape.size())
    return emitError() << "order of #graph.info is not a permutation of the tensor's dims";
  return success();
}

DimAttr graphc::graph::getDim(RankedTensorType type, unsigned i) {
  if (!type.isDynamicDim(i))
    return DimAttr::constant(type.getContext(), type.getDimSize(i));
  return cast<InfoAttr>(type.getEncoding()).getDims()[i];
}

SmallVector<DimAttr> graphc::graph::getDims(RankedTensorType type) {
  return llvm::to_vector(llvm::map_range(llvm::seq<unsigned>(0, type.getRank()), [&](unsigned i) { return getDim(type, i); }));
}

SmallVector<int64_t> graphc::graph::getOrder(RankedTensorType type) {
  auto info = dyn_cast_or_null<InfoAttr>(type.getEncoding());
  if (info && !info.getOrder().empty())
    return SmallVector<int64_t>(info.getOrder());
  return llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
}

RankedTensorType graphc::graph::getTensorType(ArrayRef<DimAttr> dims, Type elementType, ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape;
  for (DimAttr dim : dims)
    shape.push_back(dim.isConstant() ? dim.getValue() : ShapedType::kDynamic);
  bool isStatic = !llvm::any_of(shape, ShapedType::isDynamic);
  bool isDefault = llvm::all_of(llvm::enumerate(order), [](auto item) { return item.value() == int64_t(item.index()); });
  if (isStatic && isDefault)
    return RankedTensorType::get(shape, elementType);
  auto info = InfoAttr::get(elementType.getContext(), isStatic ? ArrayRef<DimAttr>() : dims, isDefault ? ArrayRef<int64_t>() : order);
  return RankedTensorType::get(shape, elementType, info);
}

DimAttr graphc::graph::getNumElements(RankedTensorType type) {
  DimAttr product = DimAttr::constant(type.getContext(), 1);
  for (DimAttr dim : getDims(type))
    product = product * dim;
  return product;
}

SmallVector<DimAttr> graphc::graph::getStrides(RankedTensorType type) {
  SmallVector<DimAttr> strides(type.getRank());
  DimAttr stride = DimAttr::constant(type.getContext(), 1);
  SmallVector<int64_t> order = getOrder(type);
  for (int64_t d : llvm::reverse(order)) {
    strides[d] = stride;
    stride = stride * getDim(type, d);
  }
  return strides;
}

ArrayAttr graphc::graph::makeDimArray(MLIRContext *context, ArrayRef<DimAttr> dims) {
  return ArrayAttr::get(context, SmallVector<Attribute>(dims.begin(), dims.end()));
}

ArrayAttr graphc::graph::makeDimArray(MLIRContext *context, ArrayRef<int64_t> dims) {
  return ArrayAttr::get(context, llvm::map_to_vector(dims, [&](int64_t dim) { return Attribute(DimAttr::constant(context, dim)); }));
}

SmallVector<DimAttr> graphc::graph::getDimArray(ArrayAttr dims) {
  return llvm::map_to_vector(dims, [](Attribute dim) { return cast<DimAttr>(dim); });
}
