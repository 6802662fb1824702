// Reads pickles as data: nothing in them is ever called or imported.
//
// Input: the bytes of a pickle (protocols 2 to 4, the opcodes that tensors and containers need). Output: a tree of values in
// which a class is only its name and a call only its callable and arguments: what they mean is the reader's to decide. E.g.
// `torch._utils._rebuild_tensor_v2(…)` becomes Call(Global "torch._utils._rebuild_tensor_v2", Tuple(…)).
#ifndef GRAPHC_FRONTEND_PICKLE_PICKLE_H
#define GRAPHC_FRONTEND_PICKLE_PICKLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::frontend {

using PickleId = uint32_t;

struct PickleValue {
  enum class Kind {
    None,
    Bool,       // integer: 0 or 1
    Integer,    // integer
    Float,      // number
    String,     // text (str and bytes)
    Global,     // text: "module.name"
    List,       // children
    Tuple,      // children
    Dict,       // children: key, value, key, value, …
    Call,       // children: callable, arguments (a Tuple), then the state that BUILD gave, if any
    Persistent, // children: the persistent id
  } kind = Kind::None;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<PickleId> children;
};

/// The values of one pickle; ids index `values`. Shared and even cyclic references are possible: walk with a cap on depth.
struct PickleDocument {
  std::vector<PickleValue> values;
  PickleId root = 0;
  const PickleValue &operator[](PickleId id) const { return values[id]; }
};

/// Errors: truncated or malformed pickles, unknown opcodes (named by number), more values than a cap.
llvm::Expected<PickleDocument> readPickle(llvm::StringRef bytes);

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_PICKLE_PICKLE_H
