// graphc-torchscript-reader: reads TorchScript files with LibTorch for a compiler that doesn't have LibTorch in its process.
//
// Input: requests on descriptor 3 (ReaderProtocol.h). Output: SourceGraphs. It is no tool: compilers start it. A file that kills it
// costs its compiler one error message. Weights that stand in the model file as they are are named by their place there instead of
// sent, so that the compiler maps them; LibTorch's copy goes when the reply is out.
#include "frontend/torchscript/Import.h"
#include "frontend/torchscript/ReaderProtocol.h"
#include "frontend/torchscript/Wire.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unordered_map>

using namespace graphc::frontend;
using namespace graphc::frontend::torchscript;

namespace {

constexpr size_t alignment = 64;

/// The model file's bytes, to compare with.
class Mapping {
public:
  explicit Mapping(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) || status.st_size <= 0)
      return;
    void *memory = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory != MAP_FAILED)
      bytes = static_cast<const char *>(memory), size = size_t(status.st_size);
  }
  ~Mapping() {
    if (bytes)
      munmap(const_cast<char *>(bytes), size);
  }
  /// True where these bytes stand at `offset`. The pages looked at are given back: large models are compared whole.
  bool holds(uint64_t offset, const void *data, size_t length) const {
    bool same = !std::memcmp(bytes + offset, data, length);
    uint64_t page = offset / pageSize * pageSize;
    madvise(const_cast<char *>(bytes) + page, length + (offset - page), MADV_DONTNEED);
    return same;
  }

  size_t size = 0;

private:
  static constexpr uint64_t pageSize = 4096;
  const char *bytes = nullptr;
};

class Reply {
public:
  Reply(const Mapping &model, std::vector<FileRange> ranges) : model(model) {
    for (const FileRange &range : ranges)
      if (range.size <= model.size && range.offset <= model.size - range.size)
        bySize[range.size].push_back(range.offset);
  }

  /// The number of a storage, placed when it is new.
  uint32_t number(const Storage &storage) {
    auto [it, isNew] = numbers.try_emplace(&storage, places.size());
    if (isNew)
      places.push_back(place(storage));
    return it->second;
  }

  bool send(int socket, ImportResult result) {
    WireWriter graph([&](const Storage &storage) { return number(storage); });
    if (result.graph)
      transfer(graph, *result.graph);
    WireWriter head([](const Storage &) { return 0u; });
    head.text(result.error);
    transfer(head, places);
    head.bytes += graph.bytes;
    return sendFile(socket, head.bytes);
  }

private:
  /// In the model file where the same bytes stand there at an aligned place, else behind what is sent.
  StoragePlace place(const Storage &storage) {
    for (uint64_t offset : bySize[storage.size])
      if (offset % alignment == 0 && storage.size && model.holds(offset, storage.data, storage.size))
        return {1, offset, storage.size};
    StoragePlace place{0, sentBytes, storage.size};
    sentBytes += (storage.size + alignment - 1) / alignment * alignment;
    sent.emplace_back(place, &storage);
    return place;
  }

  bool sendFile(int socket, const std::string &bytes) {
    int file = memfd_create("graphc-graph", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    uint64_t start = (bytes.size() + alignment - 1) / alignment * alignment, size = start + sentBytes;
    bool good = file >= 0 && !ftruncate(file, off_t(size)) && write(file, 0, bytes.data(), bytes.size());
    for (const auto &[place, storage] : sent)
      good = good && write(file, start + place.offset, storage->data, storage->size);
    good = good && sendWithFile(socket, ReplyHeader{bytes.size()}, file);
    if (file >= 0)
      close(file);
    return good;
  }

  static bool write(int file, uint64_t offset, const void *data, size_t size) {
    const char *next = static_cast<const char *>(data);
    while (size > 0) {
      ssize_t written = pwrite(file, next, size, off_t(offset));
      if (written <= 0)
        return false;
      next += written, offset += uint64_t(written), size -= size_t(written);
    }
    return true;
  }

  const Mapping &model;
  std::unordered_map<uint64_t, std::vector<uint64_t>> bySize;
  std::unordered_map<const Storage *, uint32_t> numbers;
  std::vector<StoragePlace> places;
  std::vector<std::pair<StoragePlace, const Storage *>> sent;
  uint64_t sentBytes = 0;
};

/// The file is opened as `openPath`; the graph calls it `path`.
ImportResult read(const std::string &openPath, const std::string &path, const std::string &method) {
  ImportResult result;
  graphcImportTorchScript(openPath, method, result);
  if (result.graph) {
    result.graph->fileName = path;
    for (SourceLocation &location : result.graph->locations)
      if (location.file == openPath)
        location.file = path;
  }
  return result;
}

/// Answers one request; false when there are no more.
bool serve(int socket) {
  RequestHeader header;
  int file = receiveWithFile(socket, header);
  if (file < 0)
    return false;
  std::string path(header.pathSize, 0), method(header.methodSize, 0);
  std::vector<FileRange> ranges(header.entryCount);
  bool good = receiveAll(socket, path.data(), path.size()) && receiveAll(socket, method.data(), method.size()) &&
              receiveAll(socket, ranges.data(), ranges.size() * sizeof(FileRange));
  if (good) {
    Mapping model(file);
    good = Reply(model, std::move(ranges)).send(socket, read("/proc/self/fd/" + std::to_string(file), path, method));
  }
  close(file);
  malloc_trim(0);
  return good;
}

} // namespace

int main() {
  while (serve(readerSocket)) {
  }
  _exit(0); // nothing to save; LibTorch's destructors take long
}
