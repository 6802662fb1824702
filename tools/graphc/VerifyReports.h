// What verify and bisect found, for people and as JSON.
#ifndef GRAPHC_TOOLS_GRAPHC_VERIFYREPORTS_H
#define GRAPHC_TOOLS_GRAPHC_VERIFYREPORTS_H

#include "tools/verify/Bisect.h"
#include "llvm/Support/JSON.h"

namespace graphc::cli {

/// One line per output, then where it goes wrong first. `model` is the file's name.
std::string formatVerify(const std::string &model, const verify::VerifyReport &report);
llvm::json::Object verifyJson(const verify::VerifyReport &report);

/// The passes with what the interpreter says of each, then pass and kernel.
std::string formatBisect(const std::string &model, const verify::BisectReport &report);
llvm::json::Object bisectJson(const verify::BisectReport &report);

} // namespace graphc::cli

#endif // GRAPHC_TOOLS_GRAPHC_VERIFYREPORTS_H
