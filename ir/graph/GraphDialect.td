//===- GraphDialect.td - what a program means -----------------------------===//
//
// The graph dialect holds a PyTorch program as tensor operations with eager semantics on the CPU. A tensor is a builtin
// tensor type; `#graph.info` is its encoding where there is more to say than a static shape in default order.
//
//   %y = graph.relu %x : tensor<1x64x56x56xf32, #graph.info<order = [0, 2, 3, 1]>>
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_GRAPHDIALECT_TD
#define GRAPHC_IR_GRAPH_GRAPHDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "ir/graph/GraphInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::graphc::graph";
  let summary = "PyTorch programs as tensor operations";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

//===-- attributes ---------------------------------------------------------===//

def Graph_DimAttr : AttrDef<Graph_Dialect, "Dim"> {
  let mnemonic = "dim";
  let summary = "An integer expression over symbolic dims";
  let description = [{
    A constant, a symbol, or an operation on expressions: `+ - *`, `floordiv`, `ceildiv`, `mod`, `min(a, b)`, `max(a, b)`,
    `shl(a, b)`, `shr(a, b)`, `select(a cmp b, c, d)` with `cmp` one of `== != < <= > >=`. Written infix: `#graph.dim<2*B + 1>`. Construction simplifies: constants fold, neutral elements vanish,
    operands of sums and products are sorted, so equal expressions that differ in order are one attribute.
  }];
  let parameters = (ins "::graphc::graph::DimKind":$kind, "int64_t":$value, "::mlir::StringAttr":$symbol,
                        OptionalArrayRefParameter<"::mlir::Attribute">:$operands);
  let cppNamespace = "::graphc::graph";
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static DimAttr constant(::mlir::MLIRContext *context, int64_t value);
    static DimAttr symbol(::mlir::MLIRContext *context, ::llvm::StringRef name);
    /// `kind` is a binary operation; simplifies.
    static DimAttr binary(DimKind kind, DimAttr lhs, DimAttr rhs);
    /// onTrue where `lhs predicate rhs` holds.
    static DimAttr select(DimPredicate predicate, DimAttr lhs, DimAttr rhs, DimAttr onTrue, DimAttr onFalse);
    bool isConstant() const { return getKind() == DimKind::Constant; }
    DimAttr operand(unsigned i) const { return ::mlir::cast<DimAttr>(getOperands()[i]); }
    /// The value under the given symbol values; nullopt where a symbol is missing, a divisor is 0 or an intermediate overflows.
    std::optional<int64_t> evaluate(const ::llvm::StringMap<int64_t> &symbols) const;
    /// Infix text, as in the assembly form.
    std::string str() const;
    /// Parses the infix form; null and `error` set where it is malformed.
    static DimAttr parseInfix(::mlir::MLIRContext *context, ::llvm::StringRef text, std::string &error);
  }];
}

def Graph_InfoAttr : AttrDef<Graph_Dialect, "Info", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "info";
  let summary = "Symbolic dims and the physical order of a tensor";
  let description = [{
    `dims` has one expression per dim where any dim is symbolic (static ones are constants there too), else it is empty. `order` lists
    the dims from outermost to innermost in memory where that is not 0, 1, 2, …; NHWC of a logical NCHW tensor is [0, 2, 3, 1]. An attribute with
    both empty does not occur: builders use no encoding then.
  }];
  let parameters = (ins OptionalArrayRefParameter<"::graphc::graph::DimAttr">:$dims, OptionalArrayRefParameter<"int64_t">:$order);
  let hasCustomAssemblyFormat = 1;
}

//===-- op bases -------------------------------------------------------------===//

def Graph_Tensor : RankedTensorOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8]>;
def Graph_FloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;
def Graph_IntTensor : RankedTensorOf<[I1, I8, I16, I32, I64, UI8]>;
def Graph_BoolTensor : RankedTensorOf<[I1]>;
def Graph_NumberTensor : RankedTensorOf<[F16, BF16, F32, F64, I8, I16, I32, I64, UI8]>; // all but bool
def Graph_IndexTensor : RankedTensorOf<[I32, I64]>;

// The mandatory facts about an op. `atenOps` are ATen base names ("add", "_softmax"), `derivativeRule` is "none: reason" or "todo" (until
// training lands) or the rule; an empty one is refused.
class Graph_Op<string mnemonic, list<string> atenOps, string fusionKind, string autocastClass, string layoutBehaviour,
               string derivativeRule, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits # [DeclareOpInterfaceMethods<Graph_OpInterface>]> {
  list<string> aten = atenOps;
  string derivative = derivativeRule;
  assert !ne(derivativeRule, ""), "graph op " # mnemonic # " needs a derivative rule: a rule, \"none: reason\" or \"todo\"";
  code graphOpFacts = "::llvm::StringRef $cppClass::getAtenNames() { return \"" # !interleave(atenOps, ",") # "\"; }\n" #
    "::graphc::graph::FusionKind $cppClass::getFusionKind() { return FusionKind::" # fusionKind # "; }\n" #
    "::graphc::graph::AutocastClass $cppClass::getAutocastClass() { return AutocastClass::" # autocastClass # "; }\n" #
    "::graphc::graph::LayoutBehaviour $cppClass::getLayoutBehaviour() { return LayoutBehaviour::" # layoutBehaviour # "; }\n" #
    "::llvm::StringRef $cppClass::getDerivativeRule() { return \"" # derivativeRule # "\"; }\n";
  let extraClassDefinition = graphOpFacts;
}

// Ops whose result types follow from operands and attributes: define `$cppClass::inferReturnTypes` over the adaptor. A result may have another physical
// order than the inferred one (AssignLayouts changes it), never other dims or another element type.
class Graph_InferredOp<string mnemonic, list<string> atenOps, string fusionKind, string autocastClass, string layoutBehaviour,
                       string derivativeRule, list<Trait> traits = []>
    : Graph_Op<mnemonic, atenOps, fusionKind, autocastClass, layoutBehaviour, derivativeRule,
               traits # [Pure, InferTypeOpAdaptorWithIsCompatible]> {
  code inferredOpFacts = graphOpFacts # "bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange found) {\n"
    "  return ::graphc::graph::equalButForOrder(inferred, found); }\n";
  let extraClassDefinition = inferredOpFacts;
}

// One expression per dim; `makeDimArray` and `getDimArray` (Dim.h) convert.
def Graph_DimArrayAttr : TypedArrayAttrBase<Graph_DimAttr, "array of #graph.dim">;

#endif // GRAPHC_IR_GRAPH_GRAPHDIALECT_TD
