// Evaluation, well-formedness and text of dims programs. Division and modulo round towards minus infinity, as Python's.
#include "runtime/exec/Dims.h"

#include <algorithm>

namespace graphc::runtime {
namespace {

using plan::DimInstr;
using plan::DimOp;

int operandCount(DimOp op) {
  switch (op) {
  case DimOp::Const: case DimOp::Symbol: case DimOp::Dim: return 0;
  case DimOp::Neg: case DimOp::Not: return 1;
  case DimOp::Select: return 3;
  default: return 2;
  }
}

constexpr DimValue invalid{0, false};

DimValue divide(DimOp op, int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return op == DimOp::Mod && b != 0 ? DimValue{0, true} : invalid;
  const int64_t quotient = a / b, remainder = a % b;
  const bool opposite = remainder != 0 && ((remainder < 0) != (b < 0));
  switch (op) {
  case DimOp::FloorDiv: return {quotient - (opposite ? 1 : 0), true};
  case DimOp::CeilDiv: return {quotient + (remainder != 0 && !opposite ? 1 : 0), true};
  default: return {opposite ? remainder + b : remainder, true};
  }
}

DimValue shift(DimOp op, int64_t a, int64_t b) {
  if (b < 0 || b > 62)
    return invalid;
  int64_t result = a >> b;
  if (op == DimOp::Shl && __builtin_mul_overflow(a, int64_t(1) << b, &result))
    return invalid;
  return {result, true};
}

DimValue binary(DimOp op, DimValue left, DimValue right) {
  if (!left.valid || !right.valid)
    return invalid;
  const int64_t a = left.value, b = right.value;
  int64_t result = 0;
  switch (op) {
  case DimOp::Add: return __builtin_add_overflow(a, b, &result) ? invalid : DimValue{result, true};
  case DimOp::Sub: return __builtin_sub_overflow(a, b, &result) ? invalid : DimValue{result, true};
  case DimOp::Mul: return __builtin_mul_overflow(a, b, &result) ? invalid : DimValue{result, true};
  case DimOp::FloorDiv: case DimOp::CeilDiv: case DimOp::Mod: return divide(op, a, b);
  case DimOp::Shl: case DimOp::Shr: return shift(op, a, b);
  case DimOp::Min: return {std::min(a, b), true};
  case DimOp::Max: return {std::max(a, b), true};
  case DimOp::Eq: return {a == b, true};
  case DimOp::Ne: return {a != b, true};
  case DimOp::Lt: return {a < b, true};
  case DimOp::Le: return {a <= b, true};
  case DimOp::Gt: return {a > b, true};
  case DimOp::Ge: return {a >= b, true};
  case DimOp::And: return {a != 0 && b != 0, true};
  case DimOp::Or: return {a != 0 || b != 0, true};
  default: return invalid;
  }
}

DimValue unary(DimOp op, DimValue operand) {
  if (!operand.valid)
    return invalid;
  if (op == DimOp::Not)
    return {operand.value == 0, true};
  return operand.value == INT64_MIN ? invalid : DimValue{-operand.value, true};
}

DimValue run(const flatbuffers::Vector<const DimInstr *> &code, const std::vector<DimValue> &symbols,
             const DimValues &earlier) {
  DimValue stack[maxDimStack];
  int top = 0;
  for (const DimInstr *instr : code) {
    const auto index = static_cast<size_t>(instr->value());
    switch (instr->op()) {
    case DimOp::Const: stack[top++] = {instr->value(), true}; break;
    case DimOp::Symbol: stack[top++] = symbols[index]; break;
    case DimOp::Dim: stack[top++] = {earlier.values[index], earlier.valid[index] != 0}; break;
    case DimOp::Neg: case DimOp::Not: stack[top - 1] = unary(instr->op(), stack[top - 1]); break;
    case DimOp::Select:
      top -= 2;
      if (stack[top - 1].valid)
        stack[top - 1] = stack[top - 1].value != 0 ? stack[top] : stack[top + 1];
      break;
    default:
      --top;
      stack[top - 1] = binary(instr->op(), stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

const char *infix(DimOp op) {
  switch (op) {
  case DimOp::Add: return " + ";
  case DimOp::Sub: return " - ";
  case DimOp::Mul: return "*";
  case DimOp::FloorDiv: return "//";
  case DimOp::Mod: return "%";
  case DimOp::Shl: return "<<";
  case DimOp::Shr: return ">>";
  case DimOp::Eq: return " == ";
  case DimOp::Ne: return " != ";
  case DimOp::Lt: return " < ";
  case DimOp::Le: return " <= ";
  case DimOp::Gt: return " > ";
  case DimOp::Ge: return " >= ";
  case DimOp::And: return " and ";
  case DimOp::Or: return " or ";
  default: return nullptr;
  }
}

std::string call(const char *name, const std::string &a, const std::string &b) {
  return std::string(name) + "(" + a + ", " + b + ")";
}

/// A text and whether it needs parentheses as an operand.
struct Term {
  std::string text;
  bool atom;
  std::string operand() const { return atom ? text : "(" + text + ")"; }
};

Term binaryTerm(DimOp op, const Term &a, const Term &b) {
  if (op == DimOp::Min || op == DimOp::Max || op == DimOp::CeilDiv)
    return {call(op == DimOp::Min ? "min" : op == DimOp::Max ? "max" : "ceildiv", a.text, b.text), true};
  const bool loose = op == DimOp::Add || op == DimOp::Sub;
  const bool product = op == DimOp::Mul && a.atom && b.atom;
  const std::string left = op == DimOp::Add ? a.text : a.operand();
  return {left + infix(op) + b.operand(), product && !loose};
}

} // namespace

DimTable::DimTable(const plan::Plan &plan) : plan_(plan) {}

void DimTable::evaluate(const std::vector<DimValue> &symbols, DimValues &out) const {
  const size_t count = plan_.dims() ? plan_.dims()->size() : 0;
  out.values.resize(count);
  out.valid.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const DimValue value = run(*plan_.dims()->Get(static_cast<unsigned>(i))->code(), symbols, out);
    out.values[i] = value.valid ? value.value : 0;
    out.valid[i] = value.valid;
  }
}

bool isDimProgram(const plan::Plan &plan, uint32_t index) {
  const auto symbolCount = static_cast<int64_t>(plan.symbols() ? plan.symbols()->size() : 0);
  int depth = 0;
  if (reinterpret_cast<uintptr_t>(plan.dims()->Get(index)->code()->Data()) % alignof(DimInstr) != 0)
    return false; // FlatBuffers' verifier leaves the elements of a vector unchecked
  for (const DimInstr *instr : *plan.dims()->Get(index)->code()) {
    if (instr->op() > DimOp::Select)
      return false;
    if (instr->op() == DimOp::Symbol && (instr->value() < 0 || instr->value() >= symbolCount))
      return false;
    if (instr->op() == DimOp::Dim && (instr->value() < 0 || instr->value() >= static_cast<int64_t>(index)))
      return false;
    const int operands = operandCount(instr->op());
    if (depth < operands)
      return false;
    depth += 1 - operands;
    if (depth > maxDimStack)
      return false;
  }
  return depth == 1;
}

DimShape dimShape(const plan::Plan &plan, int32_t dim) {
  const auto *code = plan.dims()->Get(static_cast<unsigned>(dim))->code();
  DimShape shape;
  if (code->size() != 1)
    return shape;
  const DimInstr *only = code->Get(0);
  if (only->op() == DimOp::Const)
    shape.isConstant = true, shape.constant = only->value();
  else if (only->op() == DimOp::Symbol)
    shape.symbol = static_cast<int32_t>(only->value());
  else if (only->op() == DimOp::Dim)
    return dimShape(plan, static_cast<int32_t>(only->value()));
  return shape;
}

std::string dimText(const plan::Plan &plan, int32_t dim) {
  std::vector<Term> stack;
  for (const DimInstr *instr : *plan.dims()->Get(static_cast<unsigned>(dim))->code()) {
    const auto pop = [&] {
      Term last = std::move(stack.back());
      stack.pop_back();
      return last;
    };
    switch (instr->op()) {
    case DimOp::Const: stack.push_back({std::to_string(instr->value()), instr->value() >= 0}); break;
    case DimOp::Symbol:
      stack.push_back({plan.symbols()->Get(static_cast<unsigned>(instr->value()))->name()->str(), true});
      break;
    case DimOp::Dim: {
      std::string inner = dimText(plan, static_cast<int32_t>(instr->value()));
      const bool atom = inner.find_first_of(" /%*<>-") == std::string::npos;
      stack.push_back({std::move(inner), atom});
      break;
    }
    case DimOp::Neg: stack.push_back({"-" + pop().operand(), false}); break;
    case DimOp::Not: stack.push_back({"not " + pop().operand(), false}); break;
    case DimOp::Select: {
      const Term b = pop(), a = pop(), c = pop();
      stack.push_back({a.operand() + " if " + c.text + " else " + b.operand(), false});
      break;
    }
    default: {
      const Term b = pop(), a = pop();
      stack.push_back(binaryTerm(instr->op(), a, b));
    }
    }
  }
  return stack.back().text;
}

} // namespace graphc::runtime
