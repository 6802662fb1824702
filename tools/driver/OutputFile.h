// Files that the tools read whole and write whole. A written file appears complete or not at all: it is written under a
// temporary name beside its place and renamed.
//
//   if (llvm::Error error = writeFile("model.gcx", bytes)) …
#ifndef GRAPHC_TOOLS_DRIVER_OUTPUTFILE_H
#define GRAPHC_TOOLS_DRIVER_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <string>
#include <vector>

namespace graphc::driver {

/// Replaces `path` by a file of these bytes. Errors: Environment, with the system's reason.
llvm::Error writeFile(const std::string &path, llvm::ArrayRef<std::byte> bytes);
llvm::Error writeFile(const std::string &path, llvm::StringRef text);

/// All bytes of `path`. Errors: Model where it doesn't exist or is a folder, Environment otherwise.
llvm::Expected<std::vector<std::byte>> readFile(const std::string &path);

} // namespace graphc::driver

#endif // GRAPHC_TOOLS_DRIVER_OUTPUTFILE_H
