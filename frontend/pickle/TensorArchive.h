// Tensors in the archives that torch.save and TorchScript write: a pickle whose tensors refer to storages beside it.
//
// Input: a zip archive, the name of the pickle in it and the folder of the storages. Output: names to tensors ("state dict") or
// one nested value, with tensors as views of the mapped bytes. Only containers and torch's own rebuilding of plain tensors
// are understood; any other class is an error that names it.
#ifndef GRAPHC_FRONTEND_PICKLE_TENSORARCHIVE_H
#define GRAPHC_FRONTEND_PICKLE_TENSORARCHIVE_H

#include "frontend/SourceGraph.h"
#include "frontend/pickle/Pickle.h"
#include "frontend/zip/ZipArchive.h"

#include "llvm/ADT/StringMap.h"

namespace graphc::frontend {

/// The bytes of an entry, checked against its CRC: a view of the archive, or a copy where they are deflated or lie unaligned
/// for their elements (torch aligns them to 64 bytes; other zip tools don't).
llvm::Expected<std::shared_ptr<const Storage>> readStorage(const std::shared_ptr<const ZipArchive> &zip,
                                                           const ZipEntry &entry);

/// The dtype that "torch.FloatStorage", … in a tensor's persistent id stands for.
std::optional<ScalarType> scalarTypeOfStorage(llvm::StringRef name);

class TensorArchive {
public:
  /// \p pickle is an entry name such as "archive/data.pkl", \p storageFolder such as "archive/data/".
  static llvm::Expected<std::unique_ptr<TensorArchive>> open(std::shared_ptr<const ZipArchive> zip,
                                                             const std::string &pickle, std::string storageFolder);
  /// A file of torch.save, whatever its root folder is called.
  static llvm::Expected<std::unique_ptr<TensorArchive>> openSaved(std::shared_ptr<const ZipArchive> zip);

  /// The pickle as one dict of names to tensors. Values of other kinds are errors that name the key.
  llvm::Expected<llvm::StringMap<TensorData>> stateDict();
  /// The pickle as a constant: None, numbers, strings, tensors, lists, tuples, dicts of them.
  llvm::Expected<Constant> constant();

private:
  explicit TensorArchive(std::shared_ptr<const ZipArchive> zip, std::string folder, PickleDocument document)
      : zip(std::move(zip)), folder(std::move(folder)), document(std::move(document)) {}

  /// The tensor that a value rebuilds; a TensorData without storage where the value isn't a tensor.
  llvm::Expected<TensorData> tensor(PickleId id, unsigned depth);
  llvm::Error fillStorage(TensorData &tensor, PickleId persistent);
  llvm::Expected<Constant> convert(PickleId id, unsigned depth);
  llvm::Expected<Constant> convertList(const PickleValue &value, ConstantList::Kind kind, unsigned depth);
  /// The dict itself, or the items of an OrderedDict(); null for anything else.
  const PickleValue *dictOf(PickleId id) const;
  bool isCallOf(const PickleValue &value, llvm::StringRef name) const;

  std::shared_ptr<const ZipArchive> zip;
  std::string folder;
  PickleDocument document;
  llvm::StringMap<std::shared_ptr<const Storage>> storages;
  size_t converted = 0;
};

} // namespace graphc::frontend

#endif // GRAPHC_FRONTEND_PICKLE_TENSORARCHIVE_H
