// A .gcx opened for reading: its bytes (mapped or the caller's) with header and section table checked against each other, the
// hashes and the size of the file. Plans and code are copied out before they are hashed and used, so that a file which
// changes under us can't change what was checked; only weights are read from the mapping.
//
//   ArtifactFile file = ArtifactFile::open("model.gcx");
//   std::vector<std::byte> plan = file.copyChecked(file.find(SectionKind::Plan, "cpu"));
#ifndef GRAPHC_RUNTIME_LOADER_ARTIFACTFILE_H
#define GRAPHC_RUNTIME_LOADER_ARTIFACTFILE_H

#include "runtime/plan/Artifact.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

class ArtifactFile {
public:
  /// Throws Failure: IO, ARTIFACT, UNSUPPORTED.
  static ArtifactFile open(const std::string &path);
  /// The caller keeps the memory.
  static ArtifactFile fromMemory(std::span<const std::byte> bytes);

  const std::vector<ArtifactSection> &sections() const { return sections_; }
  /// The section of this kind and name, or null.
  const ArtifactSection *find(SectionKind kind, std::string_view name) const;
  /// All sections of a kind, in table order.
  std::vector<const ArtifactSection *> all(SectionKind kind) const;
  /// A copy of the section, aligned for FlatBuffers, whose hash was checked. Throws ARTIFACT where it doesn't fit.
  std::vector<std::byte> copyChecked(const ArtifactSection &section) const;
  /// The bytes in place, not checked: for weights.
  std::span<const std::byte> view(const ArtifactSection &section) const;
  /// Reads all weights and compares them with their chunk hashes. Throws ARTIFACT naming the section and the byte range.
  void verifyWeights() const;

  uint16_t minor() const { return minor_; }
  /// "model.gcx", or "artifact in memory".
  const std::string &name() const { return name_; }

private:
  void readTable();
  [[noreturn]] void damaged(const std::string &what) const;

  std::string name_;
  std::shared_ptr<const void> mapping_;
  std::span<const std::byte> bytes_;
  std::vector<ArtifactSection> sections_;
  uint16_t minor_ = 0;
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_LOADER_ARTIFACTFILE_H
