// Reads the ELF image of one CPU level: a shared object linked by lld without imports, relocations or a constructor, of which
// only the loadable bytes matter. Used by the loader (where to copy what) and the writer (checks, entries of symbols).
//
//   std::string error;
//   std::optional<CodeImage> image = CodeImage::parse(bytes, error);      // nullopt: error says what is wrong
//   std::optional<uint64_t> entry = image->findFunction("add_f32");       // for plan::Candidate::entry
#ifndef GRAPHC_RUNTIME_PLAN_CODEIMAGE_H
#define GRAPHC_RUNTIME_PLAN_CODEIMAGE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc {

struct CodeSegment {
  uint64_t fileOffset, address, fileSize, memorySize; // bytes beyond fileSize are zero
  bool executable;
};

class CodeImage {
public:
  /// Checks and reads the headers; keeps a view of `bytes`. Refused: anything but an x86-64 ET_DYN, an image that imports a
  /// symbol or a library, has a relocation, a constructor, TLS or writable data (a writable segment that holds the dynamic
  /// section alone is fine: lld writes it), segments that overlap or lie outside the bytes.
  static std::optional<CodeImage> parse(std::span<const std::byte> bytes, std::string &error);

  const std::vector<CodeSegment> &segments() const { return segments_; }
  /// Bytes from address 0 to the end of the last segment.
  uint64_t memorySize() const { return memorySize_; }
  /// True where an executable segment holds this address.
  bool isCode(uint64_t address) const;
  /// Address of a global function, from the dynamic symbol table.
  std::optional<uint64_t> findFunction(std::string_view name) const;
  /// Copies the segments to `memory` (memorySize() bytes, zeroed by the caller).
  void copyTo(std::byte *memory) const;

  /// Bytes of the file.
  struct Elf64Range {
    uint64_t offset, size;
  };

private:
  std::string readSegments(std::optional<Elf64Range> &dynamic);
  std::string readDynamic(Elf64Range dynamic);
  std::string_view symbolName(uint32_t offset) const;

  std::span<const std::byte> bytes_;
  std::vector<CodeSegment> segments_;
  uint64_t memorySize_ = 0;
  uint64_t symbols_ = 0, symbolCount_ = 0, strings_ = 0, stringBytes_ = 0; // file offsets
};

} // namespace graphc

#endif // GRAPHC_RUNTIME_PLAN_CODEIMAGE_H
