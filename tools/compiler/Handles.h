// The C++ behind graphc_compiler.h: one compile with all that came of it. Api.cpp wraps it for C.
#ifndef GRAPHC_TOOLS_COMPILER_HANDLES_H
#define GRAPHC_TOOLS_COMPILER_HANDLES_H

#include "tools/compiler/graphc_compiler.h"
#include "tools/driver/Failure.h"
#include "tools/driver/InterpretedModel.h"
#include "tools/driver/OptionTexts.h"

#include <memory>

struct graphc_compilation {
  struct Entry {
    graphc_severity severity = GRAPHC_ERROR;
    std::string message, file;
    uint32_t line = 0, column = 0;
  };
  graphc_compile_status status = GRAPHC_COMPILE_DONE;
  std::string error, report = "{}";
  std::vector<Entry> diagnostics; // errors first
  std::shared_ptr<std::byte> artifact; // page-aligned
  size_t artifactSize = 0;
  std::unique_ptr<graphc::driver::InterpretedModel> interpreted;
};

struct graphc_interpretation {
  struct Output {
    std::vector<std::byte> bytes;
    std::vector<int64_t> dims;
    graphc_dtype dtype = GRAPHC_F32;
  };
  std::vector<Output> outputs;
};

namespace graphc::compiler {

/// Compiles the file at `path`, which messages call `name`. Always fills `result`; throws nothing but std::bad_alloc.
void compileInto(graphc_compilation &result, const std::string &path, const std::string &name,
                 const driver::OptionTexts &texts);

/// Runs result.interpreted. Errors as InterpretedModel::run, and for tensors of unknown dtypes.
llvm::Expected<std::unique_ptr<graphc_interpretation>>
interpret(graphc_compilation &compilation, llvm::ArrayRef<graphc_tensor> inputs, graphc_precision precision);

} // namespace graphc::compiler

#endif // GRAPHC_TOOLS_COMPILER_HANDLES_H
