// Symbolic sizes as a .pt2 writes them, turned into the infix form of graph.dim.
//
// Input: sympy's srepr text, "FloorDiv(Add(Symbol('s0', integer=True), Integer(1)), Integer(2))", or a guard in Python,
// "L['x'].size()[0] % 2 == 0". Output: "((s0 + 1) floordiv 2)", or comparisons of such. Expressions through floats are
// accepted where exact rational arithmetic says the same as double arithmetic does, for sizes up to a limit ("1.7 * s0", rounded) where need be, and
// refused by name where not.
#ifndef GRAPHC_FRONTEND_PT2_SYMBOLICEXPRESSION_H
#define GRAPHC_FRONTEND_PT2_SYMBOLICEXPRESSION_H

#include "frontend/SourceGraph.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace graphc::frontend::pt2 {

/// An expression tree; the parsers of both notations produce it, with sympy's names for operations ("Add", "FloorDiv").
struct SymbolicTree {
  enum class Kind { Rational, Symbol, Operation } kind = Kind::Operation;
  int64_t numerator = 0, denominator = 1; // Rational
  double real = 0;                        // Rational that is no small fraction: the number
  bool isNonNegative = false;             // Symbol
  std::string name;                       // Symbol, Operation
  std::vector<SymbolicTree> arguments;    // Operation
};

/// Errors: malformed text, numbers beyond 64 bits, nesting or length beyond a cap.
llvm::Expected<SymbolicTree> parseSympy(llvm::StringRef text);

/// Says what a path such as `L['x']` or `L['d']['a'][0]`, then `.size()[1]`, stands for: given "d.a.0" and 1, the infix
/// expression of that dim; without a dim that of an int; nullopt when there is no such input.
using SizeOfInput = llvm::function_ref<std::optional<std::string>(llvm::StringRef path, std::optional<uint64_t> dim)>;
/// A Python expression over input sizes. Sizes become symbols whose names are the infix text that `sizeOf` gives.
llvm::Expected<SymbolicTree> parsePythonGuard(llvm::StringRef text, SizeOfInput sizeOf);

/// The infix form of an integer-valued tree. `guards`: for which sizes it is so, appended.
llvm::Expected<std::string> infixOf(const SymbolicTree &tree, std::vector<DimGuard> &guards);
/// The comparisons that must all hold where the tree is a condition: comparisons joined by And, Or and Not. What is not a conjunction becomes one comparison, "select(a == b,
/// 1, select(b == 1, 1, 0)) == 1".
llvm::Expected<std::vector<DimGuard>> guardsOf(const SymbolicTree &tree);

/// Calls `visit` with every symbol in the tree.
void forEachSymbol(const SymbolicTree &tree, llvm::function_ref<void(const SymbolicTree &)> visit);

} // namespace graphc::frontend::pt2

#endif // GRAPHC_FRONTEND_PT2_SYMBOLICEXPRESSION_H
