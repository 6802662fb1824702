// Implements ZipArchive.h: end record (zip64 too), central directory, local headers, inflating through zlib.
//
// Layout (PKWARE APPNOTE 6.3.x): local header "PK\3\4" + data, …, central directory entries "PK\1\2", zip64 end record
// "PK\6\6", its locator "PK\6\7", end record "PK\5\6". Every number read is checked against the file's size before use.
#include "frontend/zip/ZipArchive.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <optional>
#include <zlib.h>

using namespace graphc::frontend;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr StringRef endSignature("PK\5\6", 4), zip64EndSignature("PK\6\6", 4), zip64LocatorSignature("PK\6\7", 4),
    centralSignature("PK\1\2", 4), localSignature("PK\3\4", 4);
constexpr uint64_t endSize = 22, zip64EndSize = 56, zip64LocatorSize = 20, centralSize = 46, localSize = 30;
constexpr uint16_t flagEncrypted = 1, flagDescriptor = 1 << 3, flagStrongEncryption = 1 << 6, flagMasked = 1 << 13;
constexpr uint16_t methodStored = 0, methodDeflated = 8;
constexpr uint16_t zip64ExtraId = 1;

uint16_t u16(StringRef bytes, uint64_t at) { return llvm::support::endian::read16le(bytes.data() + at); }
uint32_t u32(StringRef bytes, uint64_t at) { return llvm::support::endian::read32le(bytes.data() + at); }
uint64_t u64(StringRef bytes, uint64_t at) { return llvm::support::endian::read64le(bytes.data() + at); }

bool isInside(uint64_t offset, uint64_t length, uint64_t total) {
  return offset <= total && length <= total - offset;
}

template <typename... Args> Error damaged(const char *format, const Args &...args) {
  return createStringError(std::errc::invalid_argument, (std::string("damaged zip file: ") + format).c_str(),
                           args...);
}

/// Names as text for messages: control characters would garble a terminal.
std::string printable(StringRef name) {
  std::string out;
  for (char c : name.take_front(200))
    out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

struct Directory {
  uint64_t offset = 0, size = 0, count = 0;
};

} // namespace

namespace graphc::frontend {

/// Fills a ZipArchive's entries; the steps stand in the order in which they run.
class ZipDirectoryReader {
public:
  explicit ZipDirectoryReader(ZipArchive &archive) : archive(archive), bytes(archive.bytes) {}

  Error run() {
    Expected<Directory> directory = findDirectory();
    if (!directory)
      return directory.takeError();
    if (directory->count > archive.limits.maxEntries)
      return damaged("%llu entries; at most %llu are accepted", (unsigned long long)directory->count,
                     (unsigned long long)archive.limits.maxEntries);
    if (!isInside(directory->offset, directory->size, bytes.size()) ||
        directory->count > directory->size / centralSize)
      return damaged("the central directory (%llu entries at byte %llu) reaches beyond the file's %llu bytes",
                     (unsigned long long)directory->count, (unsigned long long)directory->offset,
                     (unsigned long long)bytes.size());
    if (Error error = readEntries(*directory))
      return error;
    return checkOverlaps(*directory);
  }

private:
  Expected<Directory> findDirectory() const {
    std::optional<uint64_t> end = findEndRecord();
    if (!end)
      return bytes.starts_with(localSignature)
                 ? createStringError(std::errc::invalid_argument,
                                     "truncated zip file: it begins like one, but its end record is missing")
                 : createStringError(std::errc::invalid_argument, "not a zip file");
    if (u16(bytes, *end + 4) != 0 || u16(bytes, *end + 6) != 0)
      return damaged("it is split over several disks, which isn't supported");
    Directory directory{u32(bytes, *end + 16), u32(bytes, *end + 12), u16(bytes, *end + 10)};
    if (directory.offset == 0xffffffffu || directory.size == 0xffffffffu || directory.count == 0xffffu ||
        hasZip64Locator(*end))
      return readZip64End(*end);
    return directory;
  }

  /// The last end record that fits: a comment of up to 64 KiB may follow it.
  std::optional<uint64_t> findEndRecord() const {
    if (bytes.size() < endSize)
      return std::nullopt;
    uint64_t last = bytes.size() - endSize, first = last > 0xffff ? last - 0xffff : 0;
    for (uint64_t at = last + 1; at-- > first;)
      if (bytes.substr(at).starts_with(endSignature) && at + endSize + u16(bytes, at + 20) == bytes.size())
        return at;
    return std::nullopt;
  }

