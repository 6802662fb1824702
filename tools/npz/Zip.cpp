// Zip reading and writing; see Zip.h. Layout: PKWARE's APPNOTE, sections 4.3 to 4.5. The central directory is believed over
// local headers, which have to agree on the name; nothing is read outside the file, nothing inflated beyond its stated size.
#include "tools/npz/Zip.h"
#include "tools/driver/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <zlib.h>

namespace graphc::npz {
namespace {

constexpr uint32_t localSignature = 0x04034b50, centralSignature = 0x02014b50, endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50, end64LocatorSignature = 0x07064b50;
constexpr uint64_t localSize = 30, centralSize = 46, endSize = 22, end64Size = 56, locatorSize = 20;
constexpr uint32_t in64 = 0xffffffff; // the field's value is in the zip64 extra field
constexpr uint64_t maxDeflateRatio = 1032; // zlib's documented limit

struct Entry {
  std::string name;
  uint16_t flags = 0, method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

/// Little-endian reads that know the file's end.
class View {
public:
  explicit View(llvm::ArrayRef<std::byte> bytes) : bytes(bytes) {}

  bool holds(uint64_t offset, uint64_t count) const { return offset <= bytes.size() && count <= bytes.size() - offset; }
  uint64_t size() const { return bytes.size(); }
  template <typename T> T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  std::string text(uint64_t offset, uint64_t count) const {
    return std::string(reinterpret_cast<const char *>(bytes.data()) + offset, count);
  }
  const std::byte *pointer(uint64_t offset) const { return bytes.data() + offset; }

private:
  llvm::ArrayRef<std::byte> bytes;
};

llvm::Error broken(const std::string &name, const std::string &what) {
  return driver::failure(driver::ExitStatus::Model, "'" + name + "' is no sound .npz (zip) file: " + what);
}

/// The end record: the last one whose comment reaches the file's end.
std::optional<uint64_t> findEnd(const View &file) {
  if (file.size() < endSize)
    return std::nullopt;
  uint64_t last = file.size() - endSize;
  for (uint64_t back = 0; back <= std::min<uint64_t>(last, 0xffff); ++back) {
    uint64_t at = last - back;
    if (file.at<uint32_t>(at) == endSignature && file.at<uint16_t>(at + 20) == back)
      return at;
  }
  return std::nullopt;
}

struct Directory {
  uint64_t count = 0, size = 0, offset = 0;
};

llvm::Expected<Directory> findDirectory(const View &file, const std::string &name) {
  std::optional<uint64_t> end = findEnd(file);
  if (!end)
    return broken(name, "it has no end record (cut short, or another kind of file)");
  Directory directory{file.at<uint16_t>(*end + 10), file.at<uint32_t>(*end + 12), file.at<uint32_t>(*end + 16)};
  bool is64 = directory.count == 0xffff || directory.size == in64 || directory.offset == in64;
  if (is64 && *end >= locatorSize && file.at<uint32_t>(*end - locatorSize) == end64LocatorSignature) {
    uint64_t at = file.at<uint64_t>(*end - locatorSize + 8);
    if (!file.holds(at, end64Size) || file.at<uint32_t>(at) != end64Signature)
      return broken(name, "its zip64 end record is not where it should be");
    directory = {file.at<uint64_t>(at + 32), file.at<uint64_t>(at + 40), file.at<uint64_t>(at + 48)};
  }
  if (!file.holds(directory.offset, directory.size))
    return broken(name, "its directory lies outside the file");
  return directory;
}

/// Replaces the fields that say "in the zip64 extra field" by that field's values, which stand in this order.
bool readZip64(const View &file, uint64_t at, uint64_t length, Entry &entry) {
  uint64_t *wanted[] = {&entry.size, &entry.packed, &entry.offset};
  if (llvm::none_of(wanted, [](uint64_t *field) { return *field == in64; }))
    return true;
  for (uint64_t end = at + length; at + 4 <= end;) {
    uint16_t id = file.at<uint16_t>(at), size = file.at<uint16_t>(at + 2);
    uint64_t value = at + 4, valueEnd = value + size;
    if (valueEnd > end)
      return false;
    if (id == 1) {
      for (uint64_t *field : wanted) {
        if (*field != in64)
          continue;
        if (value + 8 > valueEnd)
          return false;
        *field = file.at<uint64_t>(value);
        value += 8;
      }
      return true;
    }
    at = valueEnd;
  }
  return true; // no zip64 field: the value is 0xffffffff itself
}

llvm::Expected<std::vector<Entry>> readDirectory(const View &file, const Directory &directory, const std::string &name) {
  std::vector<Entry> entries;
  std::set<std::string> names;
  uint64_t at = directory.offset, end = directory.offset + directory.size;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (end - at < centralSize || file.at<uint32_t>(at) != centralSignature)
      return broken(name, "its directory ends after " + std::to_string(i) + " of " + std::to_string(directory.count) +
                              " members");
    uint64_t nameSize = file.at<uint16_t>(at + 28), extraSize = file.at<uint16_t>(at + 30);
    uint64_t commentSize = file.at<uint16_t>(at + 32);
    if (end - at - centralSize < nameSize + extraSize + commentSize)
      return broken(name, "member " + std::to_string(i) + " of its directory is cut short");
    Entry entry{file.text(at + centralSize, nameSize), file.at<uint16_t>(at + 8),  file.at<uint16_t>(at + 10),
                file.at<uint32_t>(at + 16),            file.at<uint32_t>(at + 20), file.at<uint32_t>(at + 24),
                file.at<uint32_t>(at + 42)};
    if (!readZip64(file, at + centralSize + nameSize, extraSize, entry))
      return broken(name, "the zip64 field of '" + entry.name + "' is cut short");
    if (!names.insert(entry.name).second)
      return broken(name, "it has two members '" + entry.name + "'");
    entries.push_back(std::move(entry));
    at += centralSize + nameSize + extraSize + commentSize;
  }
  return entries;
}

/// True when raw deflate data of exactly `packed` bytes gives exactly `data`.
bool inflateInto(const std::byte *from, uint64_t packed, std::vector<std::byte> &data) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  constexpr uint64_t step = std::numeric_limits<uInt>::max();
  uint64_t read = 0, written = 0;
  std::byte none{};
  int status = Z_OK;
  while (status == Z_OK) {
    uInt in = static_cast<uInt>(std::min(step, packed - read)), out = static_cast<uInt>(std::min(step, data.size() - written));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(from + read));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef *>(data.empty() ? &none : data.data() + written);
    stream.avail_out = out;
    status = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    if (status == Z_OK && in == stream.avail_in && out == stream.avail_out)
      break;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && read == packed && written == data.size();
}

uint32_t sum(const std::vector<std::byte> &data) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(data.data()), data.size()));
}

