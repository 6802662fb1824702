// Links objects into an image with lld in process, and checks that the image needs nothing from outside. See Backend.h.
#include "codegen/cpu/Backend.h"
#include "ir/support/Check.h"
#include "runtime/plan/CodeImage.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace graphc;
using namespace graphc::cpu;

namespace {

/// A temporary folder, removed with what is in it.
class TemporaryFolder {
public:
  std::error_code create() { return llvm::sys::fs::createUniqueDirectory("graphc-link", path); }
  ~TemporaryFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(const std::string &name) const { return (path + "/" + name).str(); }

private:
  llvm::SmallString<128> path;
};

llvm::Error writeFile(const std::string &path, llvm::ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os.write(bytes.data(), bytes.size());
    os.close();
    error = os.error();
    os.clear_error();
  }
  return error ? llvm::createStringError(error, "cannot write " + path + ": " + error.message()) : llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<std::byte>> graphc::cpu::linkImage(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects) {
  static std::mutex mutex; // lld keeps global state
  TemporaryFolder folder;
  if (std::error_code error = folder.create())
    return llvm::createStringError(error, "cannot make a temporary folder for the linker: " + error.message());
  std::string out = folder.file("image.so");
  std::vector<std::string> arguments = {"ld.lld",          "-shared",     "--no-rosegment",      "-z",        "norelro",
                                        "-z",              "noseparate-code", "--hash-style=sysv", "--build-id=none",
                                        "--no-undefined",  "-Bsymbolic",  "-s",                  "--threads=1", "-o", out};
  for (auto [i, object] : llvm::enumerate(objects)) {
    arguments.push_back(folder.file("kernels" + std::to_string(i) + ".o"));
    if (llvm::Error error = writeFile(arguments.back(), object))
      return error;
  }
  std::string text;
  llvm::raw_string_ostream log(text);
  lld::Result result{};
  {
    std::lock_guard lock(mutex);
    std::vector<const char *> argv;
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    result = lld::lldMain(argv, log, log, {{lld::Gnu, &lld::elf::link}});
  }
  GRAPHC_CHECK(result.retCode == 0, ("generated code does not link: " + text).c_str());
  auto buffer = llvm::MemoryBuffer::getFile(out, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read the linker's output: " + buffer.getError().message());
  const auto *data = reinterpret_cast<const std::byte *>((*buffer)->getBufferStart());
  std::vector<std::byte> image(data, data + (*buffer)->getBufferSize());
  std::string why;
  GRAPHC_CHECK(graphc::CodeImage::parse(image, why), ("generated code is no self-contained image: " + why).c_str());
  return image;
}
