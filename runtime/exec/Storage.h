// Memory of a context that grows and never shrinks: the arena, own outputs, copies of inputs, state, scratch. Aligned to 64
// bytes (large ones to pages). Guarded storage (arena mode off) ends at an inaccessible page and is preceded by one.
//
//   Storage storage(guarded);
//   storage.reserve(bytes);      // may move; the content is kept up to the old size
//   std::byte *p = storage.data();
#ifndef GRAPHC_RUNTIME_EXEC_STORAGE_H
#define GRAPHC_RUNTIME_EXEC_STORAGE_H

#include <cstddef>
#include <cstdint>

namespace graphc::runtime {

class Storage {
public:
  explicit Storage(bool guarded = false) : guarded_(guarded) {}
  ~Storage() { release(); }
  Storage(Storage &&other) noexcept;
  Storage &operator=(Storage &&other) noexcept;
  Storage(const Storage &) = delete;

  /// At least this many bytes from now on. Throws std::bad_alloc and then keeps what it had.
  void reserve(size_t bytes);
  /// Zeroes the first bytes, which must have been reserved. Large ones are given back to the system, not written.
  void zero(size_t bytes);
  /// Never null: storage of 0 bytes has an address that may not be read.
  std::byte *data() const { return data_ ? data_ : empty(); }
  size_t capacity() const { return capacity_; }
  /// Bytes taken from the system.
  size_t footprint() const { return mappedBytes_; }
  /// Guarded only: false where somebody wrote into the up to 63 bytes between the end and the inaccessible page.
  bool slackIntact() const;

private:
  static std::byte *empty();
  void release();

  bool guarded_;
  std::byte *data_ = nullptr;
  size_t capacity_ = 0;
  void *mapped_ = nullptr;
  size_t mappedBytes_ = 0;
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_EXEC_STORAGE_H
