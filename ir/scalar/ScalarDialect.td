//===- ScalarDialect.td - per-element arithmetic --------------------------===//
//
// The scalar dialect is what one element of a kernel computes. It is small and total: no op has undefined behaviour or
// poison, every op says its edge values and an error bound, and the interpreter and all code generators take the
// per-element code from it. Types: f32, f64, i1 (bool), i8, i16, i32, i64 (signed), ui8, and f16/bf16 only as operand or result of
// scalar.cast (arithmetic on them happens in f32).
//
//   %e = scalar.exp %x : f32
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_SCALAR_SCALARDIALECT_TD
#define GRAPHC_IR_SCALAR_SCALARDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Scalar_Dialect : Dialect {
  let name = "scalar";
  let cppNamespace = "::graphc::scalar";
  let summary = "Per-element arithmetic with defined edge values";
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Scalar_Float : AnyTypeOf<[F32, F64]>;
def Scalar_SignlessInt : AnyTypeOf<[I1, I8, I16, I32, I64, UI8]>;
def Scalar_Number : AnyTypeOf<[F32, F64, I1, I8, I16, I32, I64, UI8]>;
def Scalar_Any : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, Index]>;

// `edges` lists the values at the edges as the reference for the interpreter and for every code generator; `ulpF32` and `ulpF64` bound
// the error of generated code in units in the last place against the exact result ("0.5" is correctly rounded); test/accuracy measures it.
class Scalar_Op<string mnemonic, list<Trait> traits = []> : Op<Scalar_Dialect, mnemonic, traits # [Pure]> {
  string edges = "";
  string ulpF32 = "0.5";
  string ulpF64 = "0.5";
}

class Scalar_Unary<string mnemonic, Type type, string edgeValues, string ulp32 = "0.5", string ulp64 = "0.5">
    : Scalar_Op<mnemonic, [SameOperandsAndResultType]> {
  let edges = edgeValues;
  let ulpF32 = ulp32;
  let ulpF64 = ulp64;
  let description = "Edge values: " # edgeValues # "\n\nError bound: " # ulp32 # " ulp (f32), " # ulp64 # " ulp (f64).";
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class Scalar_Binary<string mnemonic, Type type, string edgeValues, string ulp32 = "0.5", string ulp64 = "0.5",
                    list<Trait> traits = []> : Scalar_Op<mnemonic, traits # [SameOperandsAndResultType]> {
  let edges = edgeValues;
  let ulpF32 = ulp32;
  let ulpF64 = ulp64;
  let description = "Edge values: " # edgeValues # "\n\nError bound: " # ulp32 # " ulp (f32), " # ulp64 # " ulp (f64).";
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

#endif // GRAPHC_IR_SCALAR_SCALARDIALECT_TD
