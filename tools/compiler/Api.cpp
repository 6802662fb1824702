// The C functions of graphc_compiler.h: arguments checked, every exception ended here.
#include "tools/compiler/Handles.h"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace graphc;

namespace {

thread_local std::string interpreterError;

std::vector<std::string> texts(const char *const *list, size_t count) {
  std::vector<std::string> result;
  for (size_t i = 0; list && i < count; ++i)
    result.push_back(list[i] ? list[i] : "");
  return result;
}

/// Fields beyond the caller's `size` read as zero.
graphc_compile_options known(const graphc_compile_options *given) {
  graphc_compile_options options = {};
  if (given)
    std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

driver::OptionTexts toTexts(const graphc_compile_options &options) {
  driver::OptionTexts result;
  result.method = options.method ? options.method : "";
  result.level = options.opt ? options.opt : "";
  result.debugSkip = options.debug_skip ? options.debug_skip : "";
  result.inputs = texts(options.inputs, options.input_count);
  result.binds = texts(options.binds, options.bind_count);
  result.targets = texts(options.targets, options.target_count);
  return result;
}

/// The bytes as a file without a name, which every reader can map.
class MemoryFile {
public:
  MemoryFile(const void *data, size_t size) : descriptor(memfd_create("graphc-model", MFD_CLOEXEC)) {
    const char *next = static_cast<const char *>(data);
    while (descriptor >= 0 && size > 0) {
      ssize_t written = write(descriptor, next, size);
      if (written <= 0) {
        close(descriptor);
        descriptor = -1;
      } else {
        next += written, size -= size_t(written);
      }
    }
  }
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  bool isGood() const { return descriptor >= 0; }
  std::string path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor); }

private:
  int descriptor;
};

/// Runs `body` on a new compilation and hands it over; memory running out is an answer like others.
template <typename Body> graphc_compile_status makeCompilation(graphc_compilation **result, Body body) {
  *result = nullptr;
  try {
    auto compilation = std::make_unique<graphc_compilation>();
    try {
      body(*compilation);
    } catch (const std::bad_alloc &) {
      compilation->status = GRAPHC_COMPILE_ENVIRONMENT;
      compilation->error = "out of memory";
      compilation->diagnostics = {{GRAPHC_ERROR, compilation->error, "", 0, 0}};
    }
    *result = compilation.release();
    return (*result)->status;
  } catch (...) {
    return GRAPHC_COMPILE_ENVIRONMENT;
  }
}

void failEnvironment(graphc_compilation &compilation, const std::string &text) {
  compilation.status = GRAPHC_COMPILE_ENVIRONMENT;
  compilation.error = text;
  compilation.diagnostics.push_back({GRAPHC_ERROR, text, "", 0, 0});
}

} // namespace

graphc_compile_status graphc_compile_file(const char *path, const graphc_compile_options *options, graphc_compilation **compilation) {
  if (!path || !compilation)
    return GRAPHC_COMPILE_USAGE;
  return makeCompilation(compilation, [&](graphc_compilation &result) {
    compiler::compileInto(result, path, path, toTexts(known(options)));
  });
}

graphc_compile_status graphc_compile_bytes(const void *data, size_t size, const graphc_compile_options *options,
                                           graphc_compilation **compilation) {
  if ((!data && size) || !compilation)
    return GRAPHC_COMPILE_USAGE;
  return makeCompilation(compilation, [&](graphc_compilation &result) {
    MemoryFile file(data, size);
    if (!file.isGood())
      return failEnvironment(result, "no memory for a copy of the model's bytes");
    graphc_compile_options values = known(options);
    compiler::compileInto(result, file.path(), values.name ? values.name : "model", toTexts(values));
  });
}

void graphc_compilation_release(graphc_compilation *compilation) { delete compilation; }

graphc_compile_status graphc_compilation_status(const graphc_compilation *compilation) {
  return compilation ? compilation->status : GRAPHC_COMPILE_USAGE;
}

const void *graphc_compilation_artifact(const graphc_compilation *compilation, size_t *size) {
  if (size)
    *size = compilation ? compilation->artifactSize : 0;
  return compilation ? compilation->artifact.get() : nullptr;
}

const char *graphc_compilation_report(const graphc_compilation *compilation) { return compilation ? compilation->report.c_str() : "{}"; }

size_t graphc_compilation_diagnostic_count(const graphc_compilation *compilation) {
  return compilation ? compilation->diagnostics.size() : 0;
}

int graphc_compilation_diagnostic(const graphc_compilation *compilation, size_t index, graphc_diagnostic *diagnostic) {
  if (!compilation || !diagnostic || index >= compilation->diagnostics.size())
    return 1;
  const graphc_compilation::Entry &entry = compilation->diagnostics[index];
  graphc_diagnostic full = {diagnostic->size, entry.severity, entry.message.c_str(), entry.file.c_str(), entry.line, entry.column};
  std::memcpy(diagnostic, &full, std::min(diagnostic->size, sizeof full));
  return 0;
}

const char *graphc_compilation_error(const graphc_compilation *compilation) { return compilation ? compilation->error.c_str() : ""; }

graphc_compile_status graphc_compilation_interpret(graphc_compilation *compilation, const graphc_tensor *inputs, size_t input_count,
                                                   graphc_precision precision, graphc_interpretation **interpretation) {
  if (!compilation || (!inputs && input_count) || !interpretation)
    return GRAPHC_COMPILE_USAGE;
  *interpretation = nullptr;
  try {
    auto result = compiler::interpret(*compilation, {inputs, input_count}, precision);
    if (result) {
      *interpretation = result->release();
      return GRAPHC_COMPILE_DONE;
    }
    driver::FailureText text = driver::describe(result.takeError());
    interpreterError = text.message;
    return graphc_compile_status(text.status);
  } catch (const std::bad_alloc &) {
    interpreterError = "out of memory";
    return GRAPHC_COMPILE_ENVIRONMENT;
  } catch (const std::exception &exception) {
    interpreterError = std::string("internal error: ") + exception.what();
    return GRAPHC_COMPILE_INTERNAL;
  }
}

const char *graphc_interpreter_error(void) { return interpreterError.c_str(); }

size_t graphc_interpretation_output_count(const graphc_interpretation *interpretation) {
  return interpretation ? interpretation->outputs.size() : 0;
}

int graphc_interpretation_output(const graphc_interpretation *interpretation, size_t index, graphc_tensor *tensor) {
  if (!interpretation || !tensor || index >= interpretation->outputs.size())
    return 1;
  const graphc_interpretation::Output &output = interpretation->outputs[index];
  graphc_tensor full = {tensor->size, const_cast<std::byte *>(output.bytes.data()), output.dtype, uint32_t(output.dims.size()),
                        output.dims.data(), nullptr};
  std::memcpy(tensor, &full, std::min(tensor->size, sizeof full));
  return 0;
}

void graphc_interpretation_release(graphc_interpretation *interpretation) { delete interpretation; }
