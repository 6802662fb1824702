// Warp-wide data movement and tensor-core products of the emulator, and the 16-bit float formats.
//
// Fragments are laid out as the PTX manual's figures for mma.m16n8k16 and m16n8k8 say. Products of 16-bit elements are
// exact in f32; sums are taken in f32 in order of k (the hardware's order and rounding are not modelled).
#pragma once

#include "codegen/cuda/emulator/Thread.h"

#include <cstdint>

namespace graphc::simt {

enum class Element16 { half, bfloat };

uint32_t laneIndex();

/// The value that lane `from` passed.
uint32_t shuffle(const char *what, uint32_t value, uint32_t from, const Site &site);

/// Four 8x8 matrices of 16-bit elements (ldmatrix .x4); `row` is the 16-byte row this lane gives.
void loadMatrix(uint32_t (&result)[4], const void *row, bool transposed, const Site &site);

/// d += a * b for 16x8x16 elements of 16 bits, and for 16x8x8 tf32.
void multiply16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, Element16 type, const Site &site);
void multiplyTf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, const Site &site);

float bfloatToFloat(uint16_t bits);
float halfToFloat(uint16_t bits);
/// To nearest even; NaN becomes 0x7fff.
uint16_t floatToBfloat(float value);
uint16_t floatToHalf(float value);

} // namespace graphc::simt