llvm::Expected<ZipMember> readMember(const View &file, const Entry &entry, const std::string &name) {
  if (!file.holds(entry.offset, localSize) || file.at<uint32_t>(entry.offset) != localSignature)
    return broken(name, "member '" + entry.name + "' is not where the directory says");
  uint64_t nameSize = file.at<uint16_t>(entry.offset + 26), extraSize = file.at<uint16_t>(entry.offset + 28);
  uint64_t start = entry.offset + localSize + nameSize + extraSize;
  if (!file.holds(start, entry.packed))
    return broken(name, "member '" + entry.name + "' reaches beyond the end of the file");
  if (file.text(entry.offset + localSize, nameSize) != entry.name)
    return broken(name, "directory and member disagree about the name '" + entry.name + "'");
  if (entry.flags & 1)
    return broken(name, "member '" + entry.name + "' is encrypted");
  ZipMember member{entry.name, {}};
  if (entry.method == 0 && entry.packed == entry.size) {
    member.data.assign(file.pointer(start), file.pointer(start) + entry.size);
  } else if (entry.method == 8) {
    if (entry.size > (entry.packed + 1) * maxDeflateRatio)
      return broken(name, "member '" + entry.name + "' cannot inflate to the size it states");
    member.data.resize(entry.size);
    if (!inflateInto(file.pointer(start), entry.packed, member.data))
      return broken(name, "member '" + entry.name + "' does not inflate to the size it states");
  } else {
    return broken(name, "member '" + entry.name + "' is compressed by method " + std::to_string(entry.method) +
                            "; expected stored or deflated");
  }
  if (sum(member.data) != entry.crc)
    return broken(name, "member '" + entry.name + "' does not have the sum the directory states");
  return member;
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

llvm::Expected<std::vector<ZipMember>> readZip(llvm::ArrayRef<std::byte> bytes, const std::string &name) {
  View file(bytes);
  llvm::Expected<Directory> directory = findDirectory(file, name);
  if (!directory)
    return directory.takeError();
  llvm::Expected<std::vector<Entry>> entries = readDirectory(file, *directory, name);
  if (!entries)
    return entries.takeError();
  std::vector<ZipMember> members;
  for (const Entry &entry : *entries) {
    llvm::Expected<ZipMember> member = readMember(file, entry, name);
    if (!member)
      return member.takeError();
    members.push_back(std::move(*member));
  }
  return members;
}

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
