// What a source value is while GraphBuilder runs a program: known (numbers, strings, lists, objects) or a tensor.
//
// A tensor knows the storage it is a view of, so that a write through one alias is seen by all: `a = x[0]; a += 1; x` reads
// the storage of x again and replays the views. Lists and dicts have identity, as in Python.
#ifndef GRAPHC_FRONTEND_BUILDER_VALUE_H
#define GRAPHC_FRONTEND_BUILDER_VALUE_H

#include "frontend/SourceGraph.h"
#include "ir/graph/Dim.h"
#include "mlir/IR/Value.h"

#include <functional>

namespace graphc::frontend::builder {

using graph::DimAttr;
class Emitter;
struct Val;

/// Views of a storage that are views of each other whatever its strides are. Where strides decide, a side of its own begins.
struct Side {
  uint64_t since = 0;                 // the storage's version then
  std::optional<uint64_t> lastWrite = {}; // the storage's version before it
};

/// A mutable cell: what one storage holds now, as the tensor that covers all of it.
struct StorageCell {
  enum class Origin { Temporary, Input, Attribute, Constant } origin = Origin::Temporary;
  mlir::Value value;      // at `version`; null: not read yet
  std::function<mlir::Value(Emitter &)> load; // makes the first value
  uint64_t version = 0;   // counts writes
  std::string name;       // of an input or an attribute ("encoder.count"); for messages
  size_t inputIndex = 0;  // of an input
  ObjectId object = 0;    // of an attribute
  bool isContiguous = true; // the tensor that covers it has row-major strides
  // See MemoryOrder.cpp.
  uint64_t stridesFrom = 0;  // what eager's strides depend on beside the program
  bool isEagerOrder = false; // the strides it was made with are those that eager gives it
  std::vector<Side> sides{1}; // [0]: the tensor that covers it and its views
  LocationId sharingAt = 0;  // where strides decided what shares its memory
  bool isDisputed = false;   // what would be this storage, if strides had been others, is written
  std::vector<std::weak_ptr<StorageCell>> others; // that would be this one
  /// Of an attribute: another one shares these bytes in another way, so that writes are refused. Its path; empty: none.
  std::string sharedWith;
};

/// One view of the tensor before it: how to read it, and how a written view changes what it is a view of. Without `scatter`,
/// writes go to the storage's elements by the view's strides.
struct ViewStep {
  std::function<mlir::Value(Emitter &, mlir::Value base)> apply;
  std::function<mlir::Value(Emitter &, mlir::Value base, mlir::Value view)> scatter;
};

struct TensorState;
using Tensor = std::shared_ptr<TensorState>;

struct Poison {}; // the result of something unsupported: what depends on it is skipped without another message
struct None {};
struct DeviceValue {
  std::string text;
};
struct EnumValue {
  std::string text;
};
/// A Python number whose value is a 0-d tensor's (item() of a computed tensor).
struct TensorScalar {
  Tensor tensor;
  enum class Kind { Bool, Int, Float } kind = Kind::Float;
};
/// x[mask]: which elements it has is only known when it runs. Pointwise operators apply to all of x, and writing it back where the same
/// mask holds is a choice between the two; anything else needs the elements' number and is refused.
struct MaskedValue {
  Tensor all;       // x, or what was computed of it
  mlir::Value mask; // bool
  int64_t firstDim = 0; // of x that the mask covers
  LocationId location = 0; // of the indexing
};
using Masked = std::shared_ptr<MaskedValue>;
struct ListValue {
  ConstantList::Kind kind = ConstantList::Kind::List; // List, Tuple or NamedTuple
  std::vector<Val> elements;
  std::vector<std::string> fieldNames;
};
struct DictValue {
  std::vector<std::pair<Val, Val>> entries; // in insertion order
};
using List = std::shared_ptr<ListValue>;
using Dict = std::shared_ptr<DictValue>;
/// A float that is a fraction of sizes, n / 3, or the product of a size and a real number, n * 1.7, whose denominator is 1. What rounds it gives a DimAttr again.
struct DimFraction {
  DimAttr numerator;
  int64_t denominator = 1; // positive
  double factor = 1;       // other than 1: nothing but rounding is known to be exact
  bool inF32 = false;      // the product with it is f32's
};

/// A value; a DimAttr is a symbolic integer and never constant (see dimValue).
struct Val {
  using Variant = std::variant<Poison, None, bool, int64_t, double, std::string, DimAttr, DeviceValue, EnumValue,
                               ObjectRef, List, Dict, Tensor, TensorScalar, Masked, DimFraction>;
  Variant v;

