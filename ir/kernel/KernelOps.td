//===- KernelOps.td - ops of the kernel dialect ---------------------------===//
include "ir/kernel/KernelDialect.td"
include "ir/graph/GraphDialect.td"

def Kernel_FuncOp : Kernel_Op<"func", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "A kernel";
  let description = [{
    Block arguments: the inputs, the outputs (tensor types: shape, element type and `#graph.info` order say where an element lies), then one index per grid dim. `grid`
    extents and `symbols` are #graph.dim expressions; symbol i of every affine map in the body is `symbols[i]`, read from the dims table at run time. `schedules` lists candidate
    schedules per target, best guess first; absent until ChooseSchedules.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$input_types, TypeArrayAttr:$output_types, ArrayAttr:$grid,
                       DefaultValuedAttr<ArrayAttr, "{}">:$symbols, OptionalAttr<DictionaryAttr>:$schedules);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the body amounts to; generators dispatch on it.
    enum class Root { Pointwise, Reduce, Row, Contraction };
    Root getRoot();
    unsigned getNumInputs() { return getInputTypes().size(); }
    unsigned getNumOutputs() { return getOutputTypes().size(); }
    unsigned getNumGridDims() { return getGrid().size(); }
    ::mlir::BlockArgument getInput(unsigned i) { return getBody().getArgument(i); }
    ::mlir::BlockArgument getOutput(unsigned i) { return getBody().getArgument(getNumInputs() + i); }
    ::mlir::BlockArgument getGridIndex(unsigned i) { return getBody().getArgument(getNumInputs() + getNumOutputs() + i); }
    ::graphc::graph::DimAttr getGridExtent(unsigned i) { return ::mlir::cast<::graphc::graph::DimAttr>(getGrid()[i]); }
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$inputs, "::mlir::TypeRange":$outputs,
                                 "::llvm::ArrayRef<::graphc::graph::DimAttr>":$grid)>];
  let skipDefaultBuilders = 1;
}

def Kernel_LoadOp : Kernel_Op<"load", [Pure, AttrSizedOperandSegments]> {
  let summary = "One element through an access map";
  let description = [{
    `map` takes the index operands (grid and inner indices, results of kernel.check_index) and the function's symbols to one expression per dim of `buffer`. Where `mask` (an integer set over the same
    dims and symbols) does not hold, the result is `otherwise` and memory is not touched. Without a mask the map is in bounds for the whole domain: the verifier proves it for constant extents.
  }];
  let arguments = (ins AnyRankedTensor:$buffer, Variadic<Index>:$indices, Optional<Kernel_Scalar>:$otherwise, AffineMapAttr:$map,
                       OptionalAttr<IntegerSetAttr>:$mask);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$buffer `[` $map `]` `(` $indices `)` (`mask` $mask^ `else` $otherwise `:` type($otherwise))? attr-dict `:` qualified(type($buffer)) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_StoreOp : Kernel_Op<"store", []> {
  let summary = "Writes one element of an output; each element of an output is written exactly once by the whole grid";
  let arguments = (ins Kernel_Scalar:$value, AnyRankedTensor:$buffer, Variadic<Index>:$indices, AffineMapAttr:$map, OptionalAttr<IntegerSetAttr>:$mask);
  let assemblyFormat = "$value `,` $buffer `[` $map `]` `(` $indices `)` (`mask` $mask^)? attr-dict `:` type($value) `,` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Kernel_IndexValueOp : Kernel_Op<"index_value", [Pure]> {
  let summary = "An affine expression of indices as an i64 scalar (arange, positions, comparisons of coordinates)";
  let arguments = (ins Variadic<Index>:$indices, AffineMapAttr:$map);
  let results = (outs I64:$result);
  let assemblyFormat = "`[` $map `]` `(` $indices `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_CheckIndexOp : Kernel_Op<"check_index", []> {
  let summary = "A data-dependent index, checked";
  let description = [{
    Gives `value` as an index in [0, extent). `wrap` first adds extent to negative values. Outside, the run's status slot records (step, value, extent) and the result is
    clamped, so that no access leaves the buffer. Where `mask` is false nothing is recorded.
  }];
  let arguments = (ins AnyTypeOf<[I8, I16, I32, I64, UI8]>:$value, Graph_DimAttr:$extent, UnitAttr:$wrap);
  let results = (outs Index:$result);
  let assemblyFormat = "$value `in` $extent (`wrap` $wrap^)? attr-dict `:` type($value)";
}

