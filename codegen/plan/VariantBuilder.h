// One function as one variant of the plan: a buffer for every tensor, a step for every launch, liveness, copies where a value can't stay where it is.
#ifndef GRAPHC_CODEGEN_PLAN_VARIANTBUILDER_H
#define GRAPHC_CODEGEN_PLAN_VARIANTBUILDER_H

#include "codegen/plan/PlanTables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc::codegen {

class VariantBuilder {
public:
  VariantBuilder(mlir::func::FuncOp function, const plan::PlanT &plan, const TargetCode &code, PlanTables &tables);

  /// The variant without its `next` list.
  llvm::Expected<std::unique_ptr<plan::VariantT>> build();

private:
  using Buffer = plan::BufferT;

  uint32_t addBuffer(mlir::RankedTensorType type, plan::BufferKind kind, uint32_t index, llvm::StringRef name);
  void addInputs();
  llvm::Error addOp(mlir::Operation &op);
  void addConstant(mlir::Value result, mlir::ElementsAttr value, llvm::StringRef fqn, llvm::StringRef packing);
  void addReadState(graph::ReadStateOp op);
  void addGuard(graph::GuardOp op);
  void addAlias(kernel::AliasOp op);
  void addLaunch(kernel::LaunchOp op);
  void addRoutine(kernel::RoutineOp op);
  void findJoins();
  /// The buffer of a launch's output: in a join's where it is a part of one.
  uint32_t addOutputBuffer(mlir::Value output, llvm::StringRef name);
  void finishStates(llvm::ArrayRef<graph::WriteStateOp> writes);
  void addReturn(mlir::func::ReturnOp op, llvm::ArrayRef<graph::WriteStateOp> writes);

  plan::StepT &addStep(mlir::Location loc, llvm::StringRef name);
  /// The value's buffer, or a copy of it that later writes to `states` and to inputs leave alone.
  uint32_t getStable(mlir::Value value, const llvm::SmallDenseSet<uint32_t> &states, mlir::Location loc);
  void finishInputs(mlir::Location loc);
  uint32_t copy(uint32_t from, plan::BufferKind kind, uint32_t index, mlir::RankedTensorType type, mlir::Location loc);
  uint32_t rootOf(uint32_t buffer) const;
  void use(uint32_t buffer);
  uint32_t stateIndex(llvm::StringRef name) const;

  mlir::func::FuncOp function;
  mlir::ModuleOp module;
  const plan::PlanT &plan;
  const TargetCode &code;
  PlanTables &tables;
  std::unique_ptr<plan::VariantT> variant;
  llvm::DenseMap<mlir::Value, uint32_t> buffers;
  llvm::StringMap<uint32_t> kernels;
  llvm::SmallDenseMap<uint32_t, uint32_t> changedInputs; // input to the buffer with what it holds at the end
  struct Place {
    kernel::JoinOp join;
    graph::DimAttr offset; // bytes
  };
  llvm::DenseMap<mlir::Value, Place> places; // of launch results that lie in a join
};

} // namespace graphc::codegen

#endif // GRAPHC_CODEGEN_PLAN_VARIANTBUILDER_H
