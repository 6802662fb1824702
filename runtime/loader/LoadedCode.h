// The code of one level in memory that is readable and executable and was never writable at that address: a sealed memfd,
// mapped; where the system has none, anonymous memory made read-execute after it was filled.
#ifndef GRAPHC_RUNTIME_LOADER_LOADEDCODE_H
#define GRAPHC_RUNTIME_LOADER_LOADEDCODE_H

#include "runtime/plan/CodeImage.h"
#include "runtime/plan/KernelAbi.h"

#include <string>

namespace graphc::runtime {

class LoadedCode {
public:
  /// Copies the image. `label` shows in /proc/self/maps. Throws Failure MEMORY or UNSUPPORTED.
  LoadedCode(const CodeImage &image, const std::string &label);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  /// The kernel at this address of the image, which CodeImage::isCode has accepted.
  graphc_kernel kernel(uint64_t entry) const;
  uint64_t size() const { return size_; }

private:
  bool mapMemfd(const std::vector<std::byte> &bytes, const std::string &label);
  bool mapAnonymous(const std::vector<std::byte> &bytes);

  void *base_ = nullptr;
  uint64_t size_ = 0;
};

} // namespace graphc::runtime

#endif // GRAPHC_RUNTIME_LOADER_LOADEDCODE_H
