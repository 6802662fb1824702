// A zip file in memory: members in and out. Enough for .npz: stored and deflated members, zip64, checked sums; no
// encryption, no volumes, no data descriptors without sizes in the central directory.
//
//   for (ZipMember &m : *readZip(bytes)) …         writeZip({{"a.npy", bytes}})
#ifndef GRAPHC_TOOLS_NPZ_ZIP_H
#define GRAPHC_TOOLS_NPZ_ZIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <string>
#include <vector>

namespace graphc::npz {

struct ZipMember {
  std::string name;
  std::vector<std::byte> data;
};

/// Reads all members. `file` names the file in messages. Errors (Model): not a zip, cut short, sizes or offsets that don't
/// fit the file, two members of one name, an unknown method, a wrong sum.
llvm::Expected<std::vector<ZipMember>> readZip(llvm::ArrayRef<std::byte> file, const std::string &name);

/// A zip with the members stored in the order given, dates fixed: the same members give the same bytes.
std::vector<std::byte> writeZip(const std::vector<ZipMember> &members);

} // namespace graphc::npz

#endif // GRAPHC_TOOLS_NPZ_ZIP_H
