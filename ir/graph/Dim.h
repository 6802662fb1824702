// Integer expressions over symbolic dims (#graph.dim) and the #graph.info encoding, with the functions that read both off tensor types.
#ifndef GRAPHC_IR_GRAPH_DIM_H
#define GRAPHC_IR_GRAPH_DIM_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace graphc::graph {
enum class DimKind { Constant, Symbol, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max, Shl, Shr, Select };
enum class DimPredicate { Eq, Ne, Lt, Le, Gt, Ge };
} // namespace graphc::graph

#include "ir/graph/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/graph/GraphAttrs.h.inc"

namespace graphc::graph {

/// Dim `i` of `type`: its expression, or the constant of a static dim.
DimAttr getDim(mlir::RankedTensorType type, unsigned i);
llvm::SmallVector<DimAttr> getDims(mlir::RankedTensorType type);
/// The physical order, outermost first; 0, 1, 2, … where the type says nothing.
llvm::SmallVector<int64_t> getOrder(mlir::RankedTensorType type);
/// A tensor type in canonical form: no encoding where all dims are constant and the order is the default one (or empty).
mlir::RankedTensorType getTensorType(llvm::ArrayRef<DimAttr> dims, mlir::Type elementType, llvm::ArrayRef<int64_t> order = {});
/// The product of all dims.
DimAttr getNumElements(mlir::RankedTensorType type);
/// Strides in elements of the physical order, as expressions, by logical dim.
llvm::SmallVector<DimAttr> getStrides(mlir::RankedTensorType type);

/// An attribute array of expressions, as ops' `shape`, `starts`, `low` … take it, and back.
mlir::ArrayAttr makeDimArray(mlir::MLIRContext *context, llvm::ArrayRef<DimAttr> dims);
mlir::ArrayAttr makeDimArray(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> dims);
llvm::SmallVector<DimAttr> getDimArray(mlir::ArrayAttr dims);
/// "==", "!=", "<", "<=", ">", ">="; nullopt for other texts.
std::optional<DimPredicate> parsePredicate(llvm::StringRef text);
/// Whether `a predicate b`.
bool holds(DimPredicate predicate, int64_t a, int64_t b);

/// Whether the dim is the given constant.
inline bool isConstant(DimAttr dim, int64_t value) { return dim.isConstant() && dim.getValue() == value; }

inline DimAttr operator+(DimAttr a, DimAttr b) { return DimAttr::binary(DimKind::Add, a, b); }
inline DimAttr operator-(DimAttr a, DimAttr b) { return DimAttr::binary(DimKind::Sub, a, b); }
inline DimAttr operator*(DimAttr a, DimAttr b) { return DimAttr::binary(DimKind::Mul, a, b); }
inline DimAttr operator+(DimAttr a, int64_t b) { return a + DimAttr::constant(a.getContext(), b); }
inline DimAttr operator-(DimAttr a, int64_t b) { return a - DimAttr::constant(a.getContext(), b); }
inline DimAttr operator*(DimAttr a, int64_t b) { return a * DimAttr::constant(a.getContext(), b); }
inline DimAttr floorDiv(DimAttr a, int64_t b) { return DimAttr::binary(DimKind::FloorDiv, a, DimAttr::constant(a.getContext(), b)); }

} // namespace graphc::graph

#endif // GRAPHC_IR_GRAPH_DIM_H
