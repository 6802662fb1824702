// TorchScript's types as the file spells them, taken apart.
//
//   parseType("Dict[str, List[Tensor]]")            Dict of (str, List of (Tensor))
//   parseType("NamedTuple[x: Tensor, n: int]")      NamedTuple of (Tensor, int) with names x, n
#ifndef GRAPHC_FRONTEND_BUILDER_TYPETEXT_H
#define GRAPHC_FRONTEND_BUILDER_TYPETEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphc::frontend::builder {

struct TypeText {
  std::string text; // all of it
  std::string name; // "Dict", "Tensor", …
  std::vector<TypeText> arguments;
  std::vector<std::string> fieldNames; // of a NamedTuple

  bool is(llvm::StringRef other) const { return name == other; }
  /// A tensor, or a container with one somewhere inside.
  bool holdsTensors() const;
};

/// Malformed text gives a type of that name without arguments.
TypeText parseType(llvm::StringRef text);

/// The pieces of "a, (b, c), [d]" between commas outside of brackets, trimmed; none where the text is empty.
std::vector<llvm::StringRef> splitAtCommas(llvm::StringRef text);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_TYPETEXT_H
