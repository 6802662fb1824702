// graphc-plan FILE.mlir: prints the plan of an outlined module, without generating code. For tests and for people who look inside.
#include "codegen/null/NullTarget.h"
#include "codegen/plan/PlanBuilder.h"
#include "codegen/plan/PrintPlan.h"
#include "ir/kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

int main(int argc, char **argv) {
  using namespace graphc;
  if (argc != 2) {
    llvm::errs() << "usage: graphc-plan FILE.mlir (- for standard input)\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  codegen::DimsTable dims;
  llvm::Expected<codegen::BuiltPlan> built =
      codegen::buildPlan(*module, codegen::compileNothing(*module), dims, {.model = argv[1], .target = "null"});
  if (!built) {
    llvm::errs() << llvm::toString(built.takeError()) << "\n";
    return 1;
  }
  codegen::printPlan(*built->plan, llvm::outs());
  return 0;
}
