// Shuffles, ldmatrix and mma of the emulator. See Matrix.h.
#include "codegen/cuda/emulator/Matrix.h"

#include "codegen/cuda/emulator/Block.h"

#include <cstring>

namespace graphc::simt {

namespace {

float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uint32_t floatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float widen(uint16_t bits, Element16 type) {
  return type == Element16::half ? halfToFloat(bits) : bfloatToFloat(bits);
}

struct ShuffleLane {
  uint32_t value, from, result;
};

void combineShuffle(void *const *lanes) {
  for (uint32_t lane = 0; lane < warpSize; ++lane) {
    auto *mine = static_cast<ShuffleLane *>(lanes[lane]);
    mine->result = static_cast<const ShuffleLane *>(lanes[mine->from])->value;
  }
}

struct MatrixLane {
  uint32_t *result;
  const void *row;
  bool transposed;
};

// Lane l receives elements (l/4, 2*(l%4)) and (l/4, 2*(l%4)+1) of each matrix, or of its transpose.
void combineLoad(void *const *lanes) {
  for (uint32_t matrix = 0; matrix < 4; ++matrix) {
    uint16_t element[8][8];
    for (uint32_t row = 0; row < 8; ++row)
      std::memcpy(element[row], static_cast<const MatrixLane *>(lanes[matrix * 8 + row])->row, sizeof element[row]);
    for (uint32_t lane = 0; lane < warpSize; ++lane) {
      auto *mine = static_cast<MatrixLane *>(lanes[lane]);
      const uint32_t row = lane / 4, column = lane % 4 * 2;
      const uint16_t low = mine->transposed ? element[column][row] : element[row][column];
      const uint16_t high = mine->transposed ? element[column + 1][row] : element[row][column + 1];
      mine->result[matrix] = low | uint32_t(high) << 16;
    }
  }
}

struct MultiplyLane {
  float *d;
  const uint32_t *a;
  uint32_t b[2];
  Element16 type;
};

template <int K> void multiplyAndScatter(void *const *lanes, const float (&a)[16][K], const float (&b)[8][K]) {
  float product[16][8];
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += a[row][k] * b[column][k];
      product[row][column] = sum;
    }
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      static_cast<MultiplyLane *>(lanes[lane])->d[i] += product[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}

void combine16(void *const *lanes) {
  float a[16][16], b[8][16];
  for (uint32_t lane = 0; lane < warpSize; ++lane) {
    const auto *from = static_cast<const MultiplyLane *>(lanes[lane]);
    const uint32_t group = lane / 4, pair = lane % 4 * 2;
    for (uint32_t i = 0; i < 4; ++i)
      for (uint32_t half = 0; half < 2; ++half)
        a[group + i % 2 * 8][pair + i / 2 * 8 + half] = widen(uint16_t(from->a[i] >> half * 16), from->type);
    for (uint32_t i = 0; i < 2; ++i)
      for (uint32_t half = 0; half < 2; ++half)
        b[group][pair + i * 8 + half] = widen(uint16_t(from->b[i] >> half * 16), from->type);
  }
  multiplyAndScatter(lanes, a, b);
}

void combineTf32(void *const *lanes) {
  float a[16][8], b[8][8];
  for (uint32_t lane = 0; lane < warpSize; ++lane) {
    const auto *from = static_cast<const MultiplyLane *>(lanes[lane]);
    const uint32_t group = lane / 4, k = lane % 4;
    for (uint32_t i = 0; i < 4; ++i)
      a[group + i % 2 * 8][k + i / 2 * 4] = bitsToFloat(from->a[i] & 0xffffe000u);
    for (uint32_t i = 0; i < 2; ++i)
      b[group][k + i * 4] = bitsToFloat(from->b[i] & 0xffffe000u);
  }
  multiplyAndScatter(lanes, a, b);
}

} // namespace

uint32_t laneIndex() { return currentBlock()->current->linear % warpSize; }

uint32_t shuffle(const char *what, uint32_t value, uint32_t from, const Site &site) {
  ShuffleLane lane = {value, from, 0};
  warpCollective(what, &lane, combineShuffle, site);
  return lane.result;
}

void loadMatrix(uint32_t (&result)[4], const void *row, bool transposed, const Site &site) {
  touchShared(row, 16, false, site);
  MatrixLane lane = {result, row, transposed};
  warpCollective("ldmatrix", &lane, combineLoad, site);
}

void multiply16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, Element16 type, const Site &site) {
  MultiplyLane lane = {d, a, {b0, b1}, type};
  warpCollective("mma", &lane, combine16, site);
}

void multiplyTf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, const Site &site) {
  MultiplyLane lane = {d, a, {b0, b1}, Element16::half};
  warpCollective("mma tf32", &lane, combineTf32, site);
}

float bfloatToFloat(uint16_t bits) { return bitsToFloat(uint32_t(bits) << 16); }

uint16_t floatToBfloat(float value) {
  const uint32_t bits = floatToBits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return 0x7fff;
  return uint16_t((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

// A normal half moves its exponent from bias 15 to 127; a subnormal is mantissa * 2^-24.
float halfToFloat(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ffu;
  if (exponent == 31)
    return bitsToFloat(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0)
    return bitsToFloat(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = float(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

uint16_t floatToHalf(float value) {
  const uint32_t bits = floatToBits(value), magnitude = bits & 0x7fffffffu;
  const uint16_t sign = uint16_t(bits >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u)
    return 0x7fff;
  if (magnitude >= 0x477ff000u) // 65520 and up round to infinity
    return sign | 0x7c00;
  if (magnitude < 0x38800000u) { // below 2^-14: a multiple of 2^-24, rounded by adding 0.5 with ulp 2^-24
    const float shifted = bitsToFloat(magnitude) + 0.5f;
    return uint16_t(sign | (floatToBits(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
  return uint16_t(sign | (rounded - 0x38000000u) >> 13);
}

} // namespace graphc::simt
