// Whole-file reading and atomic writing; see OutputFile.h.
#include "tools/driver/OutputFile.h"
#include "tools/driver/Failure.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace graphc::driver {

llvm::Error writeFile(const std::string &path, llvm::StringRef text) {
  auto cannot = [&](const std::string &reason) {
    return failure(ExitStatus::Environment, "cannot write '" + path + "': " + reason);
  };
  if (!llvm::sys::fs::is_regular_file(path) && llvm::sys::fs::exists(path)) { // a pipe, /dev/stdout: nothing to rename
    if (llvm::sys::fs::is_directory(path))
      return cannot("it is a folder");
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    os << text;
    os.close();
    if (!code)
      code = os.error();
    os.clear_error();
    return code ? cannot(code.message()) : llvm::Error::success();
  }
  llvm::Expected<llvm::sys::fs::TempFile> temporary = llvm::sys::fs::TempFile::create(
      path + ".tmp-%%%%%%", llvm::sys::fs::all_read | llvm::sys::fs::all_write);
  if (!temporary)
    return cannot(llvm::toString(temporary.takeError()));
  llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
  os << text;
  os.flush();
  if (std::error_code code = os.error()) {
    os.clear_error();
    llvm::consumeError(temporary->discard());
    return cannot(code.message());
  }
  if (llvm::Error error = temporary->keep(path))
    return cannot(llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error writeFile(const std::string &path, llvm::ArrayRef<std::byte> bytes) {
  return writeFile(path, llvm::StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

llvm::Expected<std::vector<std::byte>> readFile(const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    return failure(ExitStatus::Model, "'" + path + "': no such file");
  if (llvm::sys::fs::is_directory(path))
    return failure(ExitStatus::Model, "'" + path + "' is a folder, expected a file");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failure(ExitStatus::Environment, "cannot read '" + path + "': " + buffer.getError().message());
  const std::byte *begin = reinterpret_cast<const std::byte *>((*buffer)->getBufferStart());
  return std::vector<std::byte>(begin, begin + (*buffer)->getBufferSize());
}

} // namespace graphc::driver
