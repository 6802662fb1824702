// See PrintPlan.h.
//
//   variant 0 "forward" next [0]
//     buffer 0 input 0 f32[B,4] "x"
//     step 0 linear_relu(0, 1, 2 -> 3) units 1, model.py:12
#include "codegen/plan/PrintPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace graphc;
using namespace graphc::plan;

namespace {

class PlanPrinter {
public:
  PlanPrinter(const PlanT &plan, llvm::raw_ostream &os) : plan(plan), os(os) {}
  void print();

private:
  std::string dim(int32_t index) const;
  std::string type(DType dtype, const std::vector<int32_t> &dims, const std::vector<uint32_t> &order) const;
  void printTables();
  void printVariant(const VariantT &variant, size_t number);
  void printBuffer(const BufferT &buffer, size_t number);
  void printStep(const StepT &step, size_t number);
  void printBody(const StepT &step);

  const PlanT &plan;
  llvm::raw_ostream &os;
};

const char *infix(DimOp op) {
  switch (op) {
  case DimOp::Add: return " + ";
  case DimOp::Sub: return " - ";
  case DimOp::Mul: return " * ";
  case DimOp::FloorDiv: return " floordiv ";
  case DimOp::CeilDiv: return " ceildiv ";
  case DimOp::Mod: return " mod ";
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

/// The postfix program of a dims entry as infix text.
std::string PlanPrinter::dim(int32_t index) const {
  if (index < 0)
    return "none";
  std::vector<std::string> stack;
  auto pop = [&] {
    std::string top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const DimInstr &instr : plan.dims[index]->code) {
    switch (instr.op()) {
    case DimOp::Const: stack.push_back(std::to_string(instr.value())); continue;
    case DimOp::Symbol: stack.push_back(plan.symbols[instr.value()]->name); continue;
    case DimOp::Dim: stack.push_back(dim(int32_t(instr.value()))); continue;
    case DimOp::Neg: stack.push_back("-" + pop()); continue;
    case DimOp::Not: stack.push_back("not " + pop()); continue;
    case DimOp::Select: {
      std::string b = pop(), a = pop(), c = pop();
      stack.push_back("select(" + c + ", " + a + ", " + b + ")");
      continue;
    }
    default: break;
    }
    std::string rhs = pop(), lhs = pop();
    if (const char *text = infix(instr.op()))
      stack.push_back("(" + lhs + text + rhs + ")");
    else
      stack.push_back(std::string(EnumNameDimOp(instr.op())) + "(" + lhs + ", " + rhs + ")");
  }
  std::string text = pop();
  return text.size() > 2 && text.front() == '(' ? text.substr(1, text.size() - 2) : text;
}

std::string PlanPrinter::type(DType dtype, const std::vector<int32_t> &dims, const std::vector<uint32_t> &order) const {
  std::string text = llvm::StringRef(EnumNameDType(dtype)).lower() + "[";
  text += llvm::join(llvm::map_range(dims, [&](int32_t d) { return dim(d); }), ",") + "]";
  if (!order.empty())
    text += " order [" + llvm::join(llvm::map_range(order, [](uint32_t d) { return std::to_string(d); }), ",") + "]";
  return text;
}

void PlanPrinter::printTables() {
  os << "plan target " << plan.target << " levels " << llvm::join(plan.levels, ",") << " entry " << plan.entry << "\n";
  for (const auto &symbol : plan.symbols)
    os << "symbol " << symbol->name << " " << llvm::StringRef(EnumNameSymbolSource(symbol->source)) << " " << symbol->index << " dim "
       << symbol->dim << "\n";
  for (const auto &input : plan.inputs)
    os << "input " << input->name << " " << type(input->dtype, input->dims, input->order) << "\n";
  for (const auto &output : plan.outputs)
    os << "output " << output->name << " " << type(output->dtype, output->dims, output->order) << "\n";
  for (const auto &state : plan.states)
    os << "state " << state->name << " " << llvm::StringRef(EnumNameDType(state->dtype)).lower() << "["
       << llvm::join(llvm::map_range(state->dims, [](int64_t d) { return std::to_string(d); }), ",") << "] initial " << state->initial << "\n";
  for (auto [i, constant] : llvm::enumerate(plan.constants))
    os << "constant " << i << " " << llvm::StringRef(EnumNameDType(constant->dtype)).lower() << "["
       << llvm::join(llvm::map_range(constant->dims, [](int64_t d) { return std::to_string(d); }), ",") << "] " << constant->size << " bytes \""
       << constant->fqn << "\"" << (constant->packing.empty() ? "" : " packing ") << constant->packing << "\n";
  for (auto [i, kernel] : llvm::enumerate(plan.kernels))
    os << "kernel " << i << " " << kernel->name << "\n";
}

void PlanPrinter::printBuffer(const BufferT &buffer, size_t number) {
  os << "  buffer " << number << " ";
  if (buffer.alias_of != -1)
    os << "in " << buffer.alias_of << (buffer.alias_offset == -1 ? "" : " at " + dim(buffer.alias_offset));
  else if (buffer.kind == BufferKind::Arena)
    os << "arena steps " << buffer.first_step << ".." << buffer.last_step;
  else
    os << llvm::StringRef(EnumNameBufferKind(buffer.kind)).lower() << " " << buffer.index;
  os << " " << type(buffer.dtype, buffer.dims, buffer.order) << " \"" << buffer.name << "\"\n";
}

void PlanPrinter::printBody(const StepT &step) {
  auto list = [](llvm::ArrayRef<uint32_t> values) {
    return llvm::join(llvm::map_range(values, [](uint32_t v) { return std::to_string(v); }), ", ");
  };
  if (const LaunchT *launch = step.body.AsLaunch()) {
    os << "launch " << plan.kernels[launch->kernel]->name << "(" << list(launch->buffers) << ") units " << dim(launch->units);
    if (launch->chunk != -1)
      os << " chunk " << dim(launch->chunk);
    if (launch->scratch_bytes != -1)
      os << " scratch " << dim(launch->scratch_bytes);
  } else if (const CopyT *copy = step.body.AsCopy()) {
    os << "copy " << copy->from << " to " << copy->to;
  } else if (const StateWriteT *write = step.body.AsStateWrite()) {
    os << "write state " << write->state << " from " << (write->from != -1 ? std::to_string(write->from) : dim(write->value));
  } else {
    os << EnumNameStepBody(step.body.type);
  }
}

void PlanPrinter::printStep(const StepT &step, size_t number) {
  os << "  step " << number << " " << (step.independent ? "independent " : "");
  printBody(step);
  if (!step.values.empty())
    os << " values [" << llvm::join(llvm::map_range(step.values, [](uint32_t v) { return std::to_string(v); }), ", ") << "]";
  for (uint32_t index : step.locations)
    os << ", " << plan.locations[index]->file << ":" << plan.locations[index]->line;
  os << "\n";
}

void PlanPrinter::printVariant(const VariantT &variant, size_t number) {
  os << "variant " << number << " \"" << variant.name << "\"";
  if (!variant.next.empty())
    os << " next [" << llvm::join(llvm::map_range(variant.next, [](uint32_t v) { return std::to_string(v); }), ", ") << "]";
  os << "\n";
  for (const auto &guard : variant.guards)
    os << "  guard " << dim(guard->lhs) << " " << EnumNameRelation(guard->relation) << " " << dim(guard->rhs) << " \"" << guard->message << "\"\n";
  for (auto [i, buffer] : llvm::enumerate(variant.buffers))
    printBuffer(*buffer, i);
  for (auto [i, step] : llvm::enumerate(variant.steps))
    printStep(*step, i);
  for (auto [i, output] : llvm::enumerate(variant.outputs))
    os << "  output " << i << " is buffer " << output << "\n";
}

void PlanPrinter::print() {
  printTables();
  for (auto [i, variant] : llvm::enumerate(plan.variants))
    printVariant(*variant, i);
}

} // namespace

void codegen::printPlan(const PlanT &plan, llvm::raw_ostream &os) { PlanPrinter(plan, os).print(); }
