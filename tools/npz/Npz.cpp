// .npz and .npy files by path; see Npz.h. An .npz is a zip whose members are .npy files.
#include "tools/npz/Npz.h"
#include "tools/driver/Failure.h"
#include "tools/driver/OutputFile.h"
#include "tools/npz/Npy.h"
#include "tools/npz/Zip.h"
#include "llvm/ADT/StringRef.h"

namespace graphc::npz {

llvm::Expected<std::vector<NamedArray>> readNpz(const std::string &path) {
  llvm::Expected<std::vector<std::byte>> file = driver::readFile(path);
  if (!file)
    return file.takeError();
  llvm::Expected<std::vector<ZipMember>> members = readZip(*file, path);
  if (!members)
    return members.takeError();
  std::vector<NamedArray> arrays;
  for (const ZipMember &member : *members) {
    llvm::StringRef name(member.name);
    if (!name.consume_back(".npy"))
      return driver::failure(driver::ExitStatus::Model, "'" + path + "': member '" + member.name +
                                                            "' is no .npy array; expected what numpy.savez writes");
    llvm::Expected<Array> array = parseNpy(member.data, "'" + name.str() + "' in '" + path + "'");
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
