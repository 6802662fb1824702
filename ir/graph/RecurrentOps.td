//===- RecurrentOps.td - LSTM and GRU, whole -------------------------------===//
//
// Weights are PyTorch's: w_ih [g h, in], w_hh [g h, h], biases [g h], with g = 4 gates (input, forget, cell, output) for LSTM and 3 (reset, update, new) for GRU. A pass
// decomposes these into linear and pointwise ops until they have kernels of their own.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_IR_GRAPH_RECURRENTOPS_TD
#define GRAPHC_IR_GRAPH_RECURRENTOPS_TD
include "ir/graph/GraphDialect.td"

class Graph_Recurrent<string mnemonic, list<string> atenOps, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, atenOps, "Opaque", "Low", "FixesOrder", "todo", traits>;

def Graph_LstmCellOp : Graph_Recurrent<"lstm_cell", ["lstm_cell"], [AttrSizedOperandSegments]> {
  let summary = "One step: x [b, in], h and c [b, h] to the next h and c";
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$h, Graph_FloatTensor:$c, Graph_FloatTensor:$w_ih, Graph_FloatTensor:$w_hh,
                       Optional<Graph_FloatTensor>:$b_ih, Optional<Graph_FloatTensor>:$b_hh);
  let results = (outs Graph_FloatTensor:$h_next, Graph_FloatTensor:$c_next);
  let assemblyFormat = "$x `state` $h `,` $c `weights` $w_ih `,` $w_hh (`biases` $b_ih^ `,` $b_hh)? attr-dict `:` functional-type(operands, results)";
}
def Graph_GruCellOp : Graph_Recurrent<"gru_cell", ["gru_cell"], [AttrSizedOperandSegments]> {
  let summary = "One step: x [b, in], h [b, h] to the next h";
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$h, Graph_FloatTensor:$w_ih, Graph_FloatTensor:$w_hh,
                       Optional<Graph_FloatTensor>:$b_ih, Optional<Graph_FloatTensor>:$b_hh);
  let results = (outs Graph_FloatTensor:$h_next);
  let assemblyFormat = "$x `state` $h `weights` $w_ih `,` $w_hh (`biases` $b_ih^ `,` $b_hh)? attr-dict `:` functional-type(operands, results)";
}

// `weights` per layer and direction: w_ih, w_hh, then b_ih, b_hh where `biases` is set; layer by layer, forward before backward.
def Graph_LstmOp : Graph_Recurrent<"lstm", ["lstm"]> {
  let summary = "x [t, b, in] ([b, t, in] with batch_first), h and c [layers dirs, b, h] to y [t, b, dirs h] and the last h and c";
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$h, Graph_FloatTensor:$c, Variadic<Graph_FloatTensor>:$weights, I64Attr:$layers,
                       UnitAttr:$biases, UnitAttr:$bidirectional, UnitAttr:$batch_first);
  let results = (outs Graph_FloatTensor:$y, Graph_FloatTensor:$h_last, Graph_FloatTensor:$c_last);
  let assemblyFormat = "$x `state` $h `,` $c `weights` $weights attr-dict `:` functional-type(operands, results)";
}
def Graph_GruOp : Graph_Recurrent<"gru", ["gru"]> {
  let summary = "x [t, b, in] ([b, t, in] with batch_first), h [layers dirs, b, h] to y [t, b, dirs h] and the last h";
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$h, Variadic<Graph_FloatTensor>:$weights, I64Attr:$layers,
                       UnitAttr:$biases, UnitAttr:$bidirectional, UnitAttr:$batch_first);
  let results = (outs Graph_FloatTensor:$y, Graph_FloatTensor:$h_last);
  let assemblyFormat = "$x `state` $h `weights` $weights attr-dict `:` functional-type(operands, results)";
}

#endif // GRAPHC_IR_GRAPH_RECURRENTOPS_TD
