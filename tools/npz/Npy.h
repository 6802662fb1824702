// NumPy's .npy format: one array. Versions 1 to 3 are read, either byte order, C or Fortran order; version 1 is written.
//
//   parseNpy(bytes, "'x.npy'")      formatNpy(array)
#ifndef GRAPHC_TOOLS_NPZ_NPY_H
#define GRAPHC_TOOLS_NPZ_NPY_H

#include "tools/npz/Array.h"
#include "llvm/ADT/ArrayRef.h"

namespace graphc::npz {

/// Reads an array of bool, (u)int8, int16/32/64 or float16/32/64. `what` names it in messages. Errors (Model): not .npy,
/// cut short, another dtype (it is named), a shape whose bytes don't fit.
llvm::Expected<Array> parseNpy(llvm::ArrayRef<std::byte> bytes, const std::string &what);

/// The array as NumPy's own writer gives it. bf16, which NumPy does not have, is written as float32.
std::vector<std::byte> formatNpy(const Array &array);

} // namespace graphc::npz

#endif // GRAPHC_TOOLS_NPZ_NPY_H
