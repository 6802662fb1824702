// What all runs of one import share: the module being built, parameters, state attributes, symbols, and the report of what
// is not supported.
//
// GraphBuilder runs the method once for each reachable state (Run.h); every run adds one function to `module`.
#ifndef GRAPHC_FRONTEND_BUILDER_PROGRAM_H
#define GRAPHC_FRONTEND_BUILDER_PROGRAM_H

#include "frontend/GraphBuilder.h"
#include "frontend/builder/Value.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

namespace graphc::frontend::builder {

class Call;
using Conversion = void (*)(Call &);

/// Conversions by "aten::add.Tensor", or "aten::add" for all overloads that have no entry of their own.
class ConversionTable {
public:
  ConversionTable();
  void add(llvm::StringRef op, Conversion conversion) { conversions[op] = conversion; }
  /// An operator whose conversion only says why it is not supported.
  void refuse(llvm::StringRef op, Conversion conversion) {
    add(op, conversion);
    refused.insert(op);
  }
  Conversion find(llvm::StringRef op, llvm::StringRef overload) const;
  /// The operators with a meaning, sorted: "aten::add", or "aten::max.other" for an overload's own.
  std::vector<std::string> names() const;

private:
  llvm::StringMap<Conversion> conversions;
  llvm::StringSet<> refused;
};

/// An attribute of a module object.
struct AttributeKey {
  ObjectId object = 0;
  std::string name;
  auto operator<=>(const AttributeKey &) const = default;
};

/// Unsupported things, each once, with the lines where they occur and how often.
class Report {
public:
  void add(const std::string &what, const SourceLocation &where);
  bool empty() const { return entries.empty(); }
  std::string text() const;

private:
  struct Entry {
    std::string what;
    size_t count = 0;
    std::vector<std::string> lines; // distinct, in order of appearance
  };
  std::vector<Entry> entries;
};

class Program {
public:
  /// Large constants of the file as attributes, by bytes and view; kept over restarts so that each has one resource.
  using ElementsKey = std::tuple<const void *, int, int64_t, std::vector<int64_t>, std::vector<int64_t>>;
  using ElementsCache = std::map<ElementsKey, mlir::ElementsAttr>;

  Program(mlir::MLIRContext *context, const SourceGraph &source, const BuildOptions &options, ElementsCache &elements);

  mlir::Location location(LocationId id) const;
  /// "model.py:12: y = f(x) (in encoder.layer)", or the model file where the line is unknown.
  std::string describe(LocationId id) const;
  const SourceLocation &sourceLocation(LocationId id) const;

  mlir::ElementsAttr elementsFor(const TensorData &data, const std::string &name);
  /// The symbol of the graph.parameter that holds `data`; equal views of one storage share it.
  mlir::FlatSymbolRefAttr parameter(const TensorData &data, const std::string &name, bool requiresGrad);
  /// The symbol of the graph.state for an attribute whose file value is `initial`: a tensor, a number (0-d), or None, which holds
  /// no elements of type `element`.
  mlir::FlatSymbolRefAttr stateSymbol(const AttributeKey &key, const Constant &initial, mlir::Type element);

  /// The expression with the symbols in `equalities` replaced.
  DimAttr resolve(DimAttr dim) const;
  /// Reads an infix expression and resolves it; stops the import where it is malformed.
  DimAttr parseDim(const std::string &text);
  /// What the user said of the tensor argument `name`, number `position` among the function's arguments; null for nothing.
  const InputSpec *findSpec(const std::string &name, size_t position) const;
  /// Makes graph.symbol ops and `ranges` out of the file's symbols and the user's.
  void declareSymbols();
  /// A dim of an input that the file states as an expression, where no dim is its symbol alone: named `name`, the expression's symbol
  /// follows from it.
  struct DerivedDim {
    std::string name;
    int64_t factor = 1, summand = 0; // the dim is factor * symbol + summand
    std::string symbol;
  };
  std::map<std::string, DerivedDim> derivedDims; // by the expression's text

  /// "encoder.count".
  std::string attributePath(const AttributeKey &key) const;
  const frontend::Attribute *findAttribute(const AttributeKey &key) const;
  /// The attributes whose bytes in the file are those of `key`, viewed alike (itself among them).
  std::vector<AttributeKey> sameBytes(const AttributeKey &key) const;
  /// An attribute whose bytes overlap those of `key`, viewed in another way.
  std::optional<AttributeKey> overlapping(const AttributeKey &key) const;

  /// Ends the import: the model can't mean anything (RaiseException on the path taken, a missing bind, …).
  void stop(const std::string &text) {
    if (fatal.empty())
      fatal = text;
  }
  bool stopped() const { return !fatal.empty(); }

  mlir::MLIRContext *context;
  const SourceGraph &source;
  const BuildOptions &options;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ConversionTable table;
  Report report;
  std::string fatal;
  std::vector<std::string> notes;
  /// Attributes that outlive a run, found so far; a run that finds another asks for a restart.
  std::set<AttributeKey> state;
  /// State numbers that take too many values to be told apart: kept as 0-d tensors.
  std::set<AttributeKey> dynamicNumbers;
  /// State attributes that the program changes in place; whether others share their memory matters for these.
  std::set<AttributeKey> writtenInPlace;
  bool restart = false;
  /// Symbols that had to equal something: replaced everywhere (see BuildOptions::inputs).
  std::map<std::string, DimAttr> equalities;
  struct Range {
    int64_t min = 0;
    std::optional<int64_t> max;
  };
  std::map<std::string, Range> ranges; // by symbol
  size_t evaluatedNodes = 0;
  /// Arguments that are inputs of the plan although something needs their values.
  std::set<std::string> neededBinds;
  void needBind(const std::string &name) { neededBinds.insert(name); }
  /// What to bind, one line for each argument.
  std::string missingBinds() const;

private:
  std::map<ElementsKey, std::string> parameters;
  ElementsCache &elements;
  std::map<AttributeKey, std::string> states;
  std::set<std::string> symbolNames;
  std::string uniqueSymbol(const std::string &name);
  void findDerivedDims();
};

/// The bytes of `data` as elements: no copy where the view is contiguous.
mlir::ElementsAttr elementsOf(mlir::MLIRContext *context, const TensorData &data, const std::string &name);

} // namespace graphc::frontend::builder

#endif // GRAPHC_FRONTEND_BUILDER_PROGRAM_H
