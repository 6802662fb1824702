//===- KernelDialect.td - one kernel, described once ----------------------===//
//
// A kernel.func is what one launch computes, for every target. It has a parallel `grid`; its body is what one grid point does, in straight
// line: loads through access maps, scalar ops, and stages over an inner domain.
//
//   kernel.func @softmax(%x: tensor<8x512xf32>) outs(%y: tensor<8x512xf32>) grid(%r : 8) {
//     %m = kernel.reduce [max] over (%k : 512) -> f32 {
//       %v = kernel.load %x[(%r, %k)] : tensor<8x512xf32>
//       kernel.yield %v : f32
//     }
//     …
//     kernel.map (%k : 512) {
//       …
//       kernel.store %q, %y[(%r, %k)] : f32, tensor<8x512xf32>
//     }
//   }
//
// Roots by shape of the body (`FuncOp::getRoot`): pointwise (no stage), reduce (kernel.reduce), row (kernel.map), contraction (kernel.contract). Stages nest only as
// reduce/map in the body or inside each other's regions; a contraction stands alone in the body. Views, pads, broadcasts and concats are access maps and masks.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_KERNEL_KERNELDIALECT_TD
#define GRAPHC_IR_KERNEL_KERNELDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::graphc::kernel";
  let summary = "Kernels: domain, access maps, stages and scalar bodies";
  let dependentDialects = ["::graphc::scalar::ScalarDialect", "::graphc::graph::GraphDialect"];
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_Scalar : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8]>;

def Kernel_Monoid : I32EnumAttr<"Monoid", "associative combination with a neutral element", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"prod", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>,
    I32EnumAttrCase<"any", 4>, I32EnumAttrCase<"all", 5>, I32EnumAttrCase<"argmax", 6>, I32EnumAttrCase<"argmin", 7>]> {
  let cppNamespace = "::graphc::kernel";
}
def Kernel_Routine : I32EnumAttr<"Routine", "routine of the runtime", [
    I32EnumAttrCase<"cumsum", 0>, I32EnumAttrCase<"cumprod", 1>, I32EnumAttrCase<"logcumsumexp", 2>, I32EnumAttrCase<"cummax", 3>,
    I32EnumAttrCase<"cummin", 4>, I32EnumAttrCase<"sort", 5>, I32EnumAttrCase<"scatter", 6>,
    I32EnumAttrCase<"eliminate", 7>, I32EnumAttrCase<"cholesky", 8>]> {
  let cppNamespace = "::graphc::kernel";
}
def Kernel_MonoidArray : TypedArrayAttrBase<Kernel_Monoid, "monoids">;

#endif // GRAPHC_IR_KERNEL_KERNELDIALECT_TD