  bool hasZip64Locator(uint64_t end) const {
    return end >= zip64LocatorSize && bytes.substr(end - zip64LocatorSize).starts_with(zip64LocatorSignature);
  }

  Expected<Directory> readZip64End(uint64_t end) const {
    if (!hasZip64Locator(end))
      return damaged("the zip64 end record is missing");
    uint64_t at = u64(bytes, end - zip64LocatorSize + 8);
    if (!isInside(at, zip64EndSize, end) || !bytes.substr(at).starts_with(zip64EndSignature))
      return damaged("the zip64 end record isn't at byte %llu, where its locator says", (unsigned long long)at);
    return Directory{u64(bytes, at + 48), u64(bytes, at + 40), u64(bytes, at + 32)};
  }

  Error readEntries(const Directory &directory) {
    uint64_t at = directory.offset, end = directory.offset + directory.size;
    archive.list.reserve(directory.count);
    for (uint64_t i = 0; i < directory.count; ++i) {
      if (!isInside(at, centralSize, end) || !bytes.substr(at).starts_with(centralSignature))
        return damaged("entry %llu of the central directory is missing", (unsigned long long)i);
      uint64_t nameLength = u16(bytes, at + 28), extraLength = u16(bytes, at + 30), commentLength = u16(bytes, at + 32);
      if (!isInside(at + centralSize, nameLength + extraLength + commentLength, end))
        return damaged("entry %llu reaches beyond the central directory", (unsigned long long)i);
      if (Error error = readEntry(at, nameLength, extraLength))
        return error;
      at += centralSize + nameLength + extraLength + commentLength;
    }
    if (at != end)
      return damaged("%llu bytes follow the last entry of the central directory", (unsigned long long)(end - at));
    return Error::success();
  }

  Error readEntry(uint64_t at, uint64_t nameLength, uint64_t extraLength) {
    ZipEntry entry;
    entry.name = bytes.substr(at + centralSize, nameLength).str();
    entry.crc = u32(bytes, at + 16);
    entry.compressedSize = u32(bytes, at + 20);
    entry.size = u32(bytes, at + 24);
    entry.headerOffset = u32(bytes, at + 42);
    entry.deflated = u16(bytes, at + 10) == methodDeflated;
    if (Error error = checkName(entry.name))
      return error;
    if (Error error = checkFlags(entry.name, u16(bytes, at + 8), u16(bytes, at + 10)))
      return error;
    if (Error error = applyZip64Extra(entry, bytes.substr(at + centralSize + nameLength, extraLength)))
      return error;
    if (Error error = checkSizes(entry))
      return error;
    if (Error error = checkLocalHeader(entry, u16(bytes, at + 8), u16(bytes, at + 10)))
      return error;
    if (!archive.byName.try_emplace(entry.name, archive.list.size()).second)
      return damaged("two entries are called \"%s\"", printable(entry.name).c_str());
    archive.list.push_back(std::move(entry));
    return Error::success();
  }

  Error checkName(StringRef name) const {
    if (name.empty() || name.size() > archive.limits.maxNameLength)
      return damaged("an entry's name has %llu bytes", (unsigned long long)name.size());
    bool isAbsolute = name.starts_with("/") || name.starts_with("\\") || (name.size() > 1 && name[1] == ':');
    if (isAbsolute || name.contains('\0') || name.contains('\\'))
      return damaged("the entry name \"%s\" is not a relative path", printable(name).c_str());
    llvm::SmallVector<StringRef> parts;
    name.split(parts, '/');
    if (llvm::is_contained(parts, ".."))
      return damaged("the entry name \"%s\" leaves the archive", printable(name).c_str());
    return Error::success();
  }

  static Error checkFlags(StringRef name, uint16_t flags, uint16_t method) {
    if (flags & (flagEncrypted | flagStrongEncryption | flagMasked))
      return damaged("the entry \"%s\" is encrypted; model files aren't", printable(name).c_str());
    if (method != methodStored && method != methodDeflated)
      return damaged("the entry \"%s\" is compressed by method %u; expected stored (0) or deflated (8)",
                     printable(name).c_str(), unsigned(method));
    return Error::success();
  }

