// C++ side of the scalar dialect: see ScalarDialect.td.
#ifndef GRAPHC_IR_SCALAR_SCALAR_H
#define GRAPHC_IR_SCALAR_SCALAR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/scalar/ScalarDialect.h.inc"
#include "ir/scalar/ScalarEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/scalar/ScalarAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/scalar/ScalarOps.h.inc"

#endif // GRAPHC_IR_SCALAR_SCALAR_H
