// The monoids of kernel.reduce, apart from the dialect so that ElementEmitter.h needs no more.
#ifndef GRAPHC_IR_KERNEL_KERNELENUMS_H
#define GRAPHC_IR_KERNEL_KERNELENUMS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "ir/kernel/KernelEnums.h.inc"

#endif // GRAPHC_IR_KERNEL_KERNELENUMS_H
