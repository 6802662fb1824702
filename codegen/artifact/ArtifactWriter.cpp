// Order in the file: plans, code images, notes, weight hashes, weights. Hashes and sizes are computed first, so that everything
// is written once, front to back.
#include "codegen/artifact/ArtifactWriter.h"

#include "runtime/plan/Artifact.h"
#include "runtime/plan/CodeImage.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace graphc {
namespace {

uint64_t alignUp(uint64_t offset, uint64_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

/// A section about to be written; `bytes` is unused for weights.
struct PendingSection {
  ArtifactSection entry;
  std::span<const std::byte> bytes;
  uint64_t alignment;
};

PendingSection makeSection(SectionKind kind, const std::string &name, std::span<const std::byte> bytes, uint64_t alignment) {
  PendingSection section{};
  section.entry.kind = static_cast<uint32_t>(kind);
  section.entry.flags = kind == SectionKind::Notes ? sectionOptional : 0;
  std::memcpy(section.entry.name, name.data(), std::min(name.size(), sizeof section.entry.name - 1));
  section.entry.size = bytes.size();
  const Sha256Digest digest = sha256(bytes);
  std::memcpy(section.entry.sha256, digest.data(), digest.size());
  section.bytes = bytes;
  section.alignment = alignment;
  return section;
}

/// Hashes a stream in pieces of weightChunkBytes.
class ChunkHasher {
public:
  void add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const size_t take = std::min<size_t>(bytes.size(), weightChunkBytes - filled_);
      hash_.update(bytes.first(take));
      filled_ += take;
      bytes = bytes.subspan(take);
      if (filled_ == weightChunkBytes)
        endChunk();
    }
  }
  std::vector<std::byte> finish() {
    if (filled_ > 0)
      endChunk();
    return std::move(hashes_);
  }

private:
  void endChunk() {
    const Sha256Digest digest = hash_.finish();
    const auto bytes = std::as_bytes(std::span(digest));
    hashes_.insert(hashes_.end(), bytes.begin(), bytes.end());
    hash_ = Sha256();
    filled_ = 0;
  }
  Sha256 hash_;
  size_t filled_ = 0;
  std::vector<std::byte> hashes_;
};

} // namespace

/// Where the bytes go, with the position so far.
class ArtifactWriter::Sink {
public:
  virtual ~Sink() = default;
  void write(std::span<const std::byte> bytes) {
    put(bytes);
    position_ += bytes.size();
  }
  void padTo(uint64_t offset) {
    static constexpr std::byte zeros[4096] = {};
    while (position_ < offset)
      write(std::span(zeros).first(std::min<uint64_t>(offset - position_, sizeof zeros)));
  }

private:
  virtual void put(std::span<const std::byte> bytes) = 0;
  uint64_t position_ = 0;
};

/// Memory of the artifact's whole size.
class ArtifactWriter::MemorySink : public Sink {
public:
  explicit MemorySink(std::byte *out) : out_(out) {}

private:
  void put(std::span<const std::byte> bytes) override {
    if (!bytes.empty())
      std::memcpy(out_, bytes.data(), bytes.size());
    out_ += bytes.size();
  }
  std::byte *out_;
};

/// Remembers the first error; later writes do nothing.
class ArtifactWriter::FileSink : public Sink {
public:
  FileSink(const std::string &path, const char *mode) : file_(std::fopen(path.c_str(), mode)), error_(file_ ? 0 : errno) {}
  ~FileSink() override { close(); }
  int error() const { return error_; }
  /// 0 or errno of whatever failed first.
  int close() {
    if (file_ && std::fclose(file_) != 0 && error_ == 0)
      error_ = errno;
    file_ = nullptr;
    return error_;
  }

private:
  void put(std::span<const std::byte> bytes) override {
    if (error_ == 0 && !bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
      error_ = errno ? errno : EIO;
  }
  std::FILE *file_;
  int error_;
};

ArtifactWriter::Blob ArtifactWriter::addWeights(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  if (bytes.empty())
    return {0, 0};
  const Sha256Digest digest = sha256(bytes);
  const auto [known, isNew] = weightsByContent_.try_emplace(digest, weights_.size());
  if (!isNew && weights_[known->second].bytes.size() == bytes.size())
    return {weights_[known->second].offset, bytes.size()};
  const uint64_t offset = alignUp(weightBytes_, constantAlignment);
  weights_.push_back({offset, bytes, std::move(owner)});
  weightBytes_ = offset + bytes.size();
  return {offset, bytes.size()};
}

void ArtifactWriter::addCodeImage(std::string target, std::string level, std::vector<std::byte> elf) {
  images_.push_back({target + "/" + level, std::move(elf)});
}

void ArtifactWriter::addPlan(const plan::PlanT &plan) {
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  plan::FinishPlanBuffer(builder, plan::Plan::Pack(builder, &plan));
  const auto *begin = reinterpret_cast<const std::byte *>(builder.GetBufferPointer());
  plans_.push_back({plan.target, std::vector<std::byte>(begin, begin + builder.GetSize())});
}

void ArtifactWriter::addNotes(std::string name, std::string text) {
  const auto bytes = std::as_bytes(std::span(text));
  notes_.push_back({std::move(name), std::vector<std::byte>(bytes.begin(), bytes.end())});
}

std::optional<std::string> ArtifactWriter::check() const {
  const size_t sections = plans_.size() + images_.size() + notes_.size() + (weights_.empty() ? 0 : 2);
  if (sections > maxSections)
    return "too many sections: " + std::to_string(sections);
  for (const auto *list : {&plans_, &images_, &notes_})
    for (const NamedBytes &entry : *list)
      if (entry.name.size() >= sizeof(ArtifactSection::name))
        return "the section name '" + entry.name + "' is longer than " + std::to_string(sizeof(ArtifactSection::name) - 1);
  for (const NamedBytes &entry : plans_) {
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(entry.bytes.data()), entry.bytes.size(), 64, 50'000'000);
    if (!plan::VerifyPlanBuffer(verifier))
      return "the plan of " + entry.name + " does not pass the FlatBuffers verifier (a union or required field is not set)";
  }
  for (const NamedBytes &entry : images_) {
    std::string error;
    if (!CodeImage::parse(entry.bytes, error))
      return entry.name + ": " + error;
  }
  return std::nullopt;
}

