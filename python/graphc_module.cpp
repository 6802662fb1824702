// graphc._graphc: the compiler's and the runtime's C APIs for Python, tensors as DLPack. python/graphc/__init__.py makes the
// package of it.
//
// Input: models as a path or bytes, tensors of any library that speaks DLPack (torch, numpy, jax …) on the CPU. Output:
// artifacts, and result tensors in memory of their own that DLPack hands on. The interpreter lock is released while compiling
// and running.
#include "runtime/graphc.hpp"
#include "tools/compiler/graphc_compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <memory>
#include <mutex>

namespace nb = nanobind;
using Array = nb::ndarray<>;
using Result = nb::ndarray<nb::array_api>; // in Python an object with __dlpack__
using nb::dlpack::dtype_code;

namespace {

struct DType {
  graphc_dtype id;
  nb::dlpack::dtype code;
};
constexpr DType dtypes[] = {
    {GRAPHC_U8, {uint8_t(dtype_code::UInt), 8, 1}},    {GRAPHC_I8, {uint8_t(dtype_code::Int), 8, 1}},
    {GRAPHC_I16, {uint8_t(dtype_code::Int), 16, 1}},   {GRAPHC_I32, {uint8_t(dtype_code::Int), 32, 1}},
    {GRAPHC_I64, {uint8_t(dtype_code::Int), 64, 1}},   {GRAPHC_F16, {uint8_t(dtype_code::Float), 16, 1}},
    {GRAPHC_BF16, {uint8_t(dtype_code::Bfloat), 16, 1}}, {GRAPHC_F32, {uint8_t(dtype_code::Float), 32, 1}},
    {GRAPHC_F64, {uint8_t(dtype_code::Float), 64, 1}}, {GRAPHC_BOOL, {uint8_t(dtype_code::Bool), 8, 1}}};

graphc_dtype dtypeOf(const Array &array, const std::string &what) {
  for (const DType &one : dtypes)
    if (one.code == array.dtype())
      return one.id;
  throw nb::type_error((what + " has a dtype that graphc lacks; it has u8, i8, i16, i32, i64, f16, bf16, f32, f64, bool").c_str());
}

/// A tensor as the C API takes it; dims and strides live beside it, the data in `array`.
struct TensorView {
  TensorView(const Array &array, const std::string &what) : array(array) {
    if (array.device_type() != nb::device::cpu::value)
      throw nb::type_error((what + " lies on a device; expected a tensor in CPU memory").c_str());
    for (size_t d = 0; d < array.ndim(); ++d) {
      dims.push_back(int64_t(array.shape(d)));
      strides.push_back(array.stride(d));
    }
    dtype = dtypeOf(array, what);
  }
  graphc::Tensor view() const { return graphc::Tensor(array.data(), dtype, dims, strides); }
  Array array;
  graphc_dtype dtype;
  std::vector<int64_t> dims, strides;
};

std::vector<TensorView> viewAll(const std::vector<Array> &arrays) {
  std::vector<TensorView> views;
  for (size_t i = 0; i < arrays.size(); ++i)
    views.emplace_back(arrays[i], "input " + std::to_string(i));
  return views;
}

/// Memory for a result, given to Python with it.
Result allocate(graphc_dtype dtype, const std::vector<int64_t> &dims, const std::vector<int64_t> &strides) {
  size_t bytes = graphc_dtype_size(dtype);
  for (int64_t dim : dims)
    bytes *= size_t(dim);
  void *memory = std::aligned_alloc(64, (std::max<size_t>(bytes, 1) + 63) / 64 * 64);
  if (!memory)
    throw std::bad_alloc();
  nb::capsule owner(memory, [](void *p) noexcept { std::free(p); });
  std::vector<size_t> shape(dims.begin(), dims.end());
  return Result(memory, shape.size(), shape.data(), owner, strides.data(), dtypes[dtype].code, nb::device::cpu::value, 0);
}

/// Dense strides for `dims` with the dims in memory order `order`, outermost first.
std::vector<int64_t> denseStrides(const std::vector<int64_t> &dims, const uint32_t *order) {
  std::vector<int64_t> strides(dims.size());
  int64_t next = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    size_t d = order ? order[i] : i;
    strides[d] = next;
    next *= std::max<int64_t>(dims[d], 1);
  }
  return strides;
}

// ------------------------------------------------------------------------------------------------------------ compiling

struct Free {
  void operator()(graphc_compilation *compilation) const { graphc_compilation_release(compilation); }
  void operator()(graphc_interpretation *interpretation) const { graphc_interpretation_release(interpretation); }
};
using Compilation = std::shared_ptr<graphc_compilation>;

struct CompilationObject {
  Compilation handle;
};

using Texts = std::vector<std::string>;

