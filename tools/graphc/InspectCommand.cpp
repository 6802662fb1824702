// `graphc inspect FILE.gcx [--steps] [--verify] [--json]`: what an artifact holds. The file is opened by the runtime first, so
// that all that is printed has passed the loader's checks.
#include "runtime/graphc.hpp"
#include "runtime/plan/Artifact.h"
#include "runtime/plan/Plan_generated.h"
#include "tools/driver/Failure.h"
#include "tools/driver/OutputFile.h"
#include "tools/graphc/Commands.h"
#include "tools/graphc/Feed.h"
#include "tools/graphc/LoadedModel.h"
#include "tools/graphc/Summary.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <cstring>
#include <fmt/format.h>

namespace graphc::cli {
namespace {

/// An opened artifact beside its bytes.
struct Inspected {
  std::string path;
  std::vector<std::byte> bytes;
  std::unique_ptr<graphc::Model> model;
  ArtifactHeader header{};
  std::vector<ArtifactSection> sections;
  std::vector<const plan::Plan *> plans; // one per target
};

const char *kindName(uint32_t kind) {
  switch (static_cast<SectionKind>(kind)) {
  case SectionKind::Plan: return "plan";
  case SectionKind::CodeImage: return "code";
  case SectionKind::Weights: return "weights";
  case SectionKind::WeightHashes: return "weight hashes";
  case SectionKind::Notes: return "notes";
  }
  return "unknown";
}

/// The loader has checked that the table and the sections lie inside the file and that plans are sound.
void readSections(Inspected &file) {
  std::memcpy(&file.header, file.bytes.data(), sizeof file.header);
  for (uint32_t i = 0; i < file.header.sectionCount; ++i) {
    ArtifactSection section;
    std::memcpy(&section, file.bytes.data() + file.header.tableOffset + i * sizeof section, sizeof section);
    file.sections.push_back(section);
    if (section.kind == static_cast<uint32_t>(SectionKind::Plan))
      file.plans.push_back(plan::GetPlan(file.bytes.data() + section.offset));
  }
}

llvm::Expected<Inspected> openArtifact(const std::string &path) {
  llvm::Expected<bool> artifact = isArtifact(path);
  if (!artifact)
    return artifact.takeError();
  Inspected file;
  file.path = path;
  file.model = std::make_unique<graphc::Model>(path); // says what is wrong where it is no artifact
  llvm::Expected<std::vector<std::byte>> bytes = driver::readFile(path);
  if (!bytes)
    return bytes.takeError();
  file.bytes = std::move(*bytes);
  readSections(file);
  return file;
}

std::string stateText(const plan::State &state) {
  std::vector<int64_t> dims;
  if (state.dims())
    dims.assign(state.dims()->begin(), state.dims()->end());
  return fmt::format("{} = {}", state.name()->str(),
                     npz::describeType(static_cast<npz::ScalarType>(state.dtype()), dims));
}

std::string symbolText(const plan::Symbol &symbol) {
  std::string range = symbol.max() == INT64_MAX ? fmt::format("{} or more", symbol.min())
                                                : fmt::format("{} to {}", symbol.min(), symbol.max());
  return fmt::format("{}: {}{}", symbol.name()->str(), range,
                     symbol.origin() ? ", " + symbol.origin()->str() : std::string());
}

void printInterface(const Inspected &file) {
  const graphc::Model &model = *file.model;
  for (uint32_t i = 0; i < model.inputCount(); ++i)
    fmt::print("input  {}\n", describeTensor(model.input(i)));
  for (uint32_t i = 0; i < model.outputCount(); ++i)
    fmt::print("output {}\n", describeTensor(model.output(i)));
  const plan::Plan &first = *file.plans.front();
  for (uint32_t i = 0; first.states() && i < first.states()->size(); ++i)
    fmt::print("state  {}\n", stateText(*first.states()->Get(i)));
  for (uint32_t i = 0; first.symbols() && i < first.symbols()->size(); ++i)
    fmt::print("symbol {}\n", symbolText(*first.symbols()->Get(i)));
}

void printSections(const Inspected &file) {
  for (const ArtifactSection &section : file.sections)
    fmt::print("section {} {}: {}\n", kindName(section.kind), std::string(section.name, strnlen(section.name, 48)),
               formatBytes(static_cast<int64_t>(section.size)));
  for (const plan::Plan *one : file.plans) {
    fmt::print("target {}: {} kernels, {} constants,", one->target()->str(), one->kernels() ? one->kernels()->size() : 0,
               one->constants() ? one->constants()->size() : 0);
    for (uint32_t i = 0; i < one->variants()->size(); ++i) {
      const plan::Variant &variant = *one->variants()->Get(i);
      fmt::print("{} {} steps{}", i ? "," : "", variant.steps()->size(),
                 variant.name() ? " (" + variant.name()->str() + ")" : std::string());
    }
    fmt::print("\n");
  }
}

/// "default" or "strict", as compiled.
std::string numerics(const Inspected &file) {
  const flatbuffers::String *text = file.plans.front()->numerics();
  return text ? text->str() : "default";
}

void printSteps(const graphc::Model &model) {
  for (uint32_t variant = 0; variant < model.info().variant_count; ++variant) {
    uint32_t count = 0;
    graphc::check(graphc_model_step_count(model.get(), variant, &count));
    fmt::print("variant {}\n", variant);
    for (uint32_t i = 0; i < count; ++i) {
      graphc_step_info step{};
      step.size = sizeof step;
      graphc::check(graphc_model_step_info(model.get(), variant, i, &step));
      fmt::print("  {:4} {:8} {}", i, step.kind, step.name ? step.name : "");
      if (step.file)
        fmt::print("  {}:{}", step.file, step.line);
      if (step.module_path && *step.module_path)
        fmt::print(" in {}", step.module_path);
      fmt::print("{}\n", step.location_count > 1 ? fmt::format(" and {} more", step.location_count - 1) : "");
    }
  }
}

llvm::json::Object tensorJson(const graphc::TensorInfo &info) {
  llvm::json::Array dims;
  for (uint32_t i = 0; i < info.rank; ++i)
    dims.push_back(info.dims[i].value >= 0 ? llvm::json::Value(info.dims[i].value)
                                           : llvm::json::Value(info.dims[i].symbol ? info.dims[i].symbol : "?"));
  return llvm::json::Object{{"name", info.name}, {"dtype", graphc_dtype_name(info.dtype)}, {"dims", std::move(dims)}};
}

void printJson(const Inspected &file) {
  const graphc::Model &model = *file.model;
  graphc_model_info info = model.info();
  llvm::json::Array inputs, outputs, sections;
  for (uint32_t i = 0; i < model.inputCount(); ++i)
    inputs.push_back(tensorJson(model.input(i)));
  for (uint32_t i = 0; i < model.outputCount(); ++i)
    outputs.push_back(tensorJson(model.output(i)));
  for (const ArtifactSection &section : file.sections)
    sections.push_back(llvm::json::Object{{"kind", kindName(section.kind)},
                                          {"name", std::string(section.name, strnlen(section.name, 48))},
                                          {"bytes", static_cast<int64_t>(section.size)}});
  const plan::Plan &first = *file.plans.front();
  llvm::json::Object object{{"file_bytes", static_cast<int64_t>(file.bytes.size())},
                            {"format", fmt::format("{}.{}", info.format_major, info.format_minor)},
                            {"producer", info.producer},
                            {"model", info.name},
                            {"entry", info.entry},
                            {"level", info.level},
                            {"numerics", numerics(file)},
                            {"inputs", std::move(inputs)},
                            {"outputs", std::move(outputs)},
                            {"states", info.state_count},
                            {"variants", info.variant_count},
                            {"kernels", first.kernels() ? static_cast<int64_t>(first.kernels()->size()) : 0},
                            {"code_bytes", static_cast<int64_t>(info.code_bytes)},
                            {"weight_bytes", static_cast<int64_t>(info.weight_bytes)},
                            {"sections", std::move(sections)}};
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
  llvm::outs().flush();
}

} // namespace

llvm::Error inspectCommand(const Arguments &arguments) {
  CLI::App app("Shows what an artifact holds.", "graphc inspect");
  std::string path;
  bool steps = false, verify = false, json = false;
  app.add_option("FILE", path, "an artifact (.gcx)")->required();
  app.add_flag("--steps", steps, "also list the steps of the plan with their source lines");
  app.add_flag("--verify", verify, "also check the weights against their hashes");
  app.add_flag("--json", json, "print one JSON document");
  llvm::Expected<bool> goOn = parse(app, arguments);
  if (!goOn || !*goOn)
    return goOn.takeError();
  try {
    llvm::Expected<Inspected> file = openArtifact(path);
    if (!file)
      return file.takeError();
    if (verify)
      file->model->verify();
    if (json) {
      printJson(*file);
      return llvm::Error::success();
    }
    graphc_model_info info = file->model->info();
    fmt::print("{}: {}, artifact format {}.{}, by {}\n", path, formatBytes(static_cast<int64_t>(file->bytes.size())),
               info.format_major, info.format_minor, info.producer);
    fmt::print("model {}, method {}, numerics {}; this machine runs its {} code{}\n", info.name, info.entry,
               numerics(*file), info.level, verify ? "; weights verified" : "");
    printInterface(*file);
    printSections(*file);
    if (steps)
      printSteps(*file->model);
  } catch (const graphc::Error &error) {
    return fromRuntime(error);
  }
  return llvm::Error::success();
}

} // namespace graphc::cli
