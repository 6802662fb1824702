// Names for the leaves of a pytree spec, as torch.export stores it for a program's inputs and outputs.
//
// Input: the spec's JSON, `[1, {"type": "builtins.dict", "context": "[\"a\"]", "children_spec": […]}]`, and the field names of
// named tuples. Output: one path per leaf in order, such as "hidden.0"; a spec that is a single leaf has the path "".
#ifndef GRAPHC_FRONTEND_PT2_PYTREE_H
#define GRAPHC_FRONTEND_PT2_PYTREE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphc::frontend::pt2 {

using NamedTupleFields = llvm::StringMap<std::vector<std::string>>;

/// Errors: text that isn't such a spec, or nests too deeply.
llvm::Expected<std::vector<std::string>> leafPaths(llvm::StringRef spec, const NamedTupleFields &namedTuples);

/// The same for an input spec, ((args…), {kwargs…}): the first part of a path is the argument's name, by position out of
/// `argumentNames` where it has one.
llvm::Expected<std::vector<std::string>> inputLeafPaths(llvm::StringRef spec,
                                                        const std::vector<std::string> &argumentNames,
                                                        const NamedTupleFields &namedTuples);

} // namespace graphc::frontend::pt2

#endif // GRAPHC_FRONTEND_PT2_PYTREE_H
