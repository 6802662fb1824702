// An operand of a contraction as a matrix, read without evaluating its access map element by element.
//
// Where map and mask are linear, the place of element (r, k) is a sum of what row r and column k add to it: two tables instead of rows * depth
// evaluations. A row that no mask touches is one gather.
//
//   auto reader = MatrixReader::create(map, mask, {grid, symbols, rows, depth, sizes});
//   if (reader) reader->read(elements, begin, count, out);
#ifndef GRAPHC_IR_INTERPRETER_MATRIXREADER_H
#define GRAPHC_IR_INTERPRETER_MATRIXREADER_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

#include <string>
#include <vector>

namespace graphc::interpreter {

/// The map's dims are the grid's, then those of the rows, then those of the depth.
struct MatrixDomain {
  llvm::ArrayRef<int64_t> gridPoint, symbols, rows, depth; // values, values, extents, extents
  llvm::ArrayRef<int64_t> sizes;                           // of the operand
};

class MatrixReader {
public:
  /// nullopt where the map or the mask isn't linear in rows and depth.
  static std::optional<MatrixReader> create(mlir::AffineMap map, std::optional<mlir::IntegerSet> mask, const MatrixDomain &domain);

  /// Rows [begin, begin + count) into `out`, zeros where the mask doesn't hold. The text of an error where the map leaves the operand.
  template <class Element> std::string read(const std::vector<Element> &elements, int64_t begin, int64_t count, Element *out) const;

private:
  /// low <= row[r] + depth[k] <= high.
  struct Condition {
    std::vector<int64_t> row, depth;
    int64_t low = 0, high = 0, least = 0, most = 0; // least, most: of `depth`
    int64_t dim = -1;                               // an index that must be inside this dim; -1: of the mask

    bool holds(int64_t r, int64_t k) const { return row[r] + depth[k] >= low && row[r] + depth[k] <= high; }
    bool holdsForAll(int64_t r) const { return row[r] + least >= low && row[r] + most <= high; }
    bool isNeeded() const;
  };
  Condition tabulate(mlir::AffineExpr expression, const MatrixDomain &domain) const;
  void require(Condition condition);
  bool isMasked(int64_t r, int64_t k) const;
  std::string findOutside(int64_t r, int64_t k) const;

  Condition position;
  std::vector<Condition> conditions; // those that don't hold everywhere
};

} // namespace graphc::interpreter

#endif // GRAPHC_IR_INTERPRETER_MATRIXREADER_H