struct Options {
  Options(const std::string &method, const Texts &inputs, const Texts &binds, const Texts &targets, const std::string &opt,
          const std::string &name, const std::string &skip)
      : inputs(pointers(inputs)), binds(pointers(binds)), targets(pointers(targets)) {
    c.size = sizeof c;
    c.method = method.c_str();
    c.inputs = this->inputs.data(), c.input_count = inputs.size();
    c.binds = this->binds.data(), c.bind_count = binds.size();
    c.targets = this->targets.data(), c.target_count = targets.size();
    c.opt = opt.c_str();
    c.name = name.c_str();
    c.debug_skip = skip.c_str();
  }
  static std::vector<const char *> pointers(const Texts &texts) {
    std::vector<const char *> result;
    for (const std::string &text : texts)
      result.push_back(text.c_str());
    return result;
  }
  std::vector<const char *> inputs, binds, targets;
  graphc_compile_options c = {};
};

CompilationObject compile(nb::object source, const std::string &method, const Texts &inputs, const Texts &binds, const Texts &targets,
                      const std::string &opt, const std::string &name, const std::string &skip) {
  Options options(method, inputs, binds, targets, opt, name, skip);
  graphc_compilation *compilation = nullptr;
  if (nb::isinstance<nb::bytes>(source)) {
    nb::bytes bytes = nb::borrow<nb::bytes>(source);
    nb::gil_scoped_release unlocked;
    graphc_compile_bytes(bytes.c_str(), bytes.size(), &options.c, &compilation);
  } else {
    std::string path = nb::cast<std::string>(source);
    nb::gil_scoped_release unlocked;
    graphc_compile_file(path.c_str(), &options.c, &compilation);
  }
  if (!compilation)
    throw std::bad_alloc();
  return {Compilation(compilation, graphc_compilation_release)};
}

/// [(severity, message, file, line, column)]
nb::list diagnosticsOf(const CompilationObject &compilation) {
  nb::list result;
  for (size_t i = 0; i < graphc_compilation_diagnostic_count(compilation.handle.get()); ++i) {
    graphc_diagnostic one = {};
    one.size = sizeof one;
    graphc_compilation_diagnostic(compilation.handle.get(), i, &one);
    result.append(nb::make_tuple(int(one.severity), one.message, one.file, one.line, one.column));
  }
  return result;
}

nb::bytes artifactOf(const CompilationObject &compilation) {
  size_t size = 0;
  const void *data = graphc_compilation_artifact(compilation.handle.get(), &size);
  return nb::bytes(data, size);
}

std::vector<Result> interpret(const CompilationObject &compilation, const std::vector<Array> &arrays, bool inDouble) {
  std::vector<TensorView> views = viewAll(arrays);
  std::vector<graphc_tensor> tensors;
  for (TensorView &view : views)
    tensors.push_back({sizeof(graphc_tensor), view.array.data(), view.dtype, uint32_t(view.dims.size()), view.dims.data(), nullptr});
  graphc_interpretation *raw = nullptr;
  graphc_compile_status status;
  {
    nb::gil_scoped_release unlocked;
    status = graphc_compilation_interpret(compilation.handle.get(), tensors.data(), tensors.size(),
                                          inDouble ? GRAPHC_PRECISION_DOUBLE : GRAPHC_PRECISION_MODEL, &raw);
  }
  std::unique_ptr<graphc_interpretation, Free> interpretation(raw);
  if (status != GRAPHC_COMPILE_DONE)
    throw std::runtime_error(graphc_interpreter_error());
  std::vector<Result> results;
  for (size_t i = 0; i < graphc_interpretation_output_count(raw); ++i) {
    graphc_tensor tensor = {};
    tensor.size = sizeof tensor;
    graphc_interpretation_output(raw, i, &tensor);
    std::vector<int64_t> dims(tensor.dims, tensor.dims + tensor.rank);
    results.push_back(allocate(tensor.dtype, dims, denseStrides(dims, nullptr)));
    if (results.back().nbytes() > 0)
      std::memcpy(results.back().data(), tensor.data, results.back().nbytes());
  }
  return results;
}

// -------------------------------------------------------------------------------------------------------------- running

struct ModelObject {
  Compilation compilation; // holds the artifact's memory; empty for a file
  graphc::Model model;
};

struct ContextObject {
  ContextObject(const ModelObject &model, uint32_t threads, bool arena) : compilation(model.compilation), context(model.model, options(threads, arena)) {}
  static const graphc_context_options *options(uint32_t threads, bool arena) {
    thread_local graphc_context_options options;
    options = {};
    options.size = sizeof options;
    options.threads = threads;
    options.arena = arena ? GRAPHC_ARENA_PLANNED : GRAPHC_ARENA_OFF;
    return &options;
  }
  Compilation compilation;
  graphc::Context context;
  std::mutex mutex;
};

