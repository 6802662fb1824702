// Memory of a context that grows and never shrinks: the arena, own outputs, copies of inputs, state, scratch. Page aligned.
// Guarded storage (arena mode off) lies between two inaccessible pages, its end as near to the second as its alignment allows;
// what is left beside it holds a pattern.
//
//   Storage storage;             // or Storage::guarded(alignment)
//   storage.reserve(bytes);      // may move; the content is kept up to the old size
//   std::byte *p = storage.data();
#ifndef GRAPHC_RUNTIME_EXEC_STORAGE_H
#define GRAPHC_RUNTIME_EXEC_STORAGE_H

#include <cstddef>
#include <cstdint>

namespace graphc::runtime {

class Storage {
public:
  Storage() = default;
  /// alignment: what its users rely on, a power of two, at most a page. Sizes that are no multiple of it leave up to alignment - 1 bytes
  /// before the inaccessible page.
  static Storage guarded(size_t alignment);
  ~Storage() { release(); }
  Storage(Storage &&other) noexcept;
  Storage &operator=(Storage &&other) noexcept;
  Storage(const Storage &) = delete;

  /// At least this many bytes from now on. Throws std::bad_alloc and then keeps what it had.
  void reserve(size_t bytes);
  /// Zeroes the first bytes, which must have been reserved. Large ones are given back to the system, not written.
  void zero(size_t bytes);
  /// Guarded only: what is there now may be read but not written from now on.
  void protect();
  /// Never null: storage of 0 bytes has an address that may not be read.
  std::byte *data() const { return data_ ? data_ : empty(); }
  size_t capacity() const { return capacity_; }
  /// Bytes taken from the system.
  size_t footprint() const { return mappedBytes_; }
  /// Guarded only: false where somebody wrote between the storage and the inaccessible pages.
  bool slackIntact() const;

private:
  static std::byte *empty();
  void release();
  void placeBetweenGuards(size_t bytes);

  size_t guardAlignment_ = 0; // 0: not guarded
  std::byte *data_ = nullptr;
  size_t capacity_ = 0;
  void *mapped_ = nullptr;
  size_t mappedBytes_ = 0;
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_STORAGE_H
