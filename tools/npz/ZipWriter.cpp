// Zip writing; see ZipWriter.h. Layout: PKWARE's APPNOTE, sections 4.3 to 4.5. Sizes and offsets always stand in zip64 fields:
// one form for every size.
#include "tools/npz/ZipWriter.h"
#include <optional>
#include <zlib.h>

namespace graphc::npz {
namespace {

constexpr uint32_t localSignature = 0x04034b50, centralSignature = 0x02014b50, endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50, end64LocatorSignature = 0x07064b50;
constexpr uint64_t end64Size = 56;
constexpr uint32_t in64 = 0xffffffff; // the field's value is in the zip64 extra field

uint32_t sum(const std::vector<std::byte> &data) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(data.data()), data.size()));
}

/// Little-endian writes at the end of a buffer.
class Writer {
public:
  template <typename T> void put(T value) { append(reinterpret_cast<const std::byte *>(&value), sizeof value); }
  void append(const std::byte *from, size_t count) { bytes.insert(bytes.end(), from, from + count); }
  void append(const std::string &text) { append(reinterpret_cast<const std::byte *>(text.data()), text.size()); }

  std::vector<std::byte> bytes;
};

constexpr uint16_t version64 = 45, utf8Names = 0x0800, storedMethod = 0, noTime = 0, firstDate = 0x21; // 1980-01-01

/// What local and central headers share, from "version needed" to the extra field's length; sizes always in zip64 form.
void putCommon(Writer &out, const ZipMember &member, uint32_t crc, uint16_t extraSize) {
  out.put(version64);
  out.put(utf8Names);
  out.put(storedMethod);
  out.put(noTime);
  out.put(firstDate);
  out.put(crc);
  out.put(in64);
  out.put(in64);
  out.put(static_cast<uint16_t>(member.name.size()));
  out.put(extraSize);
}

void putExtra(Writer &out, const ZipMember &member, std::optional<uint64_t> offset) {
  out.put(static_cast<uint16_t>(1));
  out.put(static_cast<uint16_t>(offset ? 24 : 16));
  out.put(static_cast<uint64_t>(member.data.size()));
  out.put(static_cast<uint64_t>(member.data.size()));
  if (offset)
    out.put(*offset);
}

void putEnd(Writer &out, uint64_t count, uint64_t directory) {
  uint64_t size = out.bytes.size() - directory, end64 = out.bytes.size();
  out.put(end64Signature);
  out.put(static_cast<uint64_t>(end64Size - 12));
  out.put(version64);
  out.put(version64);
  out.put(static_cast<uint64_t>(0)); // both disk numbers
  out.put(count);
  out.put(count);
  out.put(size);
  out.put(directory);
  out.put(end64LocatorSignature);
  out.put(static_cast<uint32_t>(0));
  out.put(end64);
  out.put(static_cast<uint32_t>(1));
  out.put(endSignature);
  out.put(static_cast<uint32_t>(0)); // both disk numbers
  out.put(static_cast<uint32_t>(0xffffffff)); // both counts: in the zip64 record
  out.put(in64);
  out.put(in64);
  out.put(static_cast<uint16_t>(0));
}

} // namespace

std::vector<std::byte> writeZip(const std::vector<ZipMember> &members) {
  Writer out, directory;
  for (const ZipMember &member : members) {
    uint64_t offset = out.bytes.size();
    uint32_t crc = sum(member.data);
    out.put(localSignature);
    putCommon(out, member, crc, 20);
    out.append(member.name);
    putExtra(out, member, std::nullopt);
    out.append(member.data.data(), member.data.size());
    directory.put(centralSignature);
    directory.put(version64); // made by
    putCommon(directory, member, crc, 28);
    directory.put(static_cast<uint16_t>(0)); // comment
    directory.put(static_cast<uint32_t>(0)); // disk, internal attributes
    directory.put(static_cast<uint32_t>(0)); // external attributes
    directory.put(in64);                     // offset
    directory.append(member.name);
    putExtra(directory, member, offset);
  }
  uint64_t start = out.bytes.size();
  out.append(directory.bytes.data(), directory.bytes.size());
  putEnd(out, members.size(), start);
  return std::move(out.bytes);
}

} // namespace graphc::npz