def Kernel_ReduceOp : Kernel_Op<"reduce", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Folds what its region yields over an inner domain";
  let description = [{
    The region's arguments are the indices of `extents`; it yields one value per monoid (argmax and argmin take a value and an i64 and give both: the first index of the extreme, NaN counts as extreme). The order of
    combination is not fixed but never depends on threads. Results have the yielded types; an empty domain gives the neutral element (argmax: verified non-empty).
  }];
  let arguments = (ins ArrayAttr:$extents, Kernel_MonoidArray:$monoids);
  let results = (outs Variadic<Kernel_Scalar>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_MapOp : Kernel_Op<"map", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "Runs its region for every index of an inner domain; the region stores";
  let arguments = (ins ArrayAttr:$extents);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kernel_ContractOp : Kernel_Op<"contract", [SingleBlock, NoTerminator]> {
  let summary = "acc[m, n] = sum over k of lhs[m, k] * rhs[n, k], then the epilogue";
  let description = [{
    m, n and k are lists of extents. `lhsMap`: (grid…, m…, k…)[symbols] to lhs dims; `rhsMap`: (grid…, n…, k…)[symbols] to rhs dims; `lhsMask`: where it does not hold (padding) the product is 0. The sum is
    f32 for f32, bf16 and f16 operands, f64 for f64, i32 for 8-bit integers, i64 for wider ones; its rounding order is the generator's. `panel` > 0: rhs is packed, dims [n/panel, k, panel] with zeros past n, and rhsMap is ignored.
    The region's arguments are the accumulator, then the m and n indices; it stores.
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, ArrayAttr:$mExtents, ArrayAttr:$nExtents, ArrayAttr:$kExtents,
                       AffineMapAttr:$lhsMap, AffineMapAttr:$rhsMap, OptionalAttr<IntegerSetAttr>:$lhsMask, DefaultValuedAttr<I64Attr, "0">:$panel);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lhs `[` $lhsMap `]` `,` $rhs `[` $rhsMap `]` `m` $mExtents `n` $nExtents `k` $kExtents (`mask` $lhsMask^)? attr-dict `:` qualified(type($lhs)) `,` qualified(type($rhs)) $body
  }];
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ReduceOp">]> {
  let summary = "Ends a kernel.reduce region";
  let arguments = (ins Variadic<Kernel_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Kernel_LaunchOp : Kernel_Op<"launch", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel.func: operands are its inputs, results its outputs";
  let description = "`source` (optional): ids of the SourceGraph values that the outputs are.";
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyRankedTensor>:$inputs, OptionalAttr<ArrayAttr>:$source);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

def Kernel_AliasOp : Kernel_Op<"alias", [Pure]> {
  let summary = "Part of a tensor's memory under another type: a view that moves nothing";
  let description = "Between launches only. Element 0 of the result is element `offset` of the source in memory; the result's elements lie in the order of its type from there.";
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `at` $offset attr-dict `:` type($source) `->` type($result)";
}

def Kernel_JoinOp : Kernel_Op<"join", [Pure]> {
  let summary = "Tensors that lie one after the other in memory: a concatenation that moves nothing";
  let description = "Between launches only. Every part is the whole result of one launch (perhaps through a kernel.alias) and part of one join at most, so that the launch can write it in place.";
  let arguments = (ins Variadic<AnyRankedTensor>:$parts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$parts attr-dict `:` functional-type($parts, $result)";
}

def Kernel_RoutineOp : Kernel_Op<"routine", [Pure]> {
  let summary = "Runs a routine of the runtime: a scan, sort, scatter or matrix factorization, which are no loop nests over elements";
  let description = [{
    Between launches only; operands and results lie in default order. `config` by routine:
    cumsum, cumprod, logcumsumexp: [dim]; one operand, one result of its type. cummax, cummin: [dim]; values and i64 positions, the last of equal ones, NaN wins.
    sort: [dim, descending]; values and i64 positions, stable, NaN is largest; where the results are shorter along dim, only their first elements are made.
    scatter: [dim, how, exclude_self]; operands base, indices, source, as graph.scatter with source's dims; indices of size 1 in other dims count for all of the source
    there. `how` is graph.scatter's reduction (not mean). An index outside base's dim is recorded in the run's status slot and writes nothing.
    eliminate: [dim, pivot, check]; f64 matrices, solution and facts as graph.eliminate; dim is that of the rows, rank - 2. cholesky: [dim, check], as graph.cholesky. With
    check a singular (not positive-definite) matrix is recorded in the run's status slot.
  }];
  let arguments = (ins Kernel_Routine:$routine, Variadic<AnyRankedTensor>:$inputs, DenseI64ArrayAttr:$config);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$routine `(` $inputs `)` $config attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}