/// The weights section's bytes in order, padding included.
template <typename Take> void ArtifactWriter::forEachWeight(Take &&take) const {
  static constexpr std::byte zeros[constantAlignment] = {};
  uint64_t position = 0;
  for (const Piece &piece : weights_) {
    take(std::span(zeros).first(piece.offset - position));
    take(piece.bytes);
    position = piece.offset + piece.bytes.size();
  }
}

/// Everything about the file but the weights' bytes: the header, the table, where each section lies.
struct ArtifactWriter::Layout {
  ArtifactHeader header{};
  std::vector<ArtifactSection> table;
  std::vector<PendingSection> sections;
  std::vector<std::byte> hashes; // of the weights' chunks
};

ArtifactWriter::Layout ArtifactWriter::layOut() const {
  Layout layout;
  for (const NamedBytes &entry : plans_)
    layout.sections.push_back(makeSection(SectionKind::Plan, entry.name, entry.bytes, sectionAlignment));
  for (const NamedBytes &entry : images_)
    layout.sections.push_back(makeSection(SectionKind::CodeImage, entry.name, entry.bytes, pageAlignment));
  for (const NamedBytes &entry : notes_)
    layout.sections.push_back(makeSection(SectionKind::Notes, entry.name, entry.bytes, sectionAlignment));
  if (!weights_.empty()) {
    ChunkHasher hasher;
    forEachWeight([&](std::span<const std::byte> bytes) { hasher.add(bytes); });
    layout.hashes = hasher.finish();
    layout.sections.push_back(makeSection(SectionKind::WeightHashes, "weights", layout.hashes, sectionAlignment));
    PendingSection weights{};
    weights.entry.kind = static_cast<uint32_t>(SectionKind::Weights);
    std::strcpy(weights.entry.name, "weights");
    weights.entry.size = weightBytes_;
    weights.entry.hashes = static_cast<uint32_t>(layout.sections.size() - 1);
    weights.alignment = pageAlignment;
    layout.sections.push_back(weights);
  }
  ArtifactHeader &header = layout.header;
  std::memcpy(header.magic, artifactMagic, sizeof artifactMagic);
  header.major = artifactMajor;
  header.minor = artifactMinor;
  header.sectionCount = static_cast<uint32_t>(layout.sections.size());
  header.tableOffset = sizeof header;
  uint64_t end = sizeof header + layout.sections.size() * sizeof(ArtifactSection);
  for (PendingSection &section : layout.sections) {
    section.entry.offset = alignUp(end, section.alignment);
    end = section.entry.offset + section.entry.size;
    layout.table.push_back(section.entry);
  }
  header.fileSize = end;
  Sha256 hash;
  hash.update(std::as_bytes(std::span(&header, 1)).first(offsetof(ArtifactHeader, tableSha256)));
  hash.update(std::as_bytes(std::span(layout.table)));
  const Sha256Digest digest = hash.finish();
  std::memcpy(header.tableSha256, digest.data(), digest.size());
  return layout;
}

void ArtifactWriter::write(const Layout &layout, Sink &sink) const {
  sink.write(std::as_bytes(std::span(&layout.header, 1)));
  sink.write(std::as_bytes(std::span(layout.table)));
  for (const PendingSection &section : layout.sections) {
    sink.padTo(section.entry.offset);
    if (section.entry.kind == static_cast<uint32_t>(SectionKind::Weights))
      forEachWeight([&](std::span<const std::byte> bytes) { sink.write(bytes); });
    else
      sink.write(section.bytes);
  }
}

std::optional<std::string> ArtifactWriter::writeMemory(const std::function<std::byte *(size_t)> &allocate) const {
  if (auto error = check())
    return error;
  const Layout layout = layOut();
  std::byte *memory = allocate(layout.header.fileSize);
  if (!memory)
    return "no memory for an artifact of " + std::to_string(layout.header.fileSize) + " bytes";
  MemorySink sink(memory);
  write(layout, sink);
  return std::nullopt;
}

std::optional<std::string> ArtifactWriter::writeMemory(std::vector<std::byte> &out) const {
  return writeMemory([&](size_t size) {
    out.assign(size, std::byte(0));
    return out.data();
  });
}

std::optional<std::string> ArtifactWriter::writeFile(const std::string &path) const {
  if (auto error = check())
    return error;
  const auto failed = [](const std::string &what, int code) { return "cannot " + what + ": " + std::strerror(code); };
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status))
    return "cannot write '" + path + "': it is a folder";
  // A pipe or a device takes the bytes as they come; there is nothing to rename.
  const bool inPlace = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::string target = inPlace ? path : path + ".tmp." + std::to_string(getpid());
  if (!inPlace)
    std::remove(target.c_str());
  FileSink sink(target, inPlace ? "wbe" : "wbxe");
  if (sink.error() == 0)
    write(layOut(), sink);
  std::optional<std::string> error;
  if (const int code = sink.close(); code != 0)
    error = failed("write '" + path + "'", code);
  else if (!inPlace && std::rename(target.c_str(), path.c_str()) != 0)
    error = failed("rename '" + target + "' to '" + path + "'", errno);
  if (error && !inPlace)
    std::remove(target.c_str());
  return error;
}

} // namespace graphc