  /// Reads the 64-bit sizes that stand in the zip64 extra field for those that are all ones in the header.
  static Error applyZip64Extra(ZipEntry &entry, StringRef extra) {
    bool needs = entry.size == 0xffffffffu || entry.compressedSize == 0xffffffffu || entry.headerOffset == 0xffffffffu;
    while (extra.size() >= 4 && needs) {
      uint64_t length = u16(extra, 2);
      if (length > extra.size() - 4)
        break;
      if (u16(extra, 0) == zip64ExtraId) {
        StringRef field = extra.substr(4, length);
        for (uint64_t *value : {&entry.size, &entry.compressedSize, &entry.headerOffset}) {
          if (*value != 0xffffffffu)
            continue;
          if (field.size() < 8)
            return damaged("the zip64 field of \"%s\" is too short", printable(entry.name).c_str());
          *value = u64(field, 0);
          field = field.drop_front(8);
        }
        return Error::success();
      }
      extra = extra.drop_front(4 + length);
    }
    return Error::success();
  }

  Error checkSizes(const ZipEntry &entry) const {
    std::string name = printable(entry.name);
    if (!isInside(entry.headerOffset, localSize, bytes.size()) || entry.compressedSize > bytes.size())
      return damaged("the entry \"%s\" (%llu bytes at byte %llu) reaches beyond the file's %llu bytes", name.c_str(),
                     (unsigned long long)entry.compressedSize, (unsigned long long)entry.headerOffset,
                     (unsigned long long)bytes.size());
    if (!entry.deflated && entry.size != entry.compressedSize)
      return damaged("the stored entry \"%s\" has two sizes, %llu and %llu", name.c_str(),
                     (unsigned long long)entry.compressedSize, (unsigned long long)entry.size);
    if (entry.deflated && (entry.size > archive.limits.maxInflatedSize ||
                           entry.size / archive.limits.maxRatio > entry.compressedSize))
      return damaged("the entry \"%s\" claims to inflate from %llu to %llu bytes, which is refused", name.c_str(),
                     (unsigned long long)entry.compressedSize, (unsigned long long)entry.size);
    return Error::success();
  }

  /// The local header must tell the same story as the central directory; readers that trust either see one file.
  Error checkLocalHeader(ZipEntry &entry, uint16_t flags, uint16_t method) const {
    std::string name = printable(entry.name);
    uint64_t at = entry.headerOffset;
    if (!bytes.substr(at).starts_with(localSignature))
      return damaged("the entry \"%s\" has no local header at byte %llu", name.c_str(), (unsigned long long)at);
    uint64_t nameLength = u16(bytes, at + 26), extraLength = u16(bytes, at + 28);
    entry.dataOffset = at + localSize + nameLength + extraLength;
    if (!isInside(entry.dataOffset, entry.compressedSize, bytes.size()))
      return damaged("the entry \"%s\" (%llu bytes at byte %llu) reaches beyond the file's %llu bytes", name.c_str(),
                     (unsigned long long)entry.compressedSize, (unsigned long long)at,
                     (unsigned long long)bytes.size());
    if (bytes.substr(at + localSize, nameLength) != entry.name)
      return damaged("the entry \"%s\" is called \"%s\" in its local header", name.c_str(),
                     printable(bytes.substr(at + localSize, nameLength)).c_str());
    uint16_t localFlags = u16(bytes, at + 6);
    if (u16(bytes, at + 8) != method || (localFlags & (flagEncrypted | flagStrongEncryption)) ||
        (localFlags & flagDescriptor) != (flags & flagDescriptor))
      return damaged("the local header of \"%s\" contradicts the central directory", name.c_str());
    if (localFlags & flagDescriptor) // sizes follow the data; the central directory has them
      return Error::success();
    ZipEntry local;
    local.name = entry.name;
    local.crc = u32(bytes, at + 14);
    local.compressedSize = u32(bytes, at + 18);
    local.size = u32(bytes, at + 22);
    if (Error error = applyZip64Extra(local, bytes.substr(at + localSize + nameLength, extraLength)))
      return error;
    if (local.crc != entry.crc || local.compressedSize != entry.compressedSize || local.size != entry.size)
      return damaged("the local header of \"%s\" contradicts the central directory", name.c_str());
    return Error::success();
  }

