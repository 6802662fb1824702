// Writes a zip file: what an .npz is made of. Members are stored, not deflated. (frontend/zip reads.)
//
//   writeZip({{"a.npy", bytes}})
#ifndef GRAPHC_TOOLS_NPZ_ZIPWRITER_H
#define GRAPHC_TOOLS_NPZ_ZIPWRITER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphc::npz {

struct ZipMember {
  std::string name;
  std::vector<std::byte> data;
};

/// A zip with the members in the order given, dates fixed: the same members give the same bytes.
std::vector<std::byte> writeZip(const std::vector<ZipMember> &members);

} // namespace graphc::npz

#endif // GRAPHC_TOOLS_NPZ_ZIPWRITER_H
