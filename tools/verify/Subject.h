// The program under test, at the three places where verify and bisect look at it: as imported, as kernels, as an artifact.
//
//   llvm::Expected<std::unique_ptr<Subject>> subject = Subject::create(options);
//   (*subject)->imported, (*subject)->getKernels(), (*subject)->makeRun(threads)
#ifndef GRAPHC_TOOLS_VERIFY_SUBJECT_H
#define GRAPHC_TOOLS_VERIFY_SUBJECT_H

#include "tools/driver/Compilation.h"
#include "tools/verify/Reference.h"
#include "tools/verify/TracedRun.h"

#include <memory>

namespace graphc::verify {

class Subject {
public:
  /// Compiles. `afterPass` is called as Compilation does. Errors: those of compile().
  static llvm::Expected<std::unique_ptr<Subject>> create(const driver::CompileOptions &options, driver::Compilation::AfterPass afterPass = {});

  mlir::ModuleOp getKernels() { return compilation.getModule(); }
  llvm::Expected<std::unique_ptr<TracedRun>> makeRun(unsigned threads);
  /// A reference for the outputs and for every value that is a kernel's output (or `onlyValues`).
  ReferenceRequest referenceRequest(bool interpreterOnly);
  /// The op that importing made for a value; null where there is none.
  mlir::Operation *findImported(int64_t value);

  /// The value that each output of a launch is, -1 where it is none.
  static llvm::SmallVector<int64_t> getOutputValues(kernel::LaunchOp launch);

  driver::CompileOptions options;
  driver::Compilation compilation;
  ValueNames names;
  llvm::DenseSet<int64_t> onlyValues;
  mlir::OwningOpRef<mlir::ModuleOp> imported;

private:
  Subject(const driver::CompileOptions &options, driver::Compilation::AfterPass afterPass);

  driver::CompileResult result;
};

} // namespace graphc::verify

#endif // GRAPHC_TOOLS_VERIFY_SUBJECT_H
