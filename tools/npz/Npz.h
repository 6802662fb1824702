// NumPy's files by path: .npz (numpy.savez and savez_compressed) and .npy.
//
//   std::vector<NamedArray> inputs = *readNpz("in.npz");      writeNpz("out.npz", {{"out0", array}});
#ifndef GRAPHC_TOOLS_NPZ_NPZ_H
#define GRAPHC_TOOLS_NPZ_NPZ_H

#include "tools/npz/Array.h"

namespace graphc::npz {

/// All arrays, in the file's order, named without ".npy". Errors as frontend/zip, Npy.h and readFile say.
llvm::Expected<std::vector<NamedArray>> readNpz(const std::string &path);
llvm::Expected<Array> readNpy(const std::string &path);

/// Writes the arrays, not compressed, in this order. Errors: Environment.
llvm::Error writeNpz(const std::string &path, const std::vector<NamedArray> &arrays);

} // namespace graphc::npz

#endif // GRAPHC_TOOLS_NPZ_NPZ_H
