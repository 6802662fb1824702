// An array in memory as the tools exchange it with NumPy: row-major, owned.
//
//   Array a = Array::zeros(ScalarType::F32, {2, 3});   24 bytes
#ifndef GRAPHC_TOOLS_NPZ_ARRAY_H
#define GRAPHC_TOOLS_NPZ_ARRAY_H

#include "frontend/SourceGraph.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphc::npz {

using frontend::ScalarType;

/// Bytes per element.
size_t elementSize(ScalarType type);

struct Array {
  ScalarType dtype = ScalarType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data; // row-major, little-endian; product(shape) * elementSize(dtype) bytes

  /// The shape's product and the bytes must fit (checked where shapes come from files).
  static Array zeros(ScalarType dtype, std::vector<int64_t> shape);
  int64_t numElements() const;
};

struct NamedArray {
  std::string name;
  Array array;
};

/// The array in another dtype, as a C cast does, to bf16 and f16 rounded to nearest even. Errors (Model, `what` names the
/// array) where a float would become an integer or bool: that loses more than precision.
llvm::Expected<Array> convert(const Array &array, ScalarType dtype, const std::string &what);

/// "f32[2,3]", for messages.
std::string describeType(ScalarType dtype, const std::vector<int64_t> &shape);

} // namespace graphc::npz

#endif // GRAPHC_TOOLS_NPZ_ARRAY_H
