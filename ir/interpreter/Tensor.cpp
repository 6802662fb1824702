// See Tensor.h.
#include "ir/interpreter/Tensor.h"
#include "ir/support/Check.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace graphc::interpreter;

Lanes::Lanes(Type type, size_t count) : type(type) {
  if (isFloat())
    floats.resize(count);
  else
    ints.resize(count);
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

Tensor::Tensor(Type elementType, ArrayRef<int64_t> sizes) : sizes(sizes), elements(elementType, product(sizes)) {}

int64_t Tensor::numElements() const { return product(sizes); }

double graphc::interpreter::roundFloat(double value, Type type, Precision precision) {
  if (type.isF64() || (type.isF32() && precision == Precision::Double))
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

int64_t graphc::interpreter::wrapInt(int64_t value, Type type) {
  if (type.isIndex())
    return value;
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64)
    return value;
  uint64_t low = static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
  if (width == 1 || type.isUnsignedInteger())
    return static_cast<int64_t>(low);
  return llvm::SignExtend64(low, width);
}

size_t graphc::interpreter::elementBytes(Type type) { return (type.getIntOrFloatBitWidth() + 7) / 8; }

Tensor graphc::interpreter::fromBytes(Type elementType, ArrayRef<int64_t> sizes, ArrayRef<std::byte> bytes) {
  Tensor result(elementType, sizes);
  size_t width = elementBytes(elementType), count = result.elements.size();
  GRAPHC_CHECK(bytes.size() == width * count, "a tensor's bytes do not match its shape");
  if (elementType.isF32()) { // weights: by far the most
    for (size_t i = 0; i < count; ++i) {
      float value;
      std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
      result.elements.floats[i] = value;
    }
    return result;
  }
  for (size_t i = 0; i < count; ++i) {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + i * width, width);
    if (!result.elements.isFloat())
      result.elements.ints[i] = elementType.isInteger(1) ? raw != 0 : wrapInt(static_cast<int64_t>(raw), elementType);
    else
      result.elements.floats[i] =
          llvm::APFloat(cast<FloatType>(elementType).getFloatSemantics(), llvm::APInt(width * 8, raw)).convertToDouble();
  }
  return result;
}

std::vector<std::byte> graphc::interpreter::toBytes(const Tensor &tensor) {
  size_t width = elementBytes(tensor.elementType()), count = tensor.elements.size();
  std::vector<std::byte> bytes(width * count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t raw;
    if (!tensor.elements.isFloat()) {
      raw = static_cast<uint64_t>(tensor.elements.ints[i]);
    } else {
      llvm::APFloat value(tensor.elements.floats[i]);
      bool losesInfo;
      value.convert(cast<FloatType>(tensor.elementType()).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      raw = value.bitcastToAPInt().getZExtValue();
    }
    std::memcpy(bytes.data() + i * width, &raw, width);
  }
  return bytes;
}

Tensor graphc::interpreter::fromAttribute(ElementsAttr attribute) {
  auto type = cast<RankedTensorType>(attribute.getType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    GRAPHC_CHECK(blob, "a dense_resource has lost its data");
    auto data = ArrayRef<std::byte>(reinterpret_cast<const std::byte *>(blob->getData().data()), blob->getData().size());
    return fromBytes(type.getElementType(), type.getShape(), data);
  }
  Tensor result(type.getElementType(), type.getShape());
  if (result.elements.isFloat()) {
    for (auto [i, value] : llvm::enumerate(attribute.getValues<APFloat>()))
      result.elements.floats[i] = value.convertToDouble();
  } else {
    for (auto [i, value] : llvm::enumerate(attribute.getValues<APInt>()))
      result.elements.ints[i] = wrapInt(static_cast<int64_t>(value.getZExtValue()), type.getElementType());
  }
  return result;
}
