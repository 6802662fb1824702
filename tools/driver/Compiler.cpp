// Runs the whole pipeline; see Compiler.h.
#include "tools/driver/Compiler.h"
#include "tools/driver/Failure.h"

namespace graphc::driver {

llvm::Expected<CompileResult> compile(const CompileOptions &options) {
  return failure(ExitStatus::Model, "'" + options.path + "': this build of graphc has no compile pipeline");
}

} // namespace graphc::driver
