// Writes a .gcx: plans, code images and weights in, one file (or bytes) out.
//
//   ArtifactWriter writer;
//   ArtifactWriter::Blob blob = writer.addWeights(bytes, owner);    // where the bytes will lie; equal bytes share a place
//   plan.constants[i]->offset = blob.offset; plan.constants[i]->size = blob.size;
//   writer.addCodeImage("cpu", "x86-64-v4", std::move(elf));
//   writer.addPlan(plan);
//   if (auto error = writer.writeFile("model.gcx")) …                // temporary name, then renamed
//
// The same input gives the same bytes. Weights are never copied: they are hashed when added and written from where they are.
#ifndef GRAPHC_CODEGEN_ARTIFACT_ARTIFACTWRITER_H
#define GRAPHC_CODEGEN_ARTIFACT_ARTIFACTWRITER_H

#include "runtime/plan/Plan_generated.h"
#include "runtime/plan/Sha256.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc {

class ArtifactWriter {
public:
  /// A place in the weights section, for plan::ConstantT.
  struct Blob {
    uint64_t offset, size;
  };
  /// Reserves a 64-byte aligned place for these bytes, which must stay valid until the artifact is written (`owner` is kept
  /// until then) and unchanged from now on.
  Blob addWeights(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  /// The linked image of one level; checked when written (see CodeImage).
  void addCodeImage(std::string target, std::string level, std::vector<std::byte> elf);
  /// One plan per target. The plan is packed now; later changes to it have no effect.
  void addPlan(const plan::PlanT &plan);
  /// A text for `inspect` and reports; the loader ignores it.
  void addNotes(std::string name, std::string text);

  /// Plans and code as the loader will check them. nullopt: they are right; else what is wrong with them, which is a bug of
  /// whoever made them. The write functions check as well.
  std::optional<std::string> check() const;

  /// Writes PATH.tmp.<pid>, then renames it to PATH; a PATH that is a pipe or a device is written to as it is. nullopt: done;
  /// else what went wrong ("cannot write 'x.gcx': No space left on device"), and no file is left behind. No weight is copied
  /// on the way.
  std::optional<std::string> writeFile(const std::string &path) const;
  /// The bytes of the artifact, written once into memory that `allocate` gives for their number; 64-byte aligned where the
  /// loader is to open it there. Null from `allocate` is an error.
  std::optional<std::string> writeMemory(const std::function<std::byte *(size_t)> &allocate) const;
  std::optional<std::string> writeMemory(std::vector<std::byte> &out) const;

private:
  struct Piece {
    uint64_t offset;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
  };
  struct NamedBytes {
    std::string name;
    std::vector<std::byte> bytes;
  };
  class Sink;
  class FileSink;
  class MemorySink;
  struct Layout;
  Layout layOut() const;
  void write(const Layout &layout, Sink &sink) const;
  template <typename Take> void forEachWeight(Take &&take) const;

  std::vector<Piece> weights_;
  std::map<Sha256Digest, size_t> weightsByContent_;
  uint64_t weightBytes_ = 0;
  std::vector<NamedBytes> plans_, images_, notes_;
};

} // namespace graphc

#endif // GRAPHC_CODEGEN_ARTIFACT_ARTIFACTWRITER_H
