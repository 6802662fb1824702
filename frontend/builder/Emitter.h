// Makes graph ops for the builder's conversions, with errors instead of crashes.
//
// Every function answers a null value where an operand is null or the op can't be made, and keeps the first reason; a
// conversion may therefore chain calls and let the caller ask failed() once. For example
//   Value y = e.create<graph::MulOp>(e.cast(x, F32), e.constant(F32, 2.0));
#ifndef GRAPHC_FRONTEND_BUILDER_EMITTER_H
#define GRAPHC_FRONTEND_BUILDER_EMITTER_H

#include "frontend/builder/Value.h"
#include "ir/graph/Graph.h"

namespace graphc::frontend::builder {

using mlir::Value;

/// An operand that an op may lack.
struct OptionalOperand {
  Value value;
  operator Value() const { return value; }
};

class Emitter {
public:
  explicit Emitter(mlir::MLIRContext *context);

  mlir::MLIRContext *context() const { return loc->getContext(); }

  /// Records why the node at hand can't be converted; the first reason stays.
  void fail(const llvm::Twine &reason);
  bool failed() const { return !reason.empty(); }
  /// The reason, and a clean state for the next node.
  std::string takeReason() { return std::exchange(reason, {}); }

  /// How many ops were made.
  size_t made() const { return count; }

  /// An op with inferred result types; its first result, or null.
  template <class Op, class... Args> Value create(const Args &...args) {
    mlir::Operation *op = createOp<Op>(args...);
    return op ? op->getResult(0) : Value();
  }
  template <class Op, class... Args> mlir::Operation *createOp(const Args &...args) {
    if (failed() || (isMissing(args) || ...))
      return missingOperand();
    mlir::OperationState state(loc, Op::getOperationName());
    buildWithoutTypes<Op>(state, args...);
    state.types.clear();
    llvm::SmallVector<mlir::Type> types;
    if (mlir::failed(Op::inferReturnTypes(context(), loc, state.operands, state.attributes.getDictionary(context()),
                                          state.getRawProperties(), state.regions, types)))
      return failedInference();
    state.addTypes(types);
    return finish(state);
  }

  /// A 0-d constant; `number` is bool, int or float.
  Value constant(ScalarType type, const Val &number);
  Value constant(ScalarType type, double number) { return constant(type, Val(number)); }
  /// A constant of one value everywhere, or of the given elements in row-major order.
  Value constant(llvm::ArrayRef<int64_t> shape, ScalarType type, llvm::ArrayRef<Val> elements);
  /// The elements of a value that is a constant op (splat or not), at most `limit`; nullopt for others.
  std::optional<std::vector<Val>> constantElements(Value value, size_t limit = 4096);
  static std::optional<std::vector<Val>> denseElements(mlir::ElementsAttr value);
  /// Constants are converted at once.
  Value cast(Value x, ScalarType type);
  Value reshape(Value x, llvm::ArrayRef<DimAttr> dims);
  Value expand(Value x, llvm::ArrayRef<DimAttr> dims);
  Value permute(Value x, llvm::ArrayRef<int64_t> order);
  /// Elements start + i * step, i < size, of one dim.
  Value slice(Value x, int64_t dim, DimAttr start, DimAttr size, int64_t step = 1);
  Value sliceScatter(Value base, Value part, int64_t dim, DimAttr start, int64_t step = 1);
  Value concat(llvm::ArrayRef<Value> parts, int64_t dim);
  /// A symbolic size as a 0-d tensor.
  Value dimTensor(DimAttr dim, ScalarType type);
  /// 0, 1, … size - 1 along dim d of `rank` (i64), size 1 in the others.
  Value positions(DimAttr size, int64_t d, int64_t rank);
  /// A number, known or symbolic, as a 0-d tensor.
  Value scalarTensor(const Val &number, ScalarType type);

  mlir::RankedTensorType type(Value x) const;
  ScalarType dtype(Value x) const { return scalarType(type(x).getElementType()); }
  int64_t rank(Value x) const { return x ? type(x).getRank() : 0; }
  llvm::SmallVector<DimAttr> dims(Value x) const;
  /// Dim i; the constant 1 where there is no such dim (after a failure).
  DimAttr dim(Value x, int64_t i) const;
  DimAttr dim(int64_t value) const { return DimAttr::constant(loc->getContext(), value); }
  mlir::ArrayAttr dimArray(llvm::ArrayRef<DimAttr> dims) const { return graph::makeDimArray(loc->getContext(), dims); }

  mlir::OpBuilder builder;
  mlir::Location loc;

private:
  template <class T> static bool isMissing(const T &argument) {
    if constexpr (std::is_same_v<T, Value>)
      return !argument;
    else if constexpr (std::is_convertible_v<T, mlir::ValueRange> && !std::is_same_v<T, OptionalOperand>)
      return llvm::any_of(mlir::ValueRange(argument), [](Value value) { return !value; });
    else
      return false;
  }
  template <class Op, class... Args> void buildWithoutTypes(mlir::OperationState &state, const Args &...args) {
    mlir::Type none = builder.getNoneType();
    if constexpr (requires { Op::build(builder, state, none, args...); })
      Op::build(builder, state, none, args...);
    else if constexpr (requires { Op::build(builder, state, none, none, args...); })
      Op::build(builder, state, none, none, args...);
    else if constexpr (requires { Op::build(builder, state, none, none, none, args...); })
      Op::build(builder, state, none, none, none, args...);
    else
      Op::build(builder, state, mlir::TypeRange(none), args...);
  }
  mlir::Operation *missingOperand();
  mlir::Operation *failedInference();
  mlir::Operation *finish(mlir::OperationState &state);

  size_t count = 0;
  std::string reason;
  std::string diagnostic; // the last error that an op's inference or verifier emitted
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_EMITTER_H
