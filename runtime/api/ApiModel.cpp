// graphc.h: versions, dtypes, devices, models.
#include "runtime/cpu/CpuLevel.h"
#include "runtime/loader/Model.h"
#include "runtime/status/Failure.h"

#include <cstring>
#include <string_view>

using namespace graphc;
using namespace graphc::runtime;

namespace {

constexpr struct {
  size_t size;
  const char *name;
} dtypes[] = {{1, "u8"}, {1, "i8"}, {2, "i16"}, {4, "i32"}, {8, "i64"}, {2, "f16"}, {2, "bf16"}, {4, "f32"}, {8, "f64"}, {1, "bool"}};

template <typename T> T &required(T *pointer, const char *what) {
  if (!pointer)
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("the argument '", what, "' is NULL"));
  return *pointer;
}

/// A structure of the caller: not null, and of a size that this version fills.
template <typename T> T &sized(T *structure, const char *type) {
  T &s = required(structure, type);
  if (s.size < sizeof(T))
    throw Failure(GRAPHC_ERROR_ARGUMENT, text(type, "::size is ", s.size, ", expected ", sizeof(T), "; set it to sizeof(", type, ")"));
  return s;
}

const char *cString(const flatbuffers::String *string) { return string ? string->c_str() : ""; }
const char *orNull(const flatbuffers::String *string) { return string && string->size() ? string->c_str() : nullptr; }

ModelOptions optionsOf(const graphc_model_options *options) {
  ModelOptions result;
  if (!options)
    return result;
  sized(options, "graphc_model_options");
  result.cpuLevel = options->cpu_level ? options->cpu_level : "";
  result.verifyWeights = options->verify != 0;
  return result;
}

void fill(const std::vector<ModelTensor> &tensors, uint32_t index, const char *what, graphc_tensor_info *info) {
  sized(info, "graphc_tensor_info");
  if (index >= tensors.size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text(what, " ", index, " does not exist; the model has ", tensors.size()));
  const ModelTensor &tensor = tensors[index];
  info->name = tensor.name.c_str();
  info->path = tensor.path.c_str();
  info->dtype = tensor.dtype;
  info->rank = static_cast<uint32_t>(tensor.dims.size());
  info->dims = tensor.dims.data();
  info->order = tensor.order.data();
  info->is_scalar = tensor.isScalar;
  info->is_mutated = tensor.isMutated;
  info->is_row_major = tensor.isRowMajor;
}

uint32_t find(const std::vector<ModelTensor> &tensors, const char *name, const char *what, const char *prefix) {
  required(name, "name");
  std::string known;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name)
      return i;
    known += (i ? ", " : "") + tensors[i].name;
  }
  for (uint32_t i = 0; i < tensors.size(); ++i)
    if (prefix + std::to_string(i) == name)
      return i;
  throw Failure(GRAPHC_ERROR_ARGUMENT, text("the model has no ", what, " '", name, "'; it has: ", known));
}

const char *kindName(plan::StepBody kind) {
  static const char *const names[] = {"none", "launch", "copy", "store", "if", "loop", "state write", "raise", "library call", "fallback"};
  return names[static_cast<int>(kind)];
}

const plan::Variant &variantAt(const graphc_model *model, uint32_t variant) {
  const auto *variants = required(model, "model").model->plan().variants();
  if (variant >= variants->size())
    throw Failure(GRAPHC_ERROR_ARGUMENT, text("variant ", variant, " does not exist; the model has ", variants->size()));
  return *variants->Get(variant);
}

} // namespace

