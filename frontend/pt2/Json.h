// JSON of a .pt2, parsed with a cap on nesting, and small accessors for its schema (unions are objects with one key).
//
// Input: text from the archive. Output: llvm::json values. llvm's parser is recursive, so depth is checked first.
#ifndef GRAPHC_FRONTEND_PT2_JSON_H
#define GRAPHC_FRONTEND_PT2_JSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <utility>

namespace graphc::frontend::pt2 {

/// Errors name `what` the text is: malformed, or nested deeper than any writer does.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text, llvm::StringRef what);

/// The key and value of a union such as {"as_tensor": {"name": "x"}}; an empty key where the value isn't one.
std::pair<llvm::StringRef, const llvm::json::Value *> unionOf(const llvm::json::Value *value);

/// The array or object under `key`; an empty one where there is none (or `object` is null).
const llvm::json::Array &arrayOf(const llvm::json::Object *object, llvm::StringRef key);
const llvm::json::Object &objectOf(const llvm::json::Object *object, llvm::StringRef key);

/// The text under `key`; empty where there is none (or `object` is null).
llvm::StringRef stringOf(const llvm::json::Object *object, llvm::StringRef key);

/// An error that says what is wrong with the file.
llvm::Error failure(const std::string &what);

/// A float, where infinities and NaN are strings; nullopt for anything else.
std::optional<double> floatOf(const llvm::json::Value &value);

} // namespace graphc::frontend::pt2

#endif // GRAPHC_FRONTEND_PT2_JSON_H
