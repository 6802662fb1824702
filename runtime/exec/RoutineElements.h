// Elements of each dtype as routines compute on them: 16-bit floats as float, bool as a byte.
#ifndef GRAPHC_RUNTIME_EXEC_ROUTINEELEMENTS_H
#define GRAPHC_RUNTIME_EXEC_ROUTINEELEMENTS_H

#include "runtime/plan/Plan_generated.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace graphc::runtime {

/// bfloat16 in memory: the upper half of a float, rounded to nearest even.
struct BFloat16 {
  uint16_t bits;
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  BFloat16() = default;
  explicit BFloat16(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    bits = static_cast<uint16_t>(value != value ? (word >> 16) | 0x40 : (word + 0x7fff + ((word >> 16) & 1)) >> 16);
  }
};

/// binary16 in memory.
struct Half {
  uint16_t bits;
  Half() = default;
  operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00)
      return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f; // exponents differ by 112; denormals become normal
    return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | sign);
  }
  explicit Half(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(word >> 16 & 0x8000);
    const uint32_t magnitude = word & 0x7fffffff;
    if (magnitude > 0x7f800000) {
      bits = static_cast<uint16_t>(sign | 0x7e00);
    } else if (magnitude >= 0x477ff000) { // rounds to infinity
      bits = static_cast<uint16_t>(sign | 0x7c00);
    } else if (magnitude < 0x38800000) { // denormal: the float's own rounding at that place
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f)));
    } else {
      bits = static_cast<uint16_t>(sign | (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13);
    }
  }
};

/// The type that arithmetic on T uses.
template <typename T> struct Compute {
  using Type = T;
};
template <> struct Compute<BFloat16> {
  using Type = float;
};
template <> struct Compute<Half> {
  using Type = float;
};
template <typename T> using ComputeType = typename Compute<T>::Type;

template <typename T> bool isNan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return value != value;
  else
    return false;
}

/// function.template operator()<T>() for the type that stands for the dtype.
template <typename Function> auto dispatch(plan::DType dtype, Function function) {
  switch (dtype) {
  case plan::DType::U8: return function.template operator()<uint8_t>();
  case plan::DType::I8: return function.template operator()<int8_t>();
  case plan::DType::I16: return function.template operator()<int16_t>();
  case plan::DType::I32: return function.template operator()<int32_t>();
  case plan::DType::I64: return function.template operator()<int64_t>();
  case plan::DType::F16: return function.template operator()<Half>();
  case plan::DType::BF16: return function.template operator()<BFloat16>();
  case plan::DType::F32: return function.template operator()<float>();
  case plan::DType::F64: return function.template operator()<double>();
  case plan::DType::Bool: break;
  }
  return function.template operator()<bool>();
}

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_ROUTINEELEMENTS_H