extern "C" {

const char *graphc_version(void) { return "0.1.0"; }

size_t graphc_dtype_size(graphc_dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  return index < std::size(dtypes) ? dtypes[index].size : 0;
}

const char *graphc_dtype_name(graphc_dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  return index < std::size(dtypes) ? dtypes[index].name : "unknown dtype";
}

int32_t graphc_device_count(graphc_device_type type) { return type == GRAPHC_DEVICE_CPU ? 1 : 0; }

const char *graphc_cpu_level(void) {
  static const char *const level = machineLevel();
  return level;
}

graphc_status graphc_model_open(const char *path, const graphc_model_options *options, graphc_model **model) {
  return guarded([&] {
    required(model, "model") = nullptr;
    *model = new graphc_model{Model::open(ArtifactFile::open(&required(path, "path")), optionsOf(options))};
  });
}

graphc_status graphc_model_open_memory(const void *data, size_t size, const graphc_model_options *options,
                                       graphc_model **model) {
  return guarded([&] {
    required(model, "model") = nullptr;
    const auto *bytes = &required(static_cast<const std::byte *>(data), "data");
    *model = new graphc_model{Model::open(ArtifactFile::fromMemory({bytes, size}), optionsOf(options))};
  });
}

void graphc_model_release(graphc_model *model) { delete model; }

graphc_status graphc_model_verify(const graphc_model *model) {
  return guarded([&] { required(model, "model").model->file().verifyWeights(); });
}

graphc_status graphc_model_get_info(const graphc_model *model, graphc_model_info *info) {
  return guarded([&] {
    const Model &m = *required(model, "model").model;
    sized(info, "graphc_model_info");
    const plan::Plan &plan = m.plan();
    info->name = cString(plan.model());
    info->entry = cString(plan.entry());
    info->producer = cString(plan.producer());
    info->target = cString(plan.target());
    info->level = m.level().c_str();
    info->format_major = artifactMajor;
    info->format_minor = m.file().minor();
    info->input_count = static_cast<uint32_t>(m.inputs().size());
    info->output_count = static_cast<uint32_t>(m.outputs().size());
    info->state_count = plan.states() ? plan.states()->size() : 0;
    info->symbol_count = plan.symbols() ? plan.symbols()->size() : 0;
    info->variant_count = plan.variants()->size();
    info->code_bytes = m.codeBytes();
    info->weight_bytes = m.weightBytes();
  });
}

graphc_status graphc_model_input_info(const graphc_model *model, uint32_t index, graphc_tensor_info *info) {
  return guarded([&] { fill(required(model, "model").model->inputs(), index, "input", info); });
}

graphc_status graphc_model_output_info(const graphc_model *model, uint32_t index, graphc_tensor_info *info) {
  return guarded([&] { fill(required(model, "model").model->outputs(), index, "output", info); });
}

graphc_status graphc_model_find_input(const graphc_model *model, const char *name, uint32_t *index) {
  return guarded([&] { required(index, "index") = find(required(model, "model").model->inputs(), name, "input", "in"); });
}

graphc_status graphc_model_find_output(const graphc_model *model, const char *name, uint32_t *index) {
  return guarded([&] { required(index, "index") = find(required(model, "model").model->outputs(), name, "output", "out"); });
}

graphc_status graphc_model_step_count(const graphc_model *model, uint32_t variant, uint32_t *count) {
  return guarded([&] { required(count, "count") = variantAt(model, variant).steps()->size(); });
}

graphc_status graphc_model_step_info(const graphc_model *model, uint32_t variant, uint32_t step, graphc_step_info *info) {
  return guarded([&] {
    const plan::Variant &v = variantAt(model, variant);
    sized(info, "graphc_step_info");
    if (step >= v.steps()->size())
      throw Failure(GRAPHC_ERROR_ARGUMENT, text("step ", step, " does not exist; variant ", variant, " has ", v.steps()->size()));
    const plan::Step &s = *v.steps()->Get(step);
    const plan::Plan &plan = model->model->plan();
    const bool located = s.locations() && s.locations()->size() > 0 && plan.locations();
    const plan::Location *at = located ? plan.locations()->Get(s.locations()->Get(0)) : nullptr;
    info->name = cString(s.name());
    info->kind = kindName(s.body_type());
    info->file = at ? orNull(at->file()) : nullptr;
    info->line = at ? at->line() : 0;
    info->module_path = at ? orNull(at->module_path()) : nullptr;
    info->text = at ? orNull(at->text()) : nullptr;
    info->location_count = s.locations() ? s.locations()->size() : 0;
  });
}

} // extern "C"
