// The tables that all variants of a plan share, filled as somebody asks for an entry: dims, locations, constants, symbols.
#ifndef GRAPHC_CODEGEN_PLAN_PLANTABLES_H
#define GRAPHC_CODEGEN_PLAN_PLANTABLES_H

#include "codegen/plan/PlanBuilder.h"
#include "ir/kernel/Kernel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace graphc::codegen {

plan::DType getDType(mlir::Type elementType);
/// Bytes in memory, as an expression.
graph::DimAttr getByteSize(mlir::RankedTensorType type);

class PlanTables {
public:
  PlanTables(mlir::ModuleOp module, DimsTable &dims, BuiltPlan &built) : module(module), dims(dims), built(built) {}

  int32_t dim(graph::DimAttr dim) { return int32_t(dims.getIndex(dim)); }
  int32_t dim(int64_t value) { return dim(graph::DimAttr::constant(module.getContext(), value)); }
  std::vector<int32_t> dimsOf(mlir::RankedTensorType type);
  /// The physical order; empty where it is the default one.
  std::vector<uint32_t> orderOf(mlir::RankedTensorType type);
  /// All source lines of a location.
  std::vector<uint32_t> locations(mlir::Location loc);
  uint32_t location(mlir::Location loc);
  /// The constant of these elements; equal attributes share one.
  uint32_t constant(mlir::ElementsAttr value, llvm::StringRef fqn, llvm::StringRef packing);

  /// Writes the dims table into the plan, after everything else.
  llvm::Error finishDims();
  /// Adds graph.symbol ops and finds where their values come from.
  llvm::Error addSymbols();

private:
  void appendCode(graph::DimAttr dim, std::vector<plan::DimInstr> &code);

  mlir::ModuleOp module;
  DimsTable &dims;
  BuiltPlan &built;
  std::map<std::tuple<std::string, std::string, uint32_t, uint32_t>, uint32_t> locationsByText;
  llvm::DenseMap<mlir::Attribute, uint32_t> constants;
  llvm::StringMap<uint32_t> symbols;
};

} // namespace graphc::codegen

#endif // GRAPHC_CODEGEN_PLAN_PLANTABLES_H
