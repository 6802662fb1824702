// Owned arrays and their conversions; see Array.h. Conversions go through double (floats) or int64 (integers), which hold
// every value of the source exactly.
#include "tools/npz/Array.h"
#include "tools/driver/Failure.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

namespace graphc::npz {
namespace {

bool isFloat(ScalarType type) {
  return type == ScalarType::F16 || type == ScalarType::BF16 || type == ScalarType::F32 || type == ScalarType::F64;
}

const char *typeName(ScalarType type) {
  switch (type) {
  case ScalarType::U8: return "u8";
  case ScalarType::I8: return "i8";
  case ScalarType::I16: return "i16";
  case ScalarType::I32: return "i32";
  case ScalarType::I64: return "i64";
  case ScalarType::F16: return "f16";
  case ScalarType::BF16: return "bf16";
  case ScalarType::F32: return "f32";
  case ScalarType::F64: return "f64";
  case ScalarType::Bool: return "bool";
  }
  return "?";
}

template <typename T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename T> void store(std::byte *to, T value) { std::memcpy(to, &value, sizeof value); }

double widen16(uint16_t bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat value(semantics, llvm::APInt(16, bits));
  bool lossy = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return value.convertToDouble();
}

uint16_t narrow16(double number, const llvm::fltSemantics &semantics) {
  llvm::APFloat value(number);
  bool lossy = false;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lossy);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

double loadFloat(const std::byte *from, ScalarType type) {
  switch (type) {
  case ScalarType::F16: return widen16(load<uint16_t>(from), llvm::APFloat::IEEEhalf());
  case ScalarType::BF16: return widen16(load<uint16_t>(from), llvm::APFloat::BFloat());
  case ScalarType::F32: return load<float>(from);
  default: return load<double>(from);
  }
}

int64_t loadInteger(const std::byte *from, ScalarType type) {
  switch (type) {
  case ScalarType::U8: return load<uint8_t>(from);
  case ScalarType::I8: return load<int8_t>(from);
  case ScalarType::I16: return load<int16_t>(from);
  case ScalarType::I32: return load<int32_t>(from);
  case ScalarType::Bool: return load<uint8_t>(from) != 0;
  default: return load<int64_t>(from);
  }
}

void storeFloat(std::byte *to, ScalarType type, double value) {
  switch (type) {
  case ScalarType::F16: return store(to, narrow16(value, llvm::APFloat::IEEEhalf()));
  case ScalarType::BF16: return store(to, narrow16(value, llvm::APFloat::BFloat()));
  case ScalarType::F32: return store(to, static_cast<float>(value));
  default: return store(to, value);
  }
}

void storeInteger(std::byte *to, ScalarType type, int64_t value) {
  switch (type) {
  case ScalarType::U8: return store(to, static_cast<uint8_t>(value));
  case ScalarType::I8: return store(to, static_cast<int8_t>(value));
  case ScalarType::I16: return store(to, static_cast<int16_t>(value));
  case ScalarType::I32: return store(to, static_cast<int32_t>(value));
  case ScalarType::Bool: return store(to, static_cast<uint8_t>(value != 0));
  default: return store(to, value);
  }
}

} // namespace

size_t elementSize(ScalarType type) {
  switch (type) {
  case ScalarType::U8:
  case ScalarType::I8:
  case ScalarType::Bool: return 1;
  case ScalarType::I16:
  case ScalarType::F16:
  case ScalarType::BF16: return 2;
  case ScalarType::I32:
  case ScalarType::F32: return 4;
  case ScalarType::I64:
  case ScalarType::F64: return 8;
  }
  return 0;
}

Array Array::zeros(ScalarType dtype, std::vector<int64_t> shape) {
  Array array{dtype, std::move(shape), {}};
  array.data.resize(static_cast<size_t>(array.numElements()) * elementSize(dtype));
  return array;
}

int64_t Array::numElements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

llvm::Expected<Array> convert(const Array &array, ScalarType dtype, const std::string &what) {
  if (array.dtype == dtype)
    return array;
  if (isFloat(array.dtype) && !isFloat(dtype))
    return driver::failure(driver::ExitStatus::Model, what + " is " + describeType(array.dtype, array.shape) +
                                                          ", expected " + typeName(dtype) +
                                                          ": convert it where the file is written");
  Array result = Array::zeros(dtype, array.shape);
  size_t from = elementSize(array.dtype), to = elementSize(dtype), count = array.data.size() / from;
  for (size_t i = 0; i < count; ++i) {
    const std::byte *source = array.data.data() + i * from;
    std::byte *target = result.data.data() + i * to;
    if (isFloat(array.dtype))
      storeFloat(target, dtype, loadFloat(source, array.dtype));
    else if (isFloat(dtype))
      storeFloat(target, dtype, static_cast<double>(loadInteger(source, array.dtype)));
    else
      storeInteger(target, dtype, loadInteger(source, array.dtype));
  }
  return result;
}

std::string describeType(ScalarType dtype, const std::vector<int64_t> &shape) {
  std::string text = std::string(typeName(dtype)) + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

} // namespace graphc::npz
