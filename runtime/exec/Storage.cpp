// mmap for all of it: zeroed, page aligned, and given back as a whole. Blocks of 2 MiB and more ask for huge pages.
#include "runtime/exec/Storage.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace graphc::runtime {
namespace {

constexpr size_t hugePage = size_t(2) << 20;
constexpr std::byte slackPattern{0xC5};

size_t roundUp(size_t bytes, size_t unit) {
  if (bytes > SIZE_MAX - unit)
    throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

size_t pageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

} // namespace

std::byte *Storage::empty() {
  alignas(64) static std::byte nothing[64];
  return nothing;
}

Storage Storage::guarded(size_t alignment) {
  Storage storage;
  storage.guardAlignment_ = alignment;
  return storage;
}

Storage::Storage(Storage &&other) noexcept { *this = std::move(other); }

Storage &Storage::operator=(Storage &&other) noexcept {
  std::swap(guardAlignment_, other.guardAlignment_);
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(mapped_, other.mapped_);
  std::swap(mappedBytes_, other.mappedBytes_);
  return *this;
}

void Storage::release() {
  if (mapped_)
    munmap(mapped_, mappedBytes_);
}

void Storage::reserve(size_t bytes) {
  if (bytes <= capacity_ && (data_ || (bytes == 0 && !guardAlignment_)))
    return;
  const size_t page = pageSize(), usable = roundUp(bytes, bytes >= hugePage ? hugePage : page);
  Storage grown;
  grown.guardAlignment_ = guardAlignment_;
  grown.mappedBytes_ = guardAlignment_ ? roundUp(bytes, page) + 2 * page : usable;
  grown.mapped_ = mmap(nullptr, grown.mappedBytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (grown.mapped_ == MAP_FAILED) {
    grown.mapped_ = nullptr;
    throw std::bad_alloc();
  }
  auto *base = static_cast<std::byte *>(grown.mapped_);
  if (guardAlignment_) {
    grown.placeBetweenGuards(bytes);
  } else {
    if (usable >= hugePage)
      madvise(base, usable, MADV_HUGEPAGE);
    grown.data_ = base;
    grown.capacity_ = usable;
  }
  if (data_)
    std::memcpy(grown.data_, data_, std::min(capacity_, grown.capacity_));
  *this = std::move(grown);
}

void Storage::placeBetweenGuards(size_t bytes) {
  const size_t page = pageSize();
  auto *base = static_cast<std::byte *>(mapped_);
  std::byte *begin = base + page, *end = base + mappedBytes_ - page;
  if (mprotect(base, page, PROT_NONE) != 0 || mprotect(end, page, PROT_NONE) != 0)
    throw std::bad_alloc();
  data_ = end - roundUp(bytes, guardAlignment_);
  capacity_ = bytes;
  std::fill(begin, data_, slackPattern);
  std::fill(data_ + bytes, end, slackPattern);
}

void Storage::protect() {
  if (guardAlignment_ && capacity_ > 0 &&
      mprotect(static_cast<std::byte *>(mapped_) + pageSize(), mappedBytes_ - 2 * pageSize(), PROT_READ) != 0)
    throw std::bad_alloc();
}

void Storage::zero(size_t bytes) {
  if (bytes >= hugePage && !guardAlignment_ && madvise(mapped_, mappedBytes_, MADV_DONTNEED) == 0)
    return;
  if (bytes > 0)
    std::memset(data_, 0, bytes);
}

bool Storage::slackIntact() const {
  if (!guardAlignment_ || !mapped_)
    return true;
  const auto *base = static_cast<const std::byte *>(mapped_);
  const auto isPattern = [](std::byte b) { return b == slackPattern; };
  return std::all_of(base + pageSize(), static_cast<const std::byte *>(data_), isPattern) &&
         std::all_of(static_cast<const std::byte *>(data_) + capacity_, base + mappedBytes_ - pageSize(), isPattern);
}

} // namespace graphc::runtime