ModelObject openFile(const std::string &path, const std::string &level) {
  graphc_model_options options = {};
  options.size = sizeof options;
  options.cpu_level = level.empty() ? nullptr : level.c_str();
  return {nullptr, graphc::Model(path, &options)};
}

ModelObject openCompiled(const CompilationObject &compilation, const std::string &level) {
  size_t size = 0;
  const void *data = graphc_compilation_artifact(compilation.handle.get(), &size);
  graphc_model_options options = {};
  options.size = sizeof options;
  options.cpu_level = level.empty() ? nullptr : level.c_str();
  return {compilation.handle, graphc::Model(data, size, &options)};
}

/// (name, path, dtype, dims); a dim is a number or the text of an expression.
nb::tuple describe(const graphc::TensorInfo &info) {
  nb::list dims;
  for (uint32_t d = 0; d < info.rank; ++d)
    if (info.dims[d].value >= 0)
      dims.append(info.dims[d].value);
    else
      dims.append(info.dims[d].symbol ? info.dims[d].symbol : "?");
  return nb::make_tuple(info.name ? info.name : "", info.path ? info.path : "", graphc_dtype_name(info.dtype), nb::tuple(dims));
}

nb::list infos(const ModelObject &model, bool inputs) {
  nb::list result;
  uint32_t count = inputs ? model.model.inputCount() : model.model.outputCount();
  for (uint32_t i = 0; i < count; ++i)
    result.append(describe(inputs ? model.model.input(i) : model.model.output(i)));
  return result;
}

std::vector<Result> run(ContextObject &self, const std::vector<Array> &arrays) {
  std::vector<TensorView> views = viewAll(arrays);
  std::vector<Result> results;
  std::unique_lock lock(self.mutex, std::defer_lock);
  {
    nb::gil_scoped_release unlocked;
    lock.lock();
  }
  uint32_t inputs = self.context.model().inputCount();
  if (views.size() != inputs)
    throw nb::type_error(("takes " + std::to_string(inputs) + " tensors, got " + std::to_string(views.size())).c_str());
  for (uint32_t i = 0; i < inputs; ++i)
    self.context.setInput(i, views[i].view());
  for (uint32_t i = 0; i < self.context.model().outputCount(); ++i) {
    graphc::TensorInfo info = self.context.model().output(i);
    std::vector<int64_t> dims = self.context.outputDims(i), strides = denseStrides(dims, info.order);
    results.push_back(allocate(info.dtype, dims, strides));
    self.context.bindOutput(i, graphc::Tensor(results.back().data(), info.dtype, dims, strides));
  }
  nb::gil_scoped_release unlocked;
  self.context.run();
  return results;
}

/// Raises graphc.RunError with what the runtime says.
void translate(const std::exception_ptr &thrown, void *) {
  try {
    std::rethrow_exception(thrown);
  } catch (const graphc::Error &error) {
    nb::object type = nb::module_::import_("graphc._errors").attr("RunError");
    nb::object value = type(error.what(), graphc_status_name(error.status()), error.code, error.op, error.file, error.line, error.modulePath);
    PyErr_SetObject(type.ptr(), value.ptr());
  }
}

} // namespace

NB_MODULE(_graphc, module) {
  nb::set_leak_warnings(false); // what a program holds to its end (a traced module holds its frames) is no mistake
  nb::register_exception_translator(translate);
  nb::class_<CompilationObject>(module, "Compilation")
      .def_prop_ro("status", [](const CompilationObject &self) { return int(graphc_compilation_status(self.handle.get())); })
      .def_prop_ro("error", [](const CompilationObject &self) { return graphc_compilation_error(self.handle.get()); })
      .def_prop_ro("report", [](const CompilationObject &self) { return graphc_compilation_report(self.handle.get()); })
      .def_prop_ro("diagnostics", diagnosticsOf)
      .def_prop_ro("artifact", artifactOf)
      .def("interpret", interpret, nb::arg("tensors"), nb::arg("double"));
  nb::class_<ModelObject>(module, "Model")
      .def_prop_ro("inputs", [](const ModelObject &self) { return infos(self, true); })
      .def_prop_ro("outputs", [](const ModelObject &self) { return infos(self, false); })
      .def_prop_ro("level", [](const ModelObject &self) { return self.model.info().level; });
  nb::class_<ContextObject>(module, "Context")
      .def(nb::init<const ModelObject &, uint32_t, bool>(), nb::arg("model"), nb::arg("threads"), nb::arg("arena"))
      .def("run", run, nb::arg("tensors"))
      .def("reset", [](ContextObject &self) { self.context.reset(); });
  module.def("compile", compile);
  module.def("open_file", openFile);
  module.def("open_compiled", openCompiled);
  module.def("version", &graphc_version);
}
