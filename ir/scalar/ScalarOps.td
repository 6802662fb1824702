//===- ScalarOps.td - the scalar op table ---------------------------------===//
//
// One record an op: its edge values and error bounds are the table that tests and code generators go by. "x86 eager" means
// what PyTorch's CPU kernels do on x86-64.
//
//===----------------------------------------------------------------------===//
include "ir/scalar/ScalarDialect.td"

//===-- constants, casts, selection ---------------------------------------===//

def Scalar_ConstantOp : Scalar_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A constant";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Scalar_Number:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Scalar_CastOp : Scalar_Op<"cast"> {
  let summary = "Conversion between any two scalar types";
  let description = [{
    float to float: round to nearest even, NaN stays NaN (quiet), overflow gives infinity. int to float: round to nearest even.
    float to int: truncation; out of range and NaN give what cvttss2si/cvttsd2si gives for i32 and i64 (the most negative value);
    narrower ints and ui8 take the low bits of the i64 (for ui8 and i8/i16: of the i32) conversion. anything to i1: x != 0 (NaN is true). int to int: low bits.
    index to i64 and back: the value. f16 and bf16 appear only here.
  }];
  let arguments = (ins Scalar_Any:$x);
  let results = (outs Scalar_Any:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let hasFolder = 1;
}

def Scalar_SelectOp : Scalar_Op<"select", [AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "onTrue where the condition holds, else onFalse; both are evaluated";
  let arguments = (ins I1:$condition, Scalar_Any:$onTrue, Scalar_Any:$onFalse);
  let results = (outs Scalar_Any:$result);
  let assemblyFormat = "$condition `,` $onTrue `,` $onFalse attr-dict `:` type($result)";
}

//===-- comparison ---------------------------------------------------------===//

def Scalar_Predicate : I32EnumAttr<"Predicate", "comparison", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::graphc::scalar";
  let genSpecializedAttr = 0;
}
def Scalar_PredicateAttr : EnumAttr<Scalar_Dialect, Scalar_Predicate, "predicate">;

def Scalar_CompareOp : Scalar_Op<"compare", [SameTypeOperands]> {
  let summary = "Comparison";
  let description = "NaN compares unequal to all: ne is true, every other predicate is false. -0 equals +0. ui8 compares unsigned.";
  let arguments = (ins Scalar_PredicateAttr:$predicate, Scalar_Number:$lhs, Scalar_Number:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs)";
}

//===-- arithmetic ---------------------------------------------------------===//

def Scalar_AddOp : Scalar_Binary<"add", Scalar_Number, "IEEE; integers wrap; i1 is or", "0.5", "0.5", [Commutative]>;
def Scalar_SubOp : Scalar_Binary<"sub", Scalar_Number, "IEEE; integers wrap; i1 is xor">;
def Scalar_MulOp : Scalar_Binary<"mul", Scalar_Number, "IEEE; integers wrap; i1 is and", "0.5", "0.5", [Commutative]>;
def Scalar_DivOp : Scalar_Binary<"div", Scalar_Float, "IEEE: x/0 is ±inf, 0/0 is NaN">;
def Scalar_IntDivOp : Scalar_Binary<"int_div", Scalar_SignlessInt,
    "rounds toward zero; x/0 records the status 'integer division by zero' and gives 0; min/-1 gives min">;
def Scalar_IntFloorDivOp : Scalar_Binary<"int_floor_div", Scalar_SignlessInt,
    "rounds toward -inf; x/0 records the status 'integer division by zero' and gives 0; min/-1 gives min">;
def Scalar_IntRemOp : Scalar_Binary<"int_rem", Scalar_SignlessInt,
    "C's %: sign of the dividend; by 0 records the status 'integer division by zero' and gives 0; min%-1 gives 0">;
def Scalar_FmodOp : Scalar_Binary<"fmod", Scalar_Float, "C's fmod: exact, sign of the dividend; by 0 or of inf is NaN; by inf is x", "0", "0">;
def Scalar_MaxOp : Scalar_Binary<"max", Scalar_Number, "NaN from either side; max(-0,+0) is either zero; i1 is or", "0.5", "0.5", [Commutative]>;
def Scalar_MinOp : Scalar_Binary<"min", Scalar_Number, "NaN from either side; min(-0,+0) is either zero; i1 is and", "0.5", "0.5", [Commutative]>;
def Scalar_PowOp : Scalar_Binary<"pow", Scalar_Float, "C's pow: pow(x,0)=1, pow(1,y)=1 also for NaN; negative base with non-integer exponent is NaN", "4", "1">;
def Scalar_Atan2Op : Scalar_Binary<"atan2", Scalar_Float, "C's atan2, signed zeros included", "4", "1">;
def Scalar_CopysignOp : Scalar_Binary<"copysign", Scalar_Float, "sign bit of rhs, also of NaN and zero", "0", "0">;

