// graphc-eval: runs every function of an IR file that takes no arguments under the interpreter and prints its results, for tests that compare ops with PyTorch.
//
//   graphc-eval ops.mlir        prints "add 0 f32 2x3 0000803f…": function, result number, element type, sizes, bytes in hex
//   graphc-eval - --double      reads standard input; f32 kept as double
//
// A function that fails prints "add error: message".
#include "ir/interpreter/Interpreter.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace graphc;

static void printResults(llvm::StringRef name, const std::vector<interpreter::Tensor> &results) {
  for (auto [i, tensor] : llvm::enumerate(results)) {
    std::vector<std::byte> bytes = interpreter::toBytes(tensor);
    llvm::outs() << name << ' ' << i << ' ' << tensor.elementType() << ' ' << llvm::join(llvm::map_range(tensor.sizes, [](int64_t size) { return std::to_string(size); }), "x")
                 << ' ' << llvm::toHex(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()), /*LowerCase=*/true) << '\n';
  }
}

int main(int argc, char **argv) {
  llvm::cl::opt<std::string> file(llvm::cl::Positional, llvm::cl::desc("FILE.mlir"), llvm::cl::Required);
  llvm::cl::opt<bool> isDouble("double", llvm::cl::desc("keep f32 as double"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "graph interpreter for tests\n");
  mlir::MLIRContext context;
  context.loadDialect<graph::GraphDialect, kernel::KernelDialect, scalar::ScalarDialect, mlir::func::FuncDialect>();
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(file, sources, &context);
  if (!module)
    return 1;
  for (mlir::func::FuncOp func : module->getOps<mlir::func::FuncOp>()) {
    if (func.getNumArguments() != 0)
      continue;
    interpreter::Interpreter interpreter(*module, isDouble ? interpreter::Precision::Double : interpreter::Precision::Default);
    llvm::Expected<std::vector<interpreter::Tensor>> results = interpreter.run(func, {});
    if (results)
      printResults(func.getSymName(), *results);
    else
      llvm::outs() << func.getSymName() << " error: " << llvm::toString(results.takeError()) << '\n';
  }
  return 0;
}
