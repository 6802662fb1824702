// Several indices run as one flat index (the m or n dims of a contraction): merged where all accesses allow it, else taken apart by division.
#ifndef GRAPHC_CODEGEN_CPU_INDEXGROUP_H
#define GRAPHC_CODEGEN_CPU_INDEXGROUP_H

#include "codegen/cpu/LaneEmitter.h"

namespace graphc::cpu {

class IndexGroup {
public:
  /// `ids` outermost first; those of extent 1 count as 0. `canMerge`: the last index may run over all of them.
  IndexGroup(IndexSpace &space, LaneEmitter &lanes, llvm::ArrayRef<unsigned> ids, bool canMerge);
  /// `isAligned`: the flat index is consecutive from a multiple of the lanes on, and `staysInside(lanes.width)`; only scalars are divided then.
  void set(IndexLanes flat, bool isAligned = false);
  /// The index that moves with the flat one by 1 as long as no boundary is crossed; none in an empty group.
  std::optional<unsigned> last() const { return ids.empty() ? std::nullopt : std::optional(ids.back()); }
  bool isSimple() const { return ids.size() <= 1 || isMerged; }
  /// Whether aligned vectors of `width` lanes never cross a boundary of the last index.
  bool staysInside(unsigned width) const;
  bool hasConstantExtents() const;

private:
  IndexSpace &space;
  LaneEmitter &lanes;
  llvm::SmallVector<unsigned> ids, zero;
  bool isMerged;
  unsigned flatId;
};

} // namespace graphc::cpu

#endif // GRAPHC_CODEGEN_CPU_INDEXGROUP_H
