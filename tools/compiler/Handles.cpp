// See Handles.h.
#include "tools/compiler/Handles.h"
#include "ir/support/Check.h"
#include "ir/support/InternalError.h"
#include "tools/compiler/Diagnostics.h"
#include "tools/driver/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace graphc;
using namespace graphc::compiler;

namespace {

/// Where one dtype stands on both sides.
mlir::Type elementType(mlir::MLIRContext *context, graphc_dtype dtype) {
  mlir::Builder builder(context);
  switch (dtype) {
  case GRAPHC_U8: return mlir::IntegerType::get(context, 8, mlir::IntegerType::Unsigned);
  case GRAPHC_I8: return builder.getI8Type();
  case GRAPHC_I16: return builder.getI16Type();
  case GRAPHC_I32: return builder.getI32Type();
  case GRAPHC_I64: return builder.getI64Type();
  case GRAPHC_F16: return builder.getF16Type();
  case GRAPHC_BF16: return builder.getBF16Type();
  case GRAPHC_F32: return builder.getF32Type();
  case GRAPHC_F64: return builder.getF64Type();
  case GRAPHC_BOOL: return builder.getI1Type();
  }
  return nullptr;
}

std::optional<graphc_dtype> dtypeOf(mlir::Type type) {
  for (int dtype = GRAPHC_U8; dtype <= GRAPHC_BOOL; ++dtype)
    if (elementType(type.getContext(), graphc_dtype(dtype)) == type)
      return graphc_dtype(dtype);
  return std::nullopt;
}

/// A model of bytes has no path; where messages name the one it was read through, they get its name.
std::string rename(std::string text, const std::string &path, const std::string &name) {
  for (size_t at = 0; path != name && (at = text.find(path, at)) != std::string::npos; at += name.size())
    text.replace(at, path.size(), name);
  return text;
}

void fail(graphc_compilation &result, graphc_compile_status status, const std::string &text) {
  result.status = status;
  result.error = text;
  for (ErrorEntry &entry : splitErrors(text))
    result.diagnostics.push_back({GRAPHC_ERROR, std::move(entry.message), std::move(entry.file), entry.line, entry.column});
}

void addDiagnostics(graphc_compilation &result, const std::vector<driver::Diagnostic> &diagnostics) {
  for (const driver::Diagnostic &one : diagnostics)
    result.diagnostics.push_back({one.severity == driver::Diagnostic::Severity::Warning ? GRAPHC_WARNING : GRAPHC_NOTE, one.message, one.file,
                                  one.line, one.column});
}

llvm::Error interpretInto(graphc_compilation &result, const driver::CompileOptions &options) {
  llvm::Expected<std::unique_ptr<driver::InterpretedModel>> model = driver::InterpretedModel::build(options);
  if (!model)
    return model.takeError();
  addDiagnostics(result, (*model)->getDiagnostics());
  result.interpreted = std::move(*model);
  return llvm::Error::success();
}

llvm::Error generateInto(graphc_compilation &result, const driver::CompileOptions &options) {
  llvm::Expected<driver::CompileResult> compiled = driver::compile(options);
  if (!compiled)
    return compiled.takeError();
  result.artifact = std::move(compiled->artifact);
  result.artifactSize = compiled->artifactBytes;
  result.report = llvm::formatv("{0:2}", llvm::json::Value(driver::makeReport(*compiled))).str();
  addDiagnostics(result, compiled->diagnostics);
  return llvm::Error::success();
}

llvm::Error compileOrInterpret(graphc_compilation &result, const std::string &path, const std::string &name, driver::OptionTexts texts) {
  bool interpreter = llvm::is_contained(texts.targets, "interpreter");
  if (interpreter && texts.targets.size() > 1)
    return driver::failure(driver::ExitStatus::Usage, "the target interpreter stands alone: remove the other targets");
  if (interpreter)
    texts.targets.clear();
  llvm::Expected<driver::CompileOptions> options = driver::parseOptions(path, texts);
  if (!options)
    return options.takeError();
  options->name = name;
  return interpreter ? interpretInto(result, *options) : generateInto(result, *options);
}

} // namespace

void graphc::compiler::compileInto(graphc_compilation &result, const std::string &path, const std::string &name,
                                   const driver::OptionTexts &texts) {
  InternalErrorScope scope;
  try {
    if (llvm::Error error = compileOrInterpret(result, path, name, texts)) {
      driver::FailureText text = driver::describe(std::move(error));
      fail(result, graphc_compile_status(text.status), rename(text.message, path, name));
    }
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &exception) {
    fail(result, GRAPHC_COMPILE_INTERNAL, std::string("internal error: ") + exception.what());
  }
}

static llvm::Expected<interpreter::Tensor> toTensor(const graphc_tensor &tensor, mlir::MLIRContext &context) {
  mlir::Type type = elementType(&context, tensor.dtype);
  if (!type)
    return driver::failure(driver::ExitStatus::Usage, "unknown dtype " + std::to_string(tensor.dtype));
  if (tensor.strides)
    return driver::failure(driver::ExitStatus::Usage, "the interpreter takes tensors of default strides");
  llvm::ArrayRef<int64_t> dims(tensor.dims, tensor.rank);
  size_t bytes = interpreter::elementBytes(type);
  for (int64_t dim : dims)
    bytes *= size_t(dim);
  return interpreter::fromBytes(type, dims, {static_cast<const std::byte *>(tensor.data), bytes});
}

llvm::Expected<std::unique_ptr<graphc_interpretation>>
graphc::compiler::interpret(graphc_compilation &compilation, llvm::ArrayRef<graphc_tensor> inputs, graphc_precision precision) {
  if (!compilation.interpreted)
    return driver::failure(driver::ExitStatus::Usage, "this compilation is not for the target interpreter, or failed");
  InternalErrorScope scope;
  driver::InterpretedModel &model = *compilation.interpreted;
  std::vector<interpreter::Tensor> tensors;
  for (const graphc_tensor &input : inputs) {
    llvm::Expected<interpreter::Tensor> tensor = toTensor(input, model.getContext());
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  bool isDouble = precision == GRAPHC_PRECISION_DOUBLE;
  llvm::Expected<std::vector<interpreter::Tensor>> outputs =
      model.run(std::move(tensors), isDouble ? interpreter::Precision::Double : interpreter::Precision::Default);
  if (!outputs)
    return outputs.takeError();
  auto result = std::make_unique<graphc_interpretation>();
  for (interpreter::Tensor &tensor : *outputs) {
    if (isDouble && tensor.elementType().isF32())
      tensor.elements.type = mlir::Float64Type::get(&model.getContext());
    std::optional<graphc_dtype> dtype = dtypeOf(tensor.elementType());
    GRAPHC_CHECK(dtype, "the interpreter gave a tensor of a dtype that the API lacks");
    result->outputs.push_back({interpreter::toBytes(tensor), {tensor.sizes.begin(), tensor.sizes.end()}, *dtype});
  }
  return result;
}
