// SHA-256 (FIPS 180-4), for the hashes of an artifact. Uses the CPU's SHA instructions where there are any.
//
//   Sha256Digest digest = sha256(bytes);
#ifndef GRAPHC_RUNTIME_PLAN_SHA256_H
#define GRAPHC_RUNTIME_PLAN_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace graphc {

using Sha256Digest = std::array<uint8_t, 32>;

/// A hash over several pieces: update… then finish once.
class Sha256 {
public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  Sha256Digest finish();

private:
  uint32_t state_[8];
  std::byte block_[64];
  size_t filled_ = 0;
  uint64_t total_ = 0;
};

Sha256Digest sha256(std::span<const std::byte> bytes);

} // namespace graphc

#endif // GRAPHC_RUNTIME_PLAN_SHA256_H
