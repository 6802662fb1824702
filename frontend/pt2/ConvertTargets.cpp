// Names of operators: what a .pt2 calls a target, as TorchScript calls it.
//
// Input: "torch.ops.aten.add.Tensor", "_operator.floordiv", "torch.sym_max", with the types of the operands. Output: op and
// overload, "aten::add.Tensor", "aten::floordiv.int", "prim::max.int". Unknown targets keep their name under python::, so that
// the builder's report names them.
#include "frontend/pt2/ConvertProgram.h"

#include "llvm/ADT/StringSwitch.h"

using namespace graphc::frontend::pt2;
using llvm::StringRef;

namespace {

/// "int", "float", "int_float", "float_int", as TorchScript names the overloads of scalar arithmetic; bool counts as int.
std::string numericOverload(llvm::ArrayRef<std::string> types) {
  std::string overload;
  for (const std::string &type : types)
    overload += (overload.empty() ? "" : "_") + std::string(type == "float" ? "float" : "int");
  return overload == "int_int" ? "int" : overload == "float_float" ? "float" : overload;
}

/// torch.ops.NAMESPACE.OP.OVERLOAD
Target convertOperatorTarget(StringRef target) {
  auto [space, rest] = target.split('.');
  auto [op, overload] = rest.split('.');
  if (space == "aten") { // the same questions under TorchScript's names
    op = llvm::StringSwitch<StringRef>(op)
             .Case("sym_size", "size")
             .Case("sym_stride", "stride")
             .Case("sym_numel", "numel")
             .Case("sym_storage_offset", "storage_offset")
             .Default(op);
  }
  return {(space + "::" + op).str(), overload == "default" ? "" : overload.str()};
}

} // namespace

Target graphc::frontend::pt2::convertTarget(StringRef target, llvm::ArrayRef<std::string> operandTypes,
                                            StringRef resultType) {
  if (target.consume_front("torch.ops."))
    return convertOperatorTarget(target);
  std::string overload = numericOverload(operandTypes);
  StringRef name = target;
  if (!name.consume_front("_operator.") && !name.consume_front("math."))
    name.consume_front("torch.");
  StringRef arithmetic = llvm::StringSwitch<StringRef>(name)
                             .Cases({"add", "sub", "mul", "floordiv", "neg", "eq", "ne", "lt", "le", "gt", "ge"}, name)
                             .Case("mod", "remainder")
                             .Default("");
  if (!arithmetic.empty())
    return {("aten::" + arithmetic).str(), overload};
  if (name == "truediv") // only equal types have an overload of their own
    return {"aten::div", overload == "int" || overload == "float" ? overload : ""};
  if (name == "pow")
    return {"aten::pow", resultType == "int" ? "int_to_int" : overload};
  if (name == "sym_max" || name == "sym_min")
    return {"prim::" + name.drop_front(4).str(), overload};
  if (name == "sym_float")
    return {"aten::Float", overload, overload == "float"};
  if (name == "trunc" || name == "sym_int")
    return {"aten::Int", overload, overload == "int"};
  if (name == "sym_sqrt" || name == "_sym_sqrt")
    return {"aten::sqrt", overload};
  if (name == "pos")
    return {"aten::pos", overload, true};
  if (name == "sym_not")
    return {"aten::__not__", ""};
  if (name == "sym_ite")
    return {"prim::If", ""};
  bool isBits = name == "and_" || name == "or_" || name == "lshift" || name == "rshift";
  if (isBits && !operandTypes.empty())
    return {("aten::__" + name.rtrim('_') + "__").str(), operandTypes[0] == "bool" ? "bool" : "int"};
  return {("python::" + target).str(), ""};
}