def Scalar_NegOp : Scalar_Unary<"neg", Scalar_Number, "flips the sign bit of floats; integers wrap; ui8 is 256-x", "0", "0">;
def Scalar_AbsOp : Scalar_Unary<"abs", Scalar_Number, "clears the sign bit of floats; abs(min) is min", "0", "0">;
def Scalar_SqrtOp : Scalar_Unary<"sqrt", Scalar_Float, "x<0 is NaN; sqrt(-0) is -0">;
def Scalar_RsqrtOp : Scalar_Unary<"rsqrt", Scalar_Float, "1/sqrt(x): 0 is inf, -0 is -inf, x<0 is NaN, inf is 0", "1.5", "1.5">;
def Scalar_FloorOp : Scalar_Unary<"floor", Scalar_Float, "exact; keeps -0, inf, NaN", "0", "0">;
def Scalar_CeilOp : Scalar_Unary<"ceil", Scalar_Float, "exact; (-1,0) gives -0", "0", "0">;
def Scalar_TruncOp : Scalar_Unary<"trunc", Scalar_Float, "exact; keeps the sign of zero", "0", "0">;
def Scalar_RoundEvenOp : Scalar_Unary<"round_even", Scalar_Float, "exact; ties to even; keeps the sign of zero", "0", "0">;

//===-- transcendentals ----------------------------------------------------===//

def Scalar_ExpOp : Scalar_Unary<"exp", Scalar_Float, "exp(-inf)=0, exp(inf)=inf, exp(NaN)=NaN; overflow is inf; denormal results kept", "2", "1">;
def Scalar_Exp2Op : Scalar_Unary<"exp2", Scalar_Float, "as exp", "2", "1">;
def Scalar_Expm1Op : Scalar_Unary<"expm1", Scalar_Float, "expm1(±0)=±0, expm1(-inf)=-1", "3", "1">;
def Scalar_LogOp : Scalar_Unary<"log", Scalar_Float, "log(±0)=-inf, x<0 is NaN, log(inf)=inf", "2", "1">;
def Scalar_Log2Op : Scalar_Unary<"log2", Scalar_Float, "as log", "2", "1">;
def Scalar_Log10Op : Scalar_Unary<"log10", Scalar_Float, "as log", "2", "2.5">;
def Scalar_Log1pOp : Scalar_Unary<"log1p", Scalar_Float, "log1p(±0)=±0, log1p(-1)=-inf, x<-1 is NaN", "3", "1">;
def Scalar_SinOp : Scalar_Unary<"sin", Scalar_Float, "sin(±inf)=NaN, sin(±0)=±0; full argument reduction", "2", "1">;
def Scalar_CosOp : Scalar_Unary<"cos", Scalar_Float, "cos(±inf)=NaN; full argument reduction", "2", "1">;
def Scalar_TanOp : Scalar_Unary<"tan", Scalar_Float, "tan(±inf)=NaN, tan(±0)=±0", "4", "1">;
def Scalar_AsinOp : Scalar_Unary<"asin", Scalar_Float, "|x|>1 is NaN, asin(±0)=±0", "4", "1">;
def Scalar_AcosOp : Scalar_Unary<"acos", Scalar_Float, "|x|>1 is NaN", "4", "1">;
def Scalar_AtanOp : Scalar_Unary<"atan", Scalar_Float, "atan(±inf)=±pi/2, atan(±0)=±0", "4", "1">;
def Scalar_SinhOp : Scalar_Unary<"sinh", Scalar_Float, "odd; overflow is ±inf", "4", "2.5">;
def Scalar_CoshOp : Scalar_Unary<"cosh", Scalar_Float, "even; overflow is inf", "4", "2.5">;
def Scalar_TanhOp : Scalar_Unary<"tanh", Scalar_Float, "tanh(±inf)=±1, tanh(±0)=±0", "3", "2.5">;
def Scalar_AsinhOp : Scalar_Unary<"asinh", Scalar_Float, "odd; asinh(±inf)=±inf", "4", "2.5">;
def Scalar_AcoshOp : Scalar_Unary<"acosh", Scalar_Float, "x<1 is NaN", "4", "2.5">;
def Scalar_AtanhOp : Scalar_Unary<"atanh", Scalar_Float, "atanh(±1)=±inf, |x|>1 is NaN", "4", "2.5">;
def Scalar_ErfOp : Scalar_Unary<"erf", Scalar_Float, "erf(±inf)=±1, erf(±0)=±0", "3", "1">;
def Scalar_ErfcOp : Scalar_Unary<"erfc", Scalar_Float, "erfc(inf)=0, erfc(-inf)=2", "8", "5">;

//===-- bits ----------------------------------------------------------------===//

def Scalar_AndOp : Scalar_Binary<"and", Scalar_SignlessInt, "bitwise", "0", "0", [Commutative]>;
def Scalar_OrOp : Scalar_Binary<"or", Scalar_SignlessInt, "bitwise", "0", "0", [Commutative]>;
def Scalar_XorOp : Scalar_Binary<"xor", Scalar_SignlessInt, "bitwise", "0", "0", [Commutative]>;
def Scalar_ShlOp : Scalar_Binary<"shl", Scalar_SignlessInt, "a shift below 0 or of at least the width gives 0", "0", "0">;
def Scalar_ShrOp : Scalar_Binary<"shr", Scalar_SignlessInt, "arithmetic for signed; a shift below 0 or of at least the width gives the sign (0 or -1)", "0", "0">;
