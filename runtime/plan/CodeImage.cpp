// ELF64 headers, program headers, the dynamic section and the dynamic symbol table; nothing else is read. Every offset is
// checked against the bytes before it is used.
#include "runtime/plan/CodeImage.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace graphc {
namespace {

constexpr uint64_t maxImageBytes = uint64_t(1) << 32;

template <typename T> bool readAt(std::span<const std::byte> bytes, uint64_t offset, T &value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

bool isSharedObject(std::span<const std::byte> bytes, Elf64_Ehdr &header) {
  return readAt(bytes, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_DYN &&
         header.e_machine == EM_X86_64 && header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum > 0 &&
         header.e_phnum <= 64;
}

/// File offset of an address, or nullopt where no segment has it.
std::optional<uint64_t> fileOffsetOf(const std::vector<CodeSegment> &segments, uint64_t address) {
  for (const CodeSegment &segment : segments)
    if (address >= segment.address && address - segment.address < segment.fileSize)
      return segment.fileOffset + (address - segment.address);
  return std::nullopt;
}

/// Whether a range holds `part` and beyond it nothing but less than 64 zero bytes (alignment).
bool holdsOnly(std::span<const std::byte> bytes, CodeImage::Elf64Range range, CodeImage::Elf64Range part) {
  if (part.offset < range.offset || part.size > range.size || part.offset - range.offset > range.size - part.size ||
      range.size - part.size >= 64)
    return false;
  for (uint64_t at = range.offset; at < range.offset + range.size; ++at)
    if ((at < part.offset || at >= part.offset + part.size) && bytes[at] != std::byte{0})
      return false;
  return true;
}

const char *refusedTag(int64_t tag) {
  switch (tag) {
  case DT_NEEDED: return "it needs another library";
  case DT_RELA: case DT_REL: case DT_JMPREL: case DT_TEXTREL: case DT_RELR: return "it has dynamic relocations";
  case DT_INIT: case DT_FINI: case DT_INIT_ARRAY: case DT_FINI_ARRAY: case DT_PREINIT_ARRAY: return "it has constructors";
  default: return nullptr;
  }
}

} // namespace

/// Why the program headers can't be used, or "".
std::string CodeImage::readSegments(std::optional<Elf64Range> &dynamic) {
  Elf64_Ehdr header;
  if (!isSharedObject(bytes_, header))
    return "it is no x86-64 ELF shared object";
  std::vector<Elf64_Phdr> writable;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > bytes_.size() || !readAt(bytes_, header.e_phoff + i * sizeof segment, segment))
      return "its program headers lie outside the file";
    if (segment.p_type == PT_INTERP || segment.p_type == PT_TLS)
      return "it has an interpreter or thread-local data";
    if (segment.p_type == PT_DYNAMIC)
      dynamic = Elf64Range{segment.p_offset, segment.p_filesz};
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
      continue;
    if (segment.p_filesz > segment.p_memsz || segment.p_offset > bytes_.size() ||
        segment.p_filesz > bytes_.size() - segment.p_offset || segment.p_vaddr > maxImageBytes ||
        segment.p_memsz > maxImageBytes || segment.p_vaddr < memorySize_)
      return "a segment lies outside the file or overlaps another";
    if (segment.p_flags & PF_W)
      writable.push_back(segment);
    segments_.push_back({segment.p_offset, segment.p_vaddr, segment.p_filesz, segment.p_memsz, (segment.p_flags & PF_X) != 0});
    memorySize_ = segment.p_vaddr + segment.p_memsz;
  }
  if (segments_.empty() || !dynamic || dynamic->offset > bytes_.size() || dynamic->size > bytes_.size() - dynamic->offset)
    return "it has no loadable segment or no dynamic section";
  for (const Elf64_Phdr &segment : writable)
    if (segment.p_filesz != segment.p_memsz || !holdsOnly(bytes_, {segment.p_offset, segment.p_filesz}, *dynamic))
      return "it has writable data";
  return "";
}

/// Why the dynamic section or the symbols can't be used, or "".
std::string CodeImage::readDynamic(Elf64Range dynamic) {
  uint64_t hash = 0, symbols = 0, strings = 0;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.size; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!readAt(bytes_, dynamic.offset + at, entry) || entry.d_tag == DT_NULL)
      break;
    if (const char *why = refusedTag(entry.d_tag))
      return why;
    switch (entry.d_tag) {
    case DT_HASH: hash = entry.d_un.d_ptr; break;
    case DT_SYMTAB: symbols = entry.d_un.d_ptr; break;
    case DT_STRTAB: strings = entry.d_un.d_ptr; break;
    case DT_STRSZ: stringBytes_ = entry.d_un.d_val; break;
    default: break;
    }
  }
  const auto hashAt = fileOffsetOf(segments_, hash), symbolsAt = fileOffsetOf(segments_, symbols),
             stringsAt = fileOffsetOf(segments_, strings);
  uint32_t chainCount = 0; // of the hash table: the number of symbols
  if (!hash || !hashAt || !symbolsAt || !stringsAt || !readAt(bytes_, *hashAt + 4, chainCount) ||
      stringBytes_ > bytes_.size() - *stringsAt || chainCount > (bytes_.size() - *symbolsAt) / sizeof(Elf64_Sym))
    return "it has no symbol table that can be read (link with --hash-style=sysv or both)";
  symbols_ = *symbolsAt;
  strings_ = *stringsAt;
  symbolCount_ = chainCount;
  for (uint64_t i = 1; i < symbolCount_; ++i) {
    Elf64_Sym symbol;
    if (readAt(bytes_, symbols_ + i * sizeof symbol, symbol) && symbol.st_shndx == SHN_UNDEF)
      return "it imports the symbol '" + std::string(symbolName(symbol.st_name)) + "'";
  }
  return "";
}

std::string_view CodeImage::symbolName(uint32_t offset) const {
  if (offset >= stringBytes_)
    return "?";
  const char *text = reinterpret_cast<const char *>(bytes_.data() + strings_ + offset);
  return {text, strnlen(text, stringBytes_ - offset)};
}

std::optional<CodeImage> CodeImage::parse(std::span<const std::byte> bytes, std::string &error) {
  CodeImage image;
  image.bytes_ = bytes;
  std::optional<Elf64Range> dynamic;
  std::string why = image.readSegments(dynamic);
  if (why.empty())
    why = image.readDynamic(*dynamic);
  if (why.empty())
    return image;
  error = "the code image can't be used: " + why;
  return std::nullopt;
}

bool CodeImage::isCode(uint64_t address) const {
  return std::any_of(segments_.begin(), segments_.end(), [&](const CodeSegment &segment) {
    return segment.executable && address >= segment.address && address - segment.address < segment.fileSize;
  });
}

std::optional<uint64_t> CodeImage::findFunction(std::string_view name) const {
  for (uint64_t i = 1; i < symbolCount_; ++i) {
    Elf64_Sym symbol;
    if (readAt(bytes_, symbols_ + i * sizeof symbol, symbol) && symbolName(symbol.st_name) == name && isCode(symbol.st_value))
      return symbol.st_value;
  }
  return std::nullopt;
}

void CodeImage::copyTo(std::byte *memory) const {
  for (const CodeSegment &segment : segments_)
    std::memcpy(memory + segment.address, bytes_.data() + segment.fileOffset, segment.fileSize);
}

} // namespace graphc
