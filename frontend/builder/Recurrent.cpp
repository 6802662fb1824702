// LSTM and GRU, whole sequences and single steps.
//
// `aten::lstm(x, [h, c], weights, …)` is graph.lstm; inter-layer dropout in inference does nothing.
#include "frontend/builder/Promotion.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

static bool refusesTraining(Call &call) {
  bool drops = call.boolean("train", false) && call.number("dropout", 0) != 0;
  if (drops)
    call.fail("dropout in training mode needs random numbers, which are not supported");
  return drops;
}

static void giveAll(Call &call, Operation *op, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    call.give(op ? op->getResult(i) : Value());
}

static void convertLstm(Call &call) {
  if (refusesTraining(call) || !call.find("hx"))
    return call.fail("lstm of packed sequences");
  Value x = call.value("input");
  std::vector<Value> state = call.values("hx"), weights = call.values("params");
  if (call.failed() || state.size() != 2)
    return call.fail("lstm needs h and c");
  giveAll(call,
          call.e.createOp<graph::LstmOp>(x, state[0], state[1], weights, call.integer("num_layers"), call.boolean("has_biases"),
                                         call.boolean("bidirectional"), call.boolean("batch_first")),
          3);
}

static void convertGru(Call &call) {
  if (refusesTraining(call) || !call.find("hx") || !call.find("input"))
    return call.fail("gru of packed sequences");
  Value x = call.value("input"), state = call.value("hx");
  std::vector<Value> weights = call.values("params");
  if (!call.failed())
    giveAll(call,
            call.e.createOp<graph::GruOp>(x, state, weights, call.integer("num_layers"), call.boolean("has_biases"), call.boolean("bidirectional"),
                                          call.boolean("batch_first")),
            2);
}

static void convertLstmCell(Call &call) {
  Value x = call.value("input"), wIh = call.value("w_ih"), wHh = call.value("w_hh");
  std::vector<Value> state = call.values("hx");
  OptionalOperand bIh = call.optionalValue("b_ih"), bHh = call.optionalValue("b_hh");
  if (call.failed() || state.size() != 2)
    return call.fail("lstm_cell needs h and c");
  giveAll(call, call.e.createOp<graph::LstmCellOp>(x, state[0], state[1], wIh, wHh, bIh, bHh), 2);
}

static void convertGruCell(Call &call) {
  Value x = call.value("input"), h = call.value("hx"), wIh = call.value("w_ih"), wHh = call.value("w_hh");
  OptionalOperand bIh = call.optionalValue("b_ih"), bHh = call.optionalValue("b_hh");
  if (!call.failed())
    giveAll(call, call.e.createOp<graph::GruCellOp>(x, h, wIh, wHh, bIh, bHh), 1);
}

void builder::addRecurrent(ConversionTable &table) {
  table.add("aten::lstm", convertLstm);
  table.add("aten::gru", convertGru);
  table.add("aten::lstm_cell", convertLstmCell);
  table.add("aten::gru_cell", convertGruCell);
}
