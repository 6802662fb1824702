// Opening, the checks of header and section table, hashing. See Artifact.h for the layout.
#include "runtime/loader/ArtifactFile.h"

#include "runtime/plan/Sha256.h"
#include "runtime/status/Failure.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::runtime {
namespace {

Failure ioFailure(const std::string &path, const char *doing) {
  return Failure(GRAPHC_ERROR_IO, text("cannot ", doing, " '", path, "': ", std::strerror(errno)));
}

/// Closes the descriptor at the end of the scope.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

std::string_view sectionName(const ArtifactSection &section) {
  return {section.name, strnlen(section.name, sizeof section.name)};
}

std::string describe(const ArtifactSection &section) {
  return text("section '", sectionName(section), "' (", section.size, " bytes at offset ", section.offset, ")");
}

} // namespace

ArtifactFile ArtifactFile::open(const std::string &path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.fd < 0)
    throw ioFailure(path, "open");
  if (fstat(file.fd, &status) != 0)
    throw ioFailure(path, "read the size of");
  if (!S_ISREG(status.st_mode))
    throw Failure(GRAPHC_ERROR_IO, text("'", path, "' is not a regular file; expected a .gcx that graphc wrote"));
  ArtifactFile artifact;
  artifact.name_ = path.substr(path.find_last_of('/') + 1);
  const auto size = static_cast<size_t>(status.st_size);
  if (size > 0) {
    void *address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (address == MAP_FAILED)
      throw ioFailure(path, "map");
    artifact.mapping_ = std::shared_ptr<const void>(address, [size](const void *p) {
      munmap(const_cast<void *>(p), size);
    });
    artifact.bytes_ = {static_cast<const std::byte *>(address), size};
  }
  artifact.readTable();
  return artifact;
}

ArtifactFile ArtifactFile::fromMemory(std::span<const std::byte> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % sectionAlignment != 0)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("the artifact's memory is not aligned to ", sectionAlignment,
                                              " bytes; allocate it with aligned_alloc(64, size)"));
  ArtifactFile artifact;
  artifact.name_ = "artifact in memory";
  artifact.bytes_ = bytes;
  artifact.readTable();
  return artifact;
}

void ArtifactFile::damaged(const std::string &what) const {
  throw Failure(GRAPHC_ERROR_ARTIFACT,
                text("'", name_, "' is damaged: ", what, "; copy the file again or compile the model again"));
}

void ArtifactFile::readTable() {
  ArtifactHeader header;
  if (bytes_.size() < sizeof header || std::memcmp(bytes_.data(), artifactMagic, sizeof artifactMagic) != 0)
    throw Failure(GRAPHC_ERROR_ARTIFACT,
                  text("'", name_, "' is not a graphc artifact (", bytes_.size(),
                       " bytes, no artifact header); expected a .gcx file, which `graphc MODEL -o FILE.gcx` writes"));
  std::memcpy(&header, bytes_.data(), sizeof header);
  if (header.major != artifactMajor)
    throw Failure(GRAPHC_ERROR_UNSUPPORTED,
                  text("'", name_, "' has artifact format ", header.major, ".", header.minor, "; this runtime (",
                       graphc_version(), ") reads format ", artifactMajor, "; ",
                       header.major > artifactMajor ? "use a newer libgraphc" : "compile the model again"));
  minor_ = header.minor;
  if (header.fileSize != bytes_.size())
    damaged(text("it has ", bytes_.size(), " bytes, its header says ", header.fileSize));
  if (header.tableOffset != sizeof header || header.sectionCount > maxSections ||
      header.sectionCount * sizeof(ArtifactSection) > bytes_.size() - sizeof header)
    damaged(text("its table of ", header.sectionCount, " sections at offset ", header.tableOffset, " is not inside the file"));
  const auto table = bytes_.subspan(sizeof header, header.sectionCount * sizeof(ArtifactSection));
  sections_.resize(header.sectionCount);
  if (!table.empty())
    std::memcpy(sections_.data(), table.data(), table.size());
  Sha256 hash;
  hash.update(std::as_bytes(std::span(&header, 1)).first(offsetof(ArtifactHeader, tableSha256)));
  hash.update(std::as_bytes(std::span(sections_)));
  if (std::memcmp(hash.finish().data(), header.tableSha256, sizeof header.tableSha256) != 0)
    damaged("the hash of its header and section table does not fit");
  uint64_t end = sizeof header + table.size();
  for (const ArtifactSection &section : sections_) {
    if (section.offset % sectionAlignment != 0 || section.offset < end || section.offset > bytes_.size() ||
        section.size > bytes_.size() - section.offset)
      damaged(describe(section) + " overlaps another or lies outside the file");
    end = section.offset + section.size;
    const bool known = section.kind >= uint32_t(SectionKind::Plan) && section.kind <= uint32_t(SectionKind::Notes);
    if (!known && !(section.flags & sectionOptional))
      throw Failure(GRAPHC_ERROR_UNSUPPORTED, text("'", name_, "' needs a newer libgraphc: ", describe(section),
                                                   " has kind ", section.kind, ", which ", graphc_version(),
                                                   " does not know"));
  }
}

const ArtifactSection *ArtifactFile::find(SectionKind kind, std::string_view name) const {
  for (const ArtifactSection &section : sections_)
    if (section.kind == uint32_t(kind) && sectionName(section) == name)
      return &section;
  return nullptr;
}

std::vector<const ArtifactSection *> ArtifactFile::all(SectionKind kind) const {
  std::vector<const ArtifactSection *> found;
  for (const ArtifactSection &section : sections_)
    if (section.kind == uint32_t(kind))
      found.push_back(&section);
  return found;
}

std::span<const std::byte> ArtifactFile::view(const ArtifactSection &section) const {
  return bytes_.subspan(section.offset, section.size);
}

std::vector<std::byte> ArtifactFile::copyChecked(const ArtifactSection &section) const {
  const auto bytes = view(section);
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  if (std::memcmp(sha256(copy).data(), section.sha256, sizeof section.sha256) != 0)
    damaged("the hash of " + describe(section) + " does not fit");
  return copy;
}

void ArtifactFile::verifyWeights() const {
  for (const ArtifactSection *weights : all(SectionKind::Weights)) {
    if (weights->hashes >= sections_.size() || sections_[weights->hashes].kind != uint32_t(SectionKind::WeightHashes))
      damaged(describe(*weights) + " has no hashes");
    const std::vector<std::byte> hashes = copyChecked(sections_[weights->hashes]);
    const auto bytes = view(*weights);
    const uint64_t chunks = (bytes.size() + weightChunkBytes - 1) / weightChunkBytes;
    if (hashes.size() != chunks * sizeof(Sha256Digest))
      damaged(text(describe(*weights), " has ", hashes.size() / sizeof(Sha256Digest), " hashes, expected ", chunks));
    for (uint64_t i = 0; i < chunks; ++i) {
      const uint64_t begin = i * weightChunkBytes, count = std::min(weightChunkBytes, bytes.size() - begin);
      if (std::memcmp(sha256(bytes.subspan(begin, count)).data(), hashes.data() + i * sizeof(Sha256Digest),
                      sizeof(Sha256Digest)) != 0)
        damaged(text("the hash of bytes ", begin, " to ", begin + count, " of ", describe(*weights), " does not fit"));
    }
  }
}

} // namespace graphc::runtime
