// The bytes of a .gcx file, shared by the writer (codegen/artifact) and the loader (runtime/loader). Little endian.
//
//   offset 0     ArtifactHeader (64 bytes)
//   offset 64    section table: sectionCount × ArtifactSection (128 bytes each)
//   then         the sections, each at a multiple of 64 (code and weights: 4096), in table order, zero bytes between
//
// Sections: one Plan (FlatBuffers, Plan.fbs) per target, one CodeImage per level ("cpu/x86-64-v4": an ELF image without
// imports, relocations or writable data, see CodeImage.h), Weights (mapped, read only) and its WeightHashes (one SHA-256
// per chunk of weightChunkBytes, the last chunk may be short). Header, table and every section but Weights are hashed and
// checked by each load; Weights through graphc_model_verify or the open option, so that loading doesn't read them.
//
// A runtime reads each format major it knows, whatever the minor. Unknown section kinds are skipped when their `flags` has
// sectionOptional, else refused.
#ifndef GRAPHC_RUNTIME_PLAN_ARTIFACT_H
#define GRAPHC_RUNTIME_PLAN_ARTIFACT_H

#include <cstddef>
#include <cstdint>

namespace graphc {

inline constexpr char artifactMagic[8] = {'\x89', 'G', 'C', 'X', '\r', '\n', '\x1a', '\n'};
inline constexpr uint16_t artifactMajor = 1;
inline constexpr uint16_t artifactMinor = 0;
inline constexpr uint64_t sectionAlignment = 64;
inline constexpr uint64_t pageAlignment = 4096; // of code and weights
inline constexpr uint64_t constantAlignment = 64;
inline constexpr uint64_t weightChunkBytes = 1 << 20;
inline constexpr uint32_t maxSections = 4096;

struct ArtifactHeader {
  char magic[8];           //  0
  uint16_t major;          //  8
  uint16_t minor;          // 10
  uint32_t sectionCount;   // 12
  uint64_t fileSize;       // 16: of the whole file
  uint64_t tableOffset;    // 24: 64
  uint8_t tableSha256[32]; // 32: of bytes 0…31 of this header followed by the section table
};
static_assert(sizeof(ArtifactHeader) == 64);

enum class SectionKind : uint32_t { Plan = 1, CodeImage = 2, Weights = 3, WeightHashes = 4, Notes = 5 };
inline constexpr uint32_t sectionOptional = 1;

struct ArtifactSection {
  uint32_t kind;      //   0: SectionKind
  uint32_t flags;     //   4
  char name[48];      //   8: zero terminated. Plan: target ("cpu"); CodeImage: target/level ("cpu/x86-64-v4"); else a label
  uint64_t offset;    //  56: from the start of the file, a multiple of 64
  uint64_t size;      //  64
  uint32_t hashes;    //  72: Weights: index of its WeightHashes section
  uint32_t reserved0; //  76: 0
  uint64_t reserved1[2]; // 80: 0
  uint8_t sha256[32];    // 96: of the section's bytes; zero for Weights
};
static_assert(sizeof(ArtifactSection) == 128);

} // namespace graphc

#endif // GRAPHC_RUNTIME_PLAN_ARTIFACT_H
