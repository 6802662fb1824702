//===- Passes.td - every pass of the pipeline -----------------------------===//
//
// Definition `FuseKernels`, flag `graphc-fuse-kernels`, file FuseKernels.cpp, test test/passes/fuse-kernels.mlir. Options are declared here.
// passes/Pipelines.cpp says in which order they run.
//
//===----------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_PASSES_TD
#define GRAPHC_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

class Graphc_Pass<string flag, string op = "::mlir::ModuleOp"> : Pass<"graphc-" # flag, op> {
  let dependentDialects = ["::graphc::graph::GraphDialect", "::graphc::kernel::KernelDialect", "::graphc::scalar::ScalarDialect"];
}

def Decompose : Graphc_Pass<"decompose"> {
  let summary = "Composite ops without a kernel of their own become simpler ones";
  let options = [Option<"maxSteps", "max-steps", "int64_t", "2048", "largest number of steps to which a recurrent layer is unrolled">,
                 Option<"routines", "routines", "bool", "true", "scans, sorts and scattered writes become routines of the runtime instead of comparisons">];
}

def FoldConstants : Graphc_Pass<"fold-constants"> {
  let summary = "Evaluates ops over constants at compile time and removes parameters that nobody reads";
  let options = [Option<"maxElements", "max-elements", "int64_t", "4194304", "largest operand or result of an op that is folded, in elements">,
                 Option<"maxGrowth", "max-growth", "int64_t", "262144", "elements by which a result may exceed the largest operand">];
}

def AssignLayouts : Graphc_Pass<"assign-layouts"> {
  let summary = "Chooses physical orders: convolutions channels-last, permutations without copies";
}

def FuseKernels : Graphc_Pass<"fuse-kernels"> {
  let summary = "Decides which graph ops share a kernel";
}

def OutlineKernels : Graphc_Pass<"outline-kernels"> {
  let summary = "Groups of graph ops become kernel.launch over kernel.func";
  let options = [Option<"strict", "strict", "bool", "false", "round each op's f16 or bf16 result, also where the next op of the same kernel uses it">];
}

def PackWeights : Graphc_Pass<"pack-weights"> {
  let summary = "Weights of contractions become panels in the order in which the loops read them";
  let options = [Option<"panel", "panel", "int64_t", "0", "columns in a panel; 0: 16 for up to 16 columns, else 32">];
}

#endif // GRAPHC_PASSES_PASSES_TD
