// What a .pt2 archive holds besides the program: which layout, the program's JSON, and the weights by name.
//
// Input: a zip archive of layout A (torch up to 2.7), B (2.8) or C (2.9 on). Output: the JSON text and TensorData whose bytes lie
// in the mapped file where they are aligned. Every view has been checked against the size of its record. For example
// tensor("encoder.bias").
#ifndef GRAPHC_FRONTEND_PT2_PT2ARCHIVE_H
#define GRAPHC_FRONTEND_PT2_PT2ARCHIVE_H

#include "frontend/SourceGraph.h"
#include "frontend/pt2/Json.h"
#include "frontend/zip/ZipArchive.h"

#include "llvm/ADT/StringMap.h"

namespace graphc::frontend::pt2 {

/// A tensor's meta as the schema writes it, with static sizes.
llvm::Expected<TensorData> staticTensor(const llvm::json::Object &meta);
/// The dtype behind the schema's number (7 is float32); nullopt for complex and 8-bit float ones.
std::optional<ScalarType> scalarTypeFromSchema(int64_t number);
/// "float32", … for any number the schema has; "dtype 99" for others.
std::string scalarTypeTextFromSchema(int64_t number);

class Pt2Archive {
public:
  /// Errors: not a .pt2, another byte order or archive version, no program or several, damaged pickles.
  static llvm::Expected<std::unique_ptr<Pt2Archive>> open(llvm::StringRef path);

  /// The program's JSON text.
  llvm::StringRef program() const { return programText; }

  /// A parameter, buffer or constant by name. Errors name it: missing, pickled, shorter than its meta says, damaged.
  llvm::Expected<TensorData> tensor(llvm::StringRef name);

private:
  explicit Pt2Archive(std::shared_ptr<const ZipArchive> zip) : zip(std::move(zip)) {}
  llvm::Error checkFormat();
  llvm::Error readOldLayout();
  llvm::Error readPickled(llvm::StringRef name);
  llvm::Error readProgram();
  llvm::Error readConfigs();
  llvm::Error readConfig(llvm::StringRef folder, llvm::StringRef suffix);
  llvm::Expected<std::string> readText(llvm::StringRef name, uint64_t maxSize);
  llvm::Expected<std::shared_ptr<const Storage>> storage(const ZipEntry &entry, uint64_t neededBytes);

  struct Record {
    std::string entryName;
    bool isPickled = false;
    llvm::json::Object meta;
  };

  std::shared_ptr<const ZipArchive> zip;
  std::string root; // "model/"
  std::string modelName, programText;
  llvm::StringMap<Record> records;
  llvm::StringMap<std::shared_ptr<const Storage>> storages;
  llvm::StringMap<TensorData> pickled; // layouts A and B
};

} // namespace graphc::frontend::pt2

#endif // GRAPHC_FRONTEND_PT2_PT2ARCHIVE_H
