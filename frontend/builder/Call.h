// The arguments of one node, by the schema's names, and its results: what a conversion sees.
//
//   void convertRelu(Call &call) { call.give(call.e.create<graph::ReluOp>(call.value("self"))); }
//
// An accessor that can't answer (a symbolic value where a constant is needed) records the reason and answers something
// harmless; what was made is then dropped and the node reported.
#ifndef GRAPHC_FRONTEND_BUILDER_CALL_H
#define GRAPHC_FRONTEND_BUILDER_CALL_H

#include "frontend/builder/Run.h"

namespace graphc::frontend::builder {

class Call {
public:
  Call(Run &run, const Node &node, std::vector<Val> arguments);

  /// "aten::add.Tensor".
  std::string name() const;
  llvm::StringRef op() const { return node.op; }
  size_t size() const { return arguments.size(); }
  /// The first operand's name, whatever the schema calls it.
  llvm::StringRef first() const { return node.operands.empty() ? llvm::StringRef("self") : node.operands[0].name; }
  const Val &argument(size_t i) const;
  const Val *find(llvm::StringRef name) const;
  /// The argument without counting as read: whoever only looks through all of them doesn't answer for what they mean.
  const Val &peek(size_t i) const { return arguments[i]; }
  llvm::ArrayRef<Val> allArguments() const { return arguments; }
  /// A tensor argument that nothing has read: the conversion doesn't know it; empty where there is none.
  std::string unreadTensor() const;
  /// Present and not None.
  bool given(llvm::StringRef name) const;

  Tensor tensor(llvm::StringRef name);
  Value value(llvm::StringRef name);
  OptionalOperand optionalValue(llvm::StringRef name);
  std::vector<Tensor> tensors(llvm::StringRef name);
  std::vector<Value> values(llvm::StringRef name);

  int64_t integer(llvm::StringRef name, std::optional<int64_t> fallback = {});
  double number(llvm::StringRef name, std::optional<double> fallback = {});
  bool boolean(llvm::StringRef name, std::optional<bool> fallback = {});
  std::string text(llvm::StringRef name, std::optional<std::string> fallback = {});
  DimAttr dim(llvm::StringRef name);
  /// A list of ints, or one int, which stands for `count` equal ones.
  std::vector<int64_t> integers(llvm::StringRef name, size_t count = 0);
  std::vector<DimAttr> dims(llvm::StringRef name);
  std::vector<double> numbers(llvm::StringRef name);
  std::optional<ScalarType> dtype(llvm::StringRef name);
  ScalarType dtype(llvm::StringRef name, ScalarType fallback);
  /// A dim number in [-rank, rank) made non-negative; a 0-d tensor counts as one dim.
  int64_t dimIndex(llvm::StringRef name, int64_t rank, std::optional<int64_t> fallback = {});
  int64_t normalizeDim(int64_t dim, int64_t rank);
  /// All dims where the argument is absent, None or empty.
  std::vector<int64_t> dimIndices(llvm::StringRef name, int64_t rank);
  /// The same in ascending order; fails the call if a dim occurs twice.
  std::vector<int64_t> sortedDims(llvm::StringRef name, int64_t rank);

  void fail(const llvm::Twine &why) { e.fail(why); }
  bool failed() const { return e.failed(); }
  /// A new tensor as the next result.
  void give(Value value);
  void give(Val value) { results.push_back(std::move(value)); }

  Run &run;
  Emitter &e;
  const Node &node;
  std::vector<Val> results;

private:
  const Val *required(llvm::StringRef name);
  std::vector<Val> arguments;
  mutable std::vector<bool> wasRead; // by argument
};

/// Evaluates the node where it is Python arithmetic, a string, list or dict operation on known values; false where it isn't.
bool evaluateKnown(Call &call);
/// Evaluates a string's method `op` ("format", "split", …); false where it isn't one.
bool evaluateString(Call &call, llvm::StringRef op, llvm::StringRef text);
/// `op` ("add", "floordiv", "lt", …) on two numbers; nullopt where it isn't known (symbolic, or an undefined result).
std::optional<Val> evaluateBinary(Call &call, llvm::StringRef op, const Val &a, const Val &b);
/// The same where one is a symbolic size and the result, or the other, is a float.
std::optional<Val> evaluateFractions(Call &call, llvm::StringRef op, const Val &a, const Val &b);
/// "floor", "ceil" or "trunc" of a symbolic float; nullopt where no size expression says it.
std::optional<DimAttr> roundFraction(Run &run, llvm::StringRef op, const DimFraction &x);
/// size * factor rounded by op ("floor", "ceil"), in f32 or f64; null where no expression says it. Guards against sizes beyond those for which it does.
DimAttr scaledSize(Run &run, llvm::StringRef op, DimAttr size, double factor, bool inF32);
/// The product of a size and a real number that is no small fraction; nullopt where it can't be rounded to a size, or isn't such a product.
std::optional<Val> scaleBySize(Call &call, const Val &a, const Val &b, bool inF32);
/// Whether f32 multiplies sizes by the number exactly.
bool hasFewBits(double number);

// One function for each family of operators; each adds its conversions.
void addPointwise(ConversionTable &table);
void addViews(ConversionTable &table);
void addReductions(ConversionTable &table);
void addContractions(ConversionTable &table);
void addWindows(ConversionTable &table);
void addGather(ConversionTable &table);
void addFactories(ConversionTable &table);
void addFormulas(ConversionTable &table);
void addSpecialFunctions(ConversionTable &table);
void addNorms(ConversionTable &table);
void addLosses(ConversionTable &table);
void addOrders(ConversionTable &table);
void addBatchNorms(ConversionTable &table);
void addCopies(ConversionTable &table);
void addDiagonals(ConversionTable &table);
void addPatches(ConversionTable &table);
void addGrids(ConversionTable &table);
void addSelections(ConversionTable &table);
void addStatistics(ConversionTable &table);
void addMatrices(ConversionTable &table);
void addRecurrent(ConversionTable &table);
void addMutation(ConversionTable &table);
void addQueries(ConversionTable &table);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_CALL_H
