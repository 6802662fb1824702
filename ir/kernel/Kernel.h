// C++ side of the kernel dialect: see KernelDialect.td.
#ifndef GRAPHC_IR_KERNEL_KERNEL_H
#define GRAPHC_IR_KERNEL_KERNEL_H

#include "ir/graph/Graph.h"
#include "ir/kernel/KernelEnums.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "ir/kernel/KernelDialect.h.inc"
#define GET_OP_CLASSES
#include "ir/kernel/KernelOps.h.inc"

namespace graphc::kernel {

/// The monoids of a kernel.reduce as enum values.
llvm::SmallVector<Monoid> getMonoids(ReduceOp op);
/// The element of `monoid` that changes nothing, as an attribute of `type` (float or integer): 0, 1, -inf, …
mlir::TypedAttr getNeutralElement(Monoid monoid, mlir::Type type);
/// How many yielded values (and results) a monoid takes: 2 for argmax and argmin, else 1.
inline unsigned getArity(Monoid monoid) { return monoid == Monoid::argmax || monoid == Monoid::argmin ? 2 : 1; }
/// Creates a kernel.reduce/kernel.map with an empty region whose block has one index argument per extent.
ReduceOp createReduce(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<graph::DimAttr> extents,
                      llvm::ArrayRef<Monoid> monoids, mlir::TypeRange resultTypes);
MapOp createMap(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<graph::DimAttr> extents);

} // namespace graphc::kernel

#endif // GRAPHC_IR_KERNEL_KERNEL_H
