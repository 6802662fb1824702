// Memory order that a program's results depend on.
//
// In eager, reshape(), contiguous() and their like give a view or a copy, as the strides let them. After a write in place the two differ: in
//   y = x.contiguous(); y.add_(1); return x
// x changes if it is contiguous. Importing takes inputs to be in row-major order, and follows strides through views and pointwise operators
// only. So each storage says what its eager strides depend on besides (`stridesFrom`: inputs, or a memory format that the program asks for);
// where strides decide what shares memory, the storages say so; and where a write has made the difference, the next read makes the row-major
// order of those inputs a condition of running the model (`graph.row_major`), or is refused.
#include "frontend/builder/Run.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::frontend;
using namespace graphc::frontend::builder;

// Bits of StorageCell::stridesFrom. The lower ones are inputs, by their index.
static constexpr unsigned manyInputs = 61;               // this one and those behind it
static constexpr uint64_t ofFormat = uint64_t(1) << 62;  // a memory format; the strides are known
static constexpr uint64_t unknownOrder = uint64_t(1) << 63; // an operator's choice, or symbolic sizes

static void collectTensors(const Val &value, llvm::SmallVectorImpl<const TensorState *> &found) {
  if (const auto *tensor = value.get<Tensor>())
    found.push_back(tensor->get());
  if (const auto *list = value.get<List>())
    for (const Val &element : (*list)->elements)
      collectTensors(element, found);
}

/// Whether eager's result is row-major whatever the operands' strides are: seen of all operators' samples with transposed and channels_last operands.
static bool givesRowMajor(StringRef op) {
  static const llvm::StringSet<> operators{
      "_chunk_cat", "_safe_softmax", "_unsafe_masked_index", "addbmm", "addmm", "all", "amax", "amin", "aminmax", "any", "argmax", "argmin",
      "baddbmm", "block_diag", "bmm", "bucketize", "cdist", "count_nonzero", "cov", "cross", "cummax", "cummin", "cumprod", "cumsum", "embedding",
      "embedding_bag", "gather", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "index_add", "index_reduce", "index_select", "instance_norm",
      "kthvalue", "layer_norm", "linalg_cross", "linalg_multi_dot", "linear", "log_softmax", "logcumsumexp", "masked_fill", "masked_scatter",
      "matmul", "mean", "median", "mm", "mode", "nanmean", "nanmedian", "nansum", "native_layer_norm", "new_full", "new_ones",
      "new_zeros", "norm", "one_hot", "prod", "renorm", "repeat", "repeat_interleave", "rms_norm", "roll", "scatter", "scatter_add",
      "scatter_reduce", "softmax", "std", "std_mean", "sum", "sum_to_size", "take_along_dim", "tile", "topk", "tril", "triu", "var", "var_mean"};
  return operators.contains(op.substr(StringRef("aten::").size()));
}

/// Whether eager's result has strides of its own though the operands are row-major.
static bool hasOwnOrder(StringRef op) {
  static const llvm::StringSet<> operators{
      "_scaled_dot_product_flash_attention_for_cpu", "cholesky", "einsum", "empty_permuted", "empty_strided", "gru", "inverse", "linalg_cholesky",
      "linalg_cholesky_ex", "linalg_inv", "linalg_inv_ex", "linalg_matrix_power", "linalg_solve", "linalg_solve_ex", "linalg_solve_triangular", "lstm",
      "matrix_power", "nanquantile", "new_empty_strided", "quantile", "rnn_relu", "rnn_tanh", "rot90", "scaled_dot_product_attention"};
  return operators.contains(op.substr(StringRef("aten::").size()));
}

uint64_t builder::stridesFromInput(size_t index) { return uint64_t(1) << std::min<size_t>(index, manyInputs); }

Tensor builder::inFormat(Run &run, Value value, ArrayRef<DimAttr> strides) {
  Tensor tensor = run.fresh(value, strides);
  tensor->storage->stridesFrom = ofFormat;
  tensor->storage->isEagerOrder = true;
  return tensor;
}

