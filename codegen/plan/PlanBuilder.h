// From an outlined module and its compiled kernels to the plan that the runtime executes.
//
// Input: functions of graph.get, constant, read_state, write_state, guard, kernel.launch, kernel.alias and return (what OutlineKernels leaves; one function a
// variant), and the code of every kernel.func. Output: the plan as a FlatBuffers object and the bytes of its constants.
//
//   llvm::Expected<BuiltPlan> built = buildPlan(module, code, dims, {.model = "model.pt", .target = "cpu"});
//   addToArtifact(*built, std::move(code), writer);
//
// Names: function arguments and results carry `graph.name`; functions `graph.next` (the variant that follows, by index).
#ifndef GRAPHC_CODEGEN_PLAN_PLANBUILDER_H
#define GRAPHC_CODEGEN_PLAN_PLANBUILDER_H

#include "codegen/Target.h"
#include "runtime/plan/Plan_generated.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <span>

namespace graphc {
class ArtifactWriter;
}

namespace graphc::codegen {

struct PlanOptions {
  std::string model;             // file name
  std::string entry = "forward"; // method
  std::string target = "cpu";
  std::string numerics = "default";
  std::string producer = "graphc 0.1.0";
};

/// Bytes of one constant: in the module's own memory where that is possible, which must live until the artifact is written.
struct ConstantBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

struct BuiltPlan {
  std::unique_ptr<plan::PlanT> plan;    // constants without offset and section
  std::vector<ConstantBytes> constants; // parallel to plan->constants
};

/// Errors: a function with an op that no step stands for (its name and line), an element type or order that an interface tensor can't have.
llvm::Expected<BuiltPlan> buildPlan(mlir::ModuleOp module, const TargetCode &code, DimsTable &dims, const PlanOptions &options);

/// Places the constants, then adds the code images and the plan to the artifact.
void addToArtifact(BuiltPlan &built, const TargetCode &code, ArtifactWriter &writer);

} // namespace graphc::codegen

#endif // GRAPHC_CODEGEN_PLAN_PLANBUILDER_H
