// A tensor of the reference interpreter: logical row-major elements, each in a double or an int64 whatever the element type, so that the code that
// computes on them stays obvious. Values are always representable in the element type (`round`), except in double mode, where f32 keeps doubles.
#ifndef GRAPHC_IR_INTERPRETER_TENSOR_H
#define GRAPHC_IR_INTERPRETER_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphc::interpreter {

/// Default: every op rounds to its element type. Double: f32 is kept as double (casts to f16 and bf16 round, DESIGN section 7).
enum class Precision { Default, Double };

/// Elements of one value over many lanes, or of a tensor: `floats` for float types, `ints` for all others (bool 0 or 1, ui8 0…255).
struct Lanes {
  mlir::Type type;
  std::vector<double> floats;
  std::vector<int64_t> ints;

  Lanes() = default;
  Lanes(mlir::Type type, size_t count);
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }
  size_t size() const { return isFloat() ? floats.size() : ints.size(); }
};

struct Tensor {
  llvm::SmallVector<int64_t> sizes;
  Lanes elements;

  Tensor() = default;
  Tensor(mlir::Type elementType, llvm::ArrayRef<int64_t> sizes);
  mlir::Type elementType() const { return elements.type; }
  int64_t numElements() const;
};

/// `value` rounded to nearest even in `type` (f16, bf16, f32, f64); f32 is left alone in double mode.
double roundFloat(double value, mlir::Type type, Precision precision);
/// The low bits of `value` as `type` holds them: sign or zero extended, i1 as 0 or 1.
int64_t wrapInt(int64_t value, mlir::Type type);

/// Bytes of one element in memory; bool takes one.
size_t elementBytes(mlir::Type type);
/// Reads elements stored as the runtime stores them (little endian, bool as bytes).
Tensor fromBytes(mlir::Type elementType, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<std::byte> bytes);
std::vector<std::byte> toBytes(const Tensor &tensor);
/// Of a dense or dense_resource attribute (bool resources have one byte an element).
Tensor fromAttribute(mlir::ElementsAttr attribute);

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_TENSOR_H
