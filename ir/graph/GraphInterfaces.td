//===- GraphInterfaces.td - what passes may ask of a graph op -------------===//
#ifndef GRAPHC_IR_GRAPH_GRAPHINTERFACES_TD
#define GRAPHC_IR_GRAPH_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def Graph_OpInterface : OpInterface<"GraphOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = "The mandatory facts of every graph op, from its ODS record.";
  let methods = [
    StaticInterfaceMethod<"ATen base names, comma separated", "::llvm::StringRef", "getAtenNames">,
    StaticInterfaceMethod<"how it fuses", "::graphc::graph::FusionKind", "getFusionKind">,
    StaticInterfaceMethod<"what autocast does", "::graphc::graph::AutocastClass", "getAutocastClass">,
    StaticInterfaceMethod<"how it meets layouts", "::graphc::graph::LayoutBehaviour", "getLayoutBehaviour">,
    StaticInterfaceMethod<"derivative rule", "::llvm::StringRef", "getDerivativeRule">,
  ];
}

def Graph_PointwiseInterface : OpInterface<"PointwiseOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    One output element from one element of each operand, operands broadcast by PyTorch's rule. The body sees elements in compute type
    (f32 for 16-bit floats) and returns the element in the compute type of the result's element type.
  }];
  let methods = [
    InterfaceMethod<"emits the scalar body", "::mlir::Value", "buildBody",
                    (ins "::graphc::scalar::ScalarBuilder &":$b, "::mlir::ValueRange":$x)>,
  ];
}

def Graph_ElementInterface : OpInterface<"ElementOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    Ops that can say one element of a result as kernel-dialect code: pointwise ops, views, gathers, reductions, normalisations, windows. OutlineKernels
    builds fused kernels by asking the last op for an element, which asks its operands for theirs (ir/kernel/ElementEmitter.h).
  }];
  let methods = [
    InterfaceMethod<"emits result number `result` at `index` (one expression per dim)", "::mlir::Value", "emitElement",
                    (ins "::graphc::kernel::ElementEmitter &":$emitter, "unsigned":$result,
                         "::llvm::ArrayRef<::mlir::AffineExpr>":$index)>,
    InterfaceMethod<[{dims of the result along which elements share row statistics: they become the inner domain of a row kernel. Empty for most ops}],
                    "::llvm::SmallVector<int64_t>", "getRowDims", (ins), "", "return {};">,
  ];
}

def Graph_ContractionInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = "Ops that are a sum of products over lhs and rhs: they become kernel.contract.";
  let methods = [
    InterfaceMethod<"grid, m, n and k extents and the access maps", "::graphc::kernel::ContractionSpec", "getContraction">,
    InterfaceMethod<[{a pointwise tail of the op itself (bias): the result element from the accumulator `acc` at result index `index`}], "::mlir::Value", "emitTail",
                    (ins "::graphc::kernel::ElementEmitter &":$emitter, "::mlir::Value":$acc, "::llvm::ArrayRef<::mlir::AffineExpr>":$index)>,
  ];
}

#endif // GRAPHC_IR_GRAPH_GRAPHINTERFACES_TD