  Error checkOverlaps(const Directory &directory) const {
    std::vector<const ZipEntry *> order;
    for (const ZipEntry &entry : archive.list)
      order.push_back(&entry);
    llvm::sort(order, [](const ZipEntry *a, const ZipEntry *b) { return a->headerOffset < b->headerOffset; });
    uint64_t end = 0;
    for (const ZipEntry *entry : order) {
      if (entry->headerOffset < end)
        return damaged("the entry \"%s\" overlaps another", printable(entry->name).c_str());
      end = entry->dataOffset + entry->compressedSize;
    }
    if (end > directory.offset)
      return damaged("the last entry overlaps the central directory");
    return Error::success();
  }

  ZipArchive &archive;
  StringRef bytes;
};

} // namespace graphc::frontend

Expected<std::shared_ptr<const ZipArchive>> ZipArchive::open(StringRef path, const ZipLimits &limits) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), buffer.getError().message().c_str());
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*buffer);
  return fromMemory(owner->getBuffer(), owner, limits);
}

Expected<std::shared_ptr<const ZipArchive>> ZipArchive::fromMemory(StringRef bytes,
                                                                   std::shared_ptr<const void> keepAlive,
                                                                   const ZipLimits &limits) {
  std::shared_ptr<ZipArchive> archive(new ZipArchive(bytes, std::move(keepAlive), limits));
  if (Error error = ZipDirectoryReader(*archive).run())
    return error;
  return std::shared_ptr<const ZipArchive>(std::move(archive));
}

const ZipEntry *ZipArchive::find(StringRef name) const {
  auto it = byName.find(name);
  return it == byName.end() ? nullptr : &list[it->second];
}

Expected<StringRef> ZipArchive::view(const ZipEntry &entry) const {
  if (entry.deflated)
    return createStringError(std::errc::invalid_argument, "the entry \"%s\" is compressed and can't be mapped",
                             printable(entry.name).c_str());
  return bytes.substr(entry.dataOffset, entry.size);
}

namespace {

uint32_t crcOf(StringRef data) {
  uLong crc = crc32(0, nullptr, 0);
  constexpr uint64_t step = 1 << 30; // zlib counts in uInt
  for (; !data.empty(); data = data.drop_front(std::min<uint64_t>(step, data.size())))
    crc = crc32(crc, reinterpret_cast<const Bytef *>(data.data()), uInt(std::min<uint64_t>(step, data.size())));
  return uint32_t(crc);
}

Error crcError(const ZipEntry &entry, uint32_t found) {
  return damaged("the bytes of \"%s\" have CRC %08x; the directory says %08x", printable(entry.name).c_str(), found,
                 entry.crc);
}

Expected<std::string> inflateEntry(const ZipEntry &entry, StringRef compressed) {
  std::string out(entry.size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return createStringError(std::errc::not_enough_memory, "zlib can't start");
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(compressed.data()));
  stream.avail_in = uInt(compressed.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = uInt(out.size());
  int status = inflate(&stream, Z_FINISH);
  uint64_t produced = stream.total_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END || produced != entry.size)
    return damaged("\"%s\" doesn't inflate to the %llu bytes that the directory says",
                   printable(entry.name).c_str(), (unsigned long long)entry.size);
  return out;
}

} // namespace

Error ZipArchive::checkCrc(const ZipEntry &entry) const {
  Expected<StringRef> data = view(entry);
  if (!data)
    return data.takeError();
  uint32_t found = crcOf(*data);
  return found == entry.crc ? Error::success() : crcError(entry, found);
}

Expected<std::string> ZipArchive::read(const ZipEntry &entry) const {
  StringRef stored = bytes.substr(entry.dataOffset, entry.compressedSize);
  if (entry.deflated && stored.size() > std::numeric_limits<uInt>::max())
    return damaged("\"%s\" is too large to inflate", printable(entry.name).c_str());
  Expected<std::string> contents = entry.deflated ? inflateEntry(entry, stored) : Expected<std::string>(stored.str());
  if (!contents)
    return contents;
  uint32_t found = crcOf(*contents);
  if (found != entry.crc)
    return crcError(entry, found);
  return contents;
}
