// Runs the whole pipeline; see Compiler.h. The phases are Compilation's.
#include "tools/driver/Compiler.h"
#include "tools/driver/Compilation.h"
#include "tools/driver/TextStages.h"

using namespace graphc;
using namespace graphc::driver;

llvm::Expected<CompileResult> graphc::driver::compile(const CompileOptions &options) {
  Compilation compilation(options);
  if (llvm::Error error = compilation.import())
    return error;
  if (llvm::Error error = compilation.optimizeGraph())
    return error;
  if (options.emit == Emit::Graph)
    return compilation.finishText(printModule(compilation.getModule()));
  if (llvm::Error error = compilation.formKernels())
    return error;
  if (options.emit == Emit::Kernel)
    return compilation.finishText(printModule(compilation.getModule()));
  if (options.emit == Emit::Artifact || options.emit == Emit::Plan)
    return compilation.generate();
  llvm::Expected<std::string> text = printStage(compilation.getModule(), options.emit, compilation.getDims(), compilation.getCpuOptions());
  return text ? compilation.finishText(std::move(*text)) : text.takeError();
}
