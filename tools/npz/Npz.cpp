// .npz and .npy files by path; see Npz.h. An .npz is a zip whose members are .npy files.
#include "tools/npz/Npz.h"
#include "frontend/zip/ZipArchive.h"
#include "tools/driver/Failure.h"
#include "tools/driver/OutputFile.h"
#include "tools/npz/Npy.h"
#include "tools/npz/ZipWriter.h"
#include "llvm/ADT/StringRef.h"

namespace graphc::npz {
namespace {

/// Arrays may be larger than what a model file's deflated entries are.
constexpr frontend::ZipLimits limits = {1 << 20, 4096, uint64_t(64) << 30, 1100};

/// The zip reader's message behind the file's name.
llvm::Error named(const std::string &path, llvm::Error error) {
  return driver::failure(driver::ExitStatus::Model,
                         "'" + path + "': " + llvm::toString(std::move(error)) + "; expected an .npz as numpy.savez writes it");
}

} // namespace

llvm::Expected<std::vector<NamedArray>> readNpz(const std::string &path) {
  llvm::Expected<std::shared_ptr<const frontend::ZipArchive>> archive = frontend::ZipArchive::open(path, limits);
  if (!archive)
    return named(path, archive.takeError());
  std::vector<NamedArray> arrays;
  for (const frontend::ZipEntry &entry : (*archive)->entries()) {
    llvm::StringRef name(entry.name);
    if (!name.consume_back(".npy"))
      return driver::failure(driver::ExitStatus::Model, "'" + path + "': member '" + entry.name +
                                                            "' is no .npy array; expected what numpy.savez writes");
    llvm::Expected<std::string> bytes = (*archive)->read(entry);
    if (!bytes)
      return named(path, bytes.takeError());
    llvm::ArrayRef<std::byte> view(reinterpret_cast<const std::byte *>(bytes->data()), bytes->size());
    llvm::Expected<Array> array = parseNpy(view, "'" + name.str() + "' in '" + path + "'");
    if (!array)
      return array.takeError();
    arrays.push_back({name.str(), std::move(*array)});
  }
  return arrays;
}

llvm::Expected<Array> readNpy(const std::string &path) {
  llvm::Expected<std::vector<std::byte>> file = driver::readFile(path);
  if (!file)
    return file.takeError();
  return parseNpy(*file, "'" + path + "'");
}

llvm::Error writeNpz(const std::string &path, const std::vector<NamedArray> &arrays) {
  std::vector<ZipMember> members;
  for (const NamedArray &entry : arrays)
    members.push_back({entry.name + ".npy", formatNpy(entry.array)});
  return driver::writeFile(path, llvm::ArrayRef<std::byte>(writeZip(members)));
}

} // namespace graphc::npz
