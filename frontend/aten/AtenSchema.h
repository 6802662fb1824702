// The schemas of ATen operators: argument names, types, order, defaults, and what is written or aliased.
//
// Input: "aten::add", "Tensor". Output: the parsed schema, out of a table generated from torch (AtenSchemas.inc, see
// tools/aten/make_schema_table.py). The .pt2 reader completes arguments that a file leaves at their defaults with it.
#ifndef GRAPHC_FRONTEND_ATEN_ATENSCHEMA_H
#define GRAPHC_FRONTEND_ATEN_ATENSCHEMA_H

#include "frontend/SourceGraph.h"

#include <string_view>

namespace graphc::frontend {

struct AtenArgument {
  std::string name;
  std::string type;     // as schemas spell it, without aliasing: "Tensor", "Tensor?", "SymInt[2]", "Scalar", "ScalarType?"
  std::string aliasSet; // "a" for Tensor(a) and Tensor(a!); "a->*" for Tensor(a -> *)
  bool isWritten = false;
  bool isKeywordOnly = false;
  std::optional<Constant> defaultValue; // lists are expanded: `int[2] stride=1` has [1, 1]
};

struct AtenReturn {
  std::string name, type, aliasSet; // aliasSet as above: which arguments the result shares memory with
  bool isWritten = false;           // `-> Tensor(a!)` of in-place operators
};

struct AtenSchema {
  std::string op, overload; // "aten::add", "Tensor"; the default overload is ""
  std::vector<AtenArgument> arguments;
  std::vector<AtenReturn> returns;
};

/// nullopt when the table has no such operator.
std::optional<AtenSchema> findAtenSchema(std::string_view op, std::string_view overload);

/// Puts the node's named operands into the schema's order and adds the missing ones that have a default. False, with the node
/// unchanged, when an operand's name isn't the schema's or a missing argument has no default.
bool completeOperands(Node &node, const AtenSchema &schema);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_ATEN_ATENSCHEMA_H
