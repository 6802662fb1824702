// LSTM, GRU and plain recurrent networks, whole sequences and single steps.
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

//===-- plain recurrent networks: unrolled here ---------------------------------------------------------===//

static constexpr int64_t maxSteps = 2048;

/// tanh or relu of x W_ih^T + b_ih + h W_hh^T + b_hh; `inputGates` are the first two.
static Value plainStep(Call &call, bool isTanh, Value inputGates, Value h, Value wHh, OptionalOperand bHh) {
  Value sum = call.e.create<graph::AddOp>(inputGates, call.e.create<graph::LinearOp>(h, wHh, bHh));
  return isTanh ? call.e.create<graph::TanhOp>(sum) : call.e.create<graph::ReluOp>(sum);
}

static void convertPlainCell(Call &call) {
  Value x = call.value("input"), h = call.value("hx"), wIh = call.value("w_ih"), wHh = call.value("w_hh");
  OptionalOperand bIh = call.optionalValue("b_ih"), bHh = call.optionalValue("b_hh");
  if (!call.failed())
    call.give(plainStep(call, call.op() == "aten::rnn_tanh_cell", call.e.create<graph::LinearOp>(x, wIh, bIh), h, wHh, bHh));
}

/// Row `i` of dim 0, without that dim.
static Value rowOf(Call &call, Value x, int64_t i) {
  Value one = call.e.slice(x, 0, call.e.dim(i), call.e.dim(int64_t(1)));
  return call.e.reshape(one, ArrayRef<DimAttr>(call.e.dims(x)).drop_front());
}

static Value stacked(Call &call, ArrayRef<Value> rows) {
  SmallVector<Value> parts;
  for (Value row : rows) {
    SmallVector<DimAttr> shape = call.e.dims(row);
    shape.insert(shape.begin(), call.e.dim(int64_t(1)));
    parts.push_back(call.e.reshape(row, shape));
  }
  return call.e.concat(parts, 0);
}

/// One layer in one direction over x [t, b, in]; `weights`: w_ih, w_hh and maybe the biases.
static Value runPlainDirection(Call &call, Value x, Value &h, ArrayRef<Value> weights, bool reverse) {
  bool isTanh = call.op() == "aten::rnn_tanh", hasBiases = weights.size() == 4;
  int64_t steps = call.e.dim(x, 0).getValue();
  Value gates = call.e.create<graph::LinearOp>(x, weights[0], OptionalOperand{hasBiases ? weights[2] : Value()});
  SmallVector<Value> rows(steps);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t t = reverse ? steps - 1 - i : i;
    rows[t] = h = plainStep(call, isTanh, rowOf(call, gates, t), h, weights[1], OptionalOperand{hasBiases ? weights[3] : Value()});
  }
  return call.failed() ? Value() : stacked(call, rows);
}

static void convertPlainRnn(Call &call) {
  if (refusesTraining(call) || !call.find("hx") || !call.find("input"))
    return call.fail("rnn of packed sequences");
  Value x = call.value("input"), states = call.value("hx");
  std::vector<Value> params = call.values("params");
  int64_t layers = call.integer("num_layers"), directions = call.boolean("bidirectional") ? 2 : 1;
  bool batchFirst = call.boolean("batch_first");
  size_t each = call.boolean("has_biases") ? 4 : 2;
  if (call.failed() || call.e.rank(x) != 3 || params.size() != each * size_t(layers * directions))
    return call.fail("rnn needs an input [t, b, n] and the weights of each layer and direction");
  if (batchFirst)
    x = call.e.permute(x, {1, 0, 2});
  DimAttr steps = call.e.dim(x, 0);
  if (!steps.isConstant() || steps.getValue() < 1 || steps.getValue() > maxSteps)
    return call.fail("rnn over " + steps.str() + " steps; expected a number from 1 to " + Twine(maxSteps));
  SmallVector<Value> last;
  for (int64_t layer = 0; layer < layers; ++layer) {
    SmallVector<Value> outputs;
    for (int64_t direction = 0; direction < directions; ++direction) {
      size_t index = size_t(layer * directions + direction);
      Value h = rowOf(call, states, int64_t(index));
      outputs.push_back(runPlainDirection(call, x, h, ArrayRef<Value>(params).slice(index * each, each), direction == 1));
      last.push_back(h);
    }
    if (call.failed())
      return;
    x = call.e.concat(outputs, 2);
  }
  call.give(batchFirst ? call.e.permute(x, {1, 0, 2}) : x);
  call.give(stacked(call, last));
}

void builder::addRecurrent(ConversionTable &table) {
  for (StringRef name : {"rnn_tanh", "rnn_relu"}) {
    table.add(("aten::" + name).str(), convertPlainRnn);
    table.add(("aten::" + name + "_cell").str(), convertPlainCell);
  }
  table.add("aten::lstm", convertLstm);
  table.add("aten::gru", convertGru);
  table.add("aten::lstm_cell", convertLstmCell);
  table.add("aten::gru_cell", convertGruCell);
}