/// What results' strides depend on: what the arguments' do. Where the operator wasn't given row-major tensors, its result may be in another order.
void Run::followOrder(StringRef op, ArrayRef<Val> arguments, ArrayRef<Val> results) {
  SmallVector<const TensorState *> given, made;
  for (const Val &argument : arguments)
    collectTensors(argument, given);
  uint64_t from = 0;
  bool isStrided = hasOwnOrder(op);
  for (const TensorState *tensor : given) {
    from |= tensor->storage->stridesFrom;
    isStrided |= !isRowMajor(*tensor);
  }
  if (!from && !isStrided)
    return;
  for (const Val &result : results)
    collectTensors(result, made);
  for (const TensorState *tensor : made) {
    StorageCell &cell = *tensor->storage;
    bool isKnown = cell.isEagerOrder || givesRowMajor(op) || (!isStrided && !(from & ofFormat));
    if (llvm::none_of(given, [&](const TensorState *operand) { return operand->storage == tensor->storage; }))
      cell.stridesFrom |= isKnown ? from : from | unknownOrder;
  }
}

bool Run::knowsStrides(const Tensor &x) const { return !(x->storage->stridesFrom & unknownOrder); }

void Run::noteSharing(const Tensor &x, const Tensor &result) {
  StorageCell &cell = *x->storage;
  bool isFixed = x->type.hasStaticShape() && result->type.hasStaticShape() && llvm::all_of(x->strides, [](DimAttr stride) { return stride.isConstant(); });
  if (x->storage != result->storage && !isFixed) // a view all the same for some sizes
    cell.stridesFrom |= unknownOrder;
  if (!cell.stridesFrom)
    return;
  cell.sharingAt = result->storage->sharingAt = current;
  if (x->storage == result->storage) {
    result->side = cell.sides.size();
    cell.sides.push_back({cell.version});
    return;
  }
  result->storage->stridesFrom |= cell.stridesFrom;
  cell.others.push_back(result->storage);
  result->storage->others.push_back(x->storage);
}

/// Before the storage gets its new version.
void Run::noteSharedWrite(const TensorState &tensor) {
  StorageCell &cell = *tensor.storage;
  cell.sides[tensor.side].lastWrite = cell.version;
  for (const std::weak_ptr<StorageCell> &other : cell.others)
    if (std::shared_ptr<StorageCell> live = other.lock())
      live->isDisputed = true;
}

void Run::noteSharedRead(const TensorState &tensor) {
  const StorageCell &cell = *tensor.storage;
  if (cell.version == 0 && !cell.isDisputed)
    return;
  uint64_t since = cell.sides[tensor.side].since;
  bool isElsewhere = false; // what another side wrote since isn't there if that is a copy
  for (size_t i = 0; i < cell.sides.size(); ++i)
    isElsewhere |= i != tensor.side && cell.sides[i].lastWrite && *cell.sides[i].lastWrite >= since;
  if (cell.isDisputed || isElsewhere)
    requireOrder(cell);
}

void Run::requireOrder(const StorageCell &cell) {
  LocationId where = cell.sharingAt ? cell.sharingAt : current;
  if (cell.stridesFrom & unknownOrder)
    return e.fail("a write has made a difference between a view and a copy, and which of the two a reshape() or contiguous() gave isn't known (an operator "
                  "chose the memory order, or sizes are symbolic); clone() there instead: " + program.describe(where));
  for (const std::shared_ptr<StorageCell> &input : inputCells)
    if (cell.stridesFrom & stridesFromInput(input->inputIndex) && !func.getArgAttr(input->inputIndex, "graph.row_major")) {
      func.setArgAttr(input->inputIndex, "graph.row_major", LocationAttr(program.location(where)));
      program.notes.push_back("input '" + input->name + "' must be contiguous when the model runs, for its strides decide what the results are: " + program.describe(where));
    }
}

/// What the caller finds in inputs afterwards.
void Run::settleInputs() {
  for (const std::shared_ptr<StorageCell> &cell : inputCells)
    if (cell->isDisputed || llvm::any_of(ArrayRef(cell->sides).drop_front(), [](const Side &side) { return side.lastWrite.has_value(); }))
      requireOrder(*cell);
}