  Val() : v(Poison()) {}
  template <class T> requires std::is_constructible_v<Variant, T> Val(T value) : v(std::move(value)) {}
  Val(const char *text) : v(std::string(text)) {}

  template <class T> bool is() const { return std::holds_alternative<T>(v); }
  template <class T> const T &as() const { return std::get<T>(v); }
  template <class T> const T *get() const { return std::get_if<T>(&v); }
  bool isNumber() const { return is<bool>() || is<int64_t>() || is<double>(); }
  bool isInteger() const { return is<bool>() || is<int64_t>() || is<DimAttr>(); }
  /// A number that sizes decide.
  bool isSymbolic() const { return is<DimAttr>() || is<DimFraction>(); }
};

/// A Python tensor object.
struct TensorState {
  std::shared_ptr<StorageCell> storage;
  std::vector<ViewStep> steps;  // from the storage's tensor to this one
  mlir::Value cached;           // this tensor's value at `version` of the storage
  uint64_t version = 0;
  mlir::RankedTensorType type;
  llvm::SmallVector<DimAttr> strides; // eager PyTorch's, in elements
  DimAttr offset;
  bool requiresGrad = false;
  size_t side = 0; // of the storage's
  /// What a 0-d tensor was made with, where that is known: traced shape arithmetic runs on such tensors.
  std::optional<Val> known;
  uint64_t knownVersion = 0; // of the storage that holds it
  /// A Python number that tracing turned into a 0-d constant: in type promotion it counts by its kind only.
  bool isNumber = false;

  /// The number that the tensor holds now; null where it isn't known.
  const Val *knownNumber() const { return known && storage->version == knownVersion ? &*known : nullptr; }
};

/// A symbolic integer as a value: int64_t where it is constant.
Val dimValue(DimAttr dim);
/// A bool, int or symbolic integer as a dim expression; null for others.
DimAttr toDim(const Val &value, mlir::MLIRContext *context);
/// Whether the expression has the symbol in it.
bool containsSymbol(DimAttr dim, DimAttr symbol);
/// The dtype of the 0-d tensor that a number becomes.
ScalarType numberType(const Val &number);
/// The number as a double, for bool, int and float.
double toDouble(const Val &value);
/// Whether the value or anything inside it is poison.
bool isPoisoned(const Val &value);
/// As Python's str() and format() print it; tensors as "Tensor".
std::string toText(const Val &value);
/// "int", "List", "Tensor", …, for messages.
std::string kindOf(const Val &value);
/// Python's ==; nullopt where it isn't known.
std::optional<bool> equal(const Val &a, const Val &b);

/// Row-major strides; a dim of size 0 counts as 1, as in PyTorch.
void contiguousStrides(llvm::ArrayRef<DimAttr> dims, llvm::SmallVectorImpl<DimAttr> &strides);
/// Whether the tensor has those strides; of a dim of size 1 any will do.
bool hasStrides(const TensorState &tensor, llvm::ArrayRef<DimAttr> strides);
/// Whether the tensor's strides are row-major, as is_contiguous() has it.
bool isRowMajor(const TensorState &tensor);
/// Whether a dim is known to be 0.
bool hasZero(llvm::ArrayRef<DimAttr> dims);

/// c10's number for a dtype, as TorchScript stores it.
int64_t numberOf(ScalarType type);
mlir::Type elementType(mlir::MLIRContext *context, ScalarType type);
ScalarType scalarType(mlir::Type elementType);
inline bool isFloat(ScalarType type) {
  return type == ScalarType::F16 || type == ScalarType::BF16 || type == ScalarType::F32 || type == ScalarType::F64;
}

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_VALUE_H
