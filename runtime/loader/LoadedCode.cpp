// See LoadedCode.h. Kernels with vm.memfd_noexec ask for MFD_EXEC, older ones don't know it: both are tried.
#include "runtime/loader/LoadedCode.h"

#include "runtime/status/Failure.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace graphc::runtime {
namespace {

bool writeAll(int fd, const std::vector<std::byte> &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count <= 0 && !(count < 0 && errno == EINTR))
      return false;
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return true;
}

} // namespace

LoadedCode::LoadedCode(const CodeImage &image, const std::string &label) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  size_ = (image.memorySize() + page - 1) / page * page;
  std::vector<std::byte> bytes(size_);
  image.copyTo(bytes.data());
  if (!mapMemfd(bytes, label) && !mapAnonymous(bytes))
    throw Failure(errno == ENOMEM ? GRAPHC_ERROR_MEMORY : GRAPHC_ERROR_UNSUPPORTED,
                  text("cannot make ", size_, " bytes of executable memory: ", std::strerror(errno),
                       "; the system's policy must allow this process executable memory (memfd or mmap)"));
}

bool LoadedCode::mapMemfd(const std::vector<std::byte> &bytes, const std::string &label) {
  const std::string name = ("graphc:" + label).substr(0, 200);
  int fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (fd < 0)
    fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return false;
  void *address = MAP_FAILED;
  if (writeAll(fd, bytes)) {
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    address = mmap(nullptr, size_, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  }
  const int error = errno;
  close(fd);
  errno = error;
  if (address == MAP_FAILED)
    return false;
  base_ = address;
  return true;
}

bool LoadedCode::mapAnonymous(const std::vector<std::byte> &bytes) {
  void *address = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return false;
  std::memcpy(address, bytes.data(), size_);
  if (mprotect(address, size_, PROT_READ | PROT_EXEC) != 0) {
    const int error = errno;
    munmap(address, size_);
    errno = error;
    return false;
  }
  base_ = address;
  return true;
}

LoadedCode::~LoadedCode() {
  if (base_)
    munmap(base_, size_);
}

graphc_kernel LoadedCode::kernel(uint64_t entry) const {
  return reinterpret_cast<graphc_kernel>(static_cast<std::byte *>(base_) + entry);
}

} // namespace graphc::runtime
