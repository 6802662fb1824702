// See ReaderProcess.h.
#include "frontend/torchscript/ReaderProcess.h"

#include "frontend/torchscript/CheckGraph.h"
#include "frontend/torchscript/Import.h"
#include "frontend/torchscript/NoLibTorch.h"
#include "frontend/torchscript/ReaderProtocol.h"
#include "frontend/torchscript/Wire.h"

#include <fcntl.h>
#include <mutex>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace graphc::frontend;
using namespace graphc::frontend::torchscript;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

Error failure(const std::string &text) { return createStringError(std::errc::invalid_argument, "%s", text.c_str()); }

/// A descriptor that closes itself.
class File {
public:
  explicit File(int descriptor = -1) : descriptor(descriptor) {}
  File(File &&other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}
  File &operator=(File &&other) noexcept {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
  int get() const { return descriptor; }
  explicit operator bool() const { return descriptor >= 0; }

private:
  int descriptor;
};

/// A file's bytes, mapped as long as somebody holds them.
struct Mapping {
  const std::byte *data = nullptr;
  size_t size = 0;
  std::shared_ptr<const void> keepAlive;
};

Mapping map(const File &file) {
  struct stat status;
  if (fstat(file.get(), &status) || status.st_size <= 0)
    return {};
  size_t size = size_t(status.st_size);
  void *memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED)
    return {};
  return {static_cast<const std::byte *>(memory), size, std::shared_ptr<const void>(memory, [size](const void *p) { munmap(const_cast<void *>(p), size); })};
}

class Reader {
public:
  ~Reader() { stop(); }

  /// The reply's memory file and the size of its graph; an error where the reader died or can't be started.
  Expected<std::pair<File, uint64_t>> ask(const File &model, const std::string &path, const ZipArchive &archive, const std::string &method) {
    if (Error error = start())
      return error;
    std::vector<FileRange> ranges;
    for (const ZipEntry &entry : archive.entries())
      if (!entry.deflated)
        ranges.push_back({entry.dataOffset, entry.size});
    RequestHeader request{path.size(), method.size(), ranges.size()};
    ReplyHeader reply;
    bool asked = sendWithFile(socket.get(), request, model.get()) && sendAll(socket.get(), path.data(), path.size()) &&
                 sendAll(socket.get(), method.data(), method.size()) && sendAll(socket.get(), ranges.data(), ranges.size() * sizeof(FileRange));
    File memory(asked ? receiveWithFile(socket.get(), reply) : -1);
    if (!memory)
      return describeEnd();
    return std::pair(std::move(memory), reply.graphSize);
  }

private:
  Error start() {
    if (socket && owner != getpid())
      socket = File(), child = -1; // this process was forked: the reader is its parent's
    if (socket)
      return Error::success();
    std::string program = findBeside(readerProgram);
    if (program.empty())
      return llvm::make_error<NoLibTorch>(std::string("the TorchScript reader can't be loaded: the program ") + readerProgram +
                                          " is missing: it belongs beside libgraphc_compiler or in lib/");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
      return createStringError(std::error_code(errno, std::generic_category()), "no socket for the TorchScript reader");
    File ours(ends[0]), theirs(ends[1]);
    messages = File(memfd_create("graphc-reader-messages", MFD_CLOEXEC));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, messages.get(), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), readerSocket);
    char *arguments[] = {program.data(), nullptr};
    int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
      return llvm::make_error<NoLibTorch>("the TorchScript reader can't be loaded: " + program + " can't be started: " +
                                          std::generic_category().message(failed));
    socket = std::move(ours);
    owner = getpid();
    return Error::success();
  }

  int stop() {
    int status = 0;
    if (socket && owner == getpid()) {
      socket = File();
      waitpid(child, &status, 0);
    }
    socket = File();
    return status;
  }

  /// Why the reader is gone.
  Error describeEnd() {
    int status = stop();
    char text[400] = {};
    bool unloadable = WIFEXITED(status) && WEXITSTATUS(status) == 127;
    if (unloadable && messages && pread(messages.get(), text, sizeof text - 1, 0) > 0)
      return llvm::make_error<NoLibTorch>("the TorchScript reader can't be loaded: " + llvm::StringRef(text).rtrim().str());
    std::string how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "status " + std::to_string(WEXITSTATUS(status));
    return failure("LibTorch crashed reading it (" + how + "), so the file is damaged or made to do that");
  }

  File socket, messages;
  pid_t child = -1, owner = -1;
};

/// The storages that a reply speaks of; empty where one doesn't lie where it says.
std::optional<StorageList> makeStorages(const std::vector<StoragePlace> &places, const Mapping &model, const Mapping &reply, uint64_t sentStart) {
  StorageList storages;
  for (const StoragePlace &place : places) {
    const Mapping &mapping = place.inModel ? model : reply;
    uint64_t start = place.inModel ? 0 : sentStart;
    if (start > mapping.size || place.offset > mapping.size - start || place.size > mapping.size - start - place.offset)
      return std::nullopt;
    auto storage = std::make_shared<Storage>();
    storage->data = mapping.data + start + place.offset;
    storage->size = place.size;
    storage->keepAlive = mapping.keepAlive;
    storages.push_back(std::move(storage));
  }
  return storages;
}

Expected<SourceGraph> decode(const Mapping &model, const File &memory, uint64_t graphSize) {
  const char *damaged = "the TorchScript reader's answer can't be read, so the file is made to subvert LibTorch";
  fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_GROW);
  Mapping reply = map(memory);
  if (graphSize > reply.size)
    return failure(damaged);
  StorageList storages;
  WireReader reader(reinterpret_cast<const char *>(reply.data), graphSize, storages);
  std::string error;
  std::vector<StoragePlace> places;
  reader.text(error);
  transfer(reader, places);
  if (reader.isGood() && !error.empty())
    return failure(error);
  std::optional<StorageList> made = makeStorages(places, model, reply, (graphSize + 63) / 64 * 64);
  if (!made)
    return failure(damaged);
  storages = std::move(*made);
  SourceGraph graph;
  transfer(reader, graph);
  if (!reader.isGood() || !isConsistent(graph))
    return failure(damaged);
  return graph;
}

} // namespace

Expected<SourceGraph> graphc::frontend::torchscript::readInProcess(const std::string &path, const ZipArchive &archive, const std::string &method) {
  static std::mutex mutex;
  static Reader reader;
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Mapping model = map(file);
  if (!model.data)
    return createStringError(std::error_code(errno, std::generic_category()), "can't be mapped");
  std::lock_guard lock(mutex);
  Expected<std::pair<File, uint64_t>> reply = reader.ask(file, path, archive, method);
  if (!reply)
    return reply.takeError();
  return decode(model, reply->first, reply->second);
}
