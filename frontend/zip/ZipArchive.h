// A read-only view of a zip file whose bytes nobody has reason to trust.
//
// Input: a path. Output: entries by name; stored entries are views of the mapped file, deflated ones are inflated on
// request. Before anything is given out, the central directory has been checked against the local headers: duplicate,
// absolute and `..` names, encryption, overlapping entries, sizes beyond the file and absurd compression ratios are errors.
//
//   auto archive = ZipArchive::open("model.pt2");            llvm::Expected<std::shared_ptr<const ZipArchive>>
//   auto json = (*archive)->read(*(*archive)->find("m/models/model.json"));   llvm::Expected<std::string>, CRC checked
#ifndef GRAPHC_FRONTEND_ZIP_ZIPARCHIVE_H
#define GRAPHC_FRONTEND_ZIP_ZIPARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphc::frontend {

struct ZipEntry {
  std::string name;
  uint64_t headerOffset = 0;   // of the local header, in bytes from the start of the file
  uint64_t dataOffset = 0;     // of the first data byte
  uint64_t compressedSize = 0; // bytes in the file
  uint64_t size = 0;           // bytes after inflating
  uint32_t crc = 0;
  bool deflated = false;
};

/// Caps on what a file may ask for; an archive beyond one is refused by name of the cap.
struct ZipLimits {
  uint64_t maxEntries = 1 << 20;
  uint64_t maxNameLength = 4096;
  uint64_t maxInflatedSize = uint64_t(1) << 30; // of one deflated entry, in bytes
  uint64_t maxRatio = 1100;                     // inflated : compressed; deflate itself can't exceed 1032
};

class ZipArchive {
public:
  /// Maps the file and checks its structure. Errors say what was found and what was expected; "not a zip file" is one.
  static llvm::Expected<std::shared_ptr<const ZipArchive>> open(llvm::StringRef path, const ZipLimits &limits = {});
  /// The same over bytes that `keepAlive` owns.
  static llvm::Expected<std::shared_ptr<const ZipArchive>> fromMemory(llvm::StringRef bytes,
                                                                      std::shared_ptr<const void> keepAlive,
                                                                      const ZipLimits &limits = {});

  /// In the order of the central directory.
  llvm::ArrayRef<ZipEntry> entries() const { return list; }
  /// nullptr when there is no such entry.
  const ZipEntry *find(llvm::StringRef name) const;

  /// The bytes of a stored entry, inside the mapping; valid while the archive lives. An error for a deflated entry.
  llvm::Expected<llvm::StringRef> view(const ZipEntry &entry) const;
  /// A copy of the entry's contents, inflated where need be; the CRC is checked.
  llvm::Expected<std::string> read(const ZipEntry &entry) const;
  /// Checks the CRC of a stored entry against the mapped bytes (about 1 s per GB).
  llvm::Error checkCrc(const ZipEntry &entry) const;

private:
  ZipArchive(llvm::StringRef bytes, std::shared_ptr<const void> keepAlive, const ZipLimits &limits)
      : bytes(bytes), keepAlive(std::move(keepAlive)), limits(limits) {}
  friend class ZipDirectoryReader;

  llvm::StringRef bytes;
  std::shared_ptr<const void> keepAlive;
  ZipLimits limits;
  std::vector<ZipEntry> list;
  llvm::StringMap<size_t> byName;
};

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_ZIP_ZIPARCHIVE_H
