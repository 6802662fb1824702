// Loading in order: plan (hash, FlatBuffers verifier, rules of CheckPlan), level (what the CPU has), code (hash, ELF, copied to
// executable memory), weights (mapped; hashed on request).
#include "runtime/loader/Model.h"

#include "runtime/cpu/CpuLevel.h"
#include "runtime/loader/CheckPlan.h"
#include "runtime/status/Failure.h"

#include <climits>
#include <cstring>

namespace graphc::runtime {
namespace {

std::string join(const std::vector<std::string> &parts) {
  std::string all;
  for (const std::string &part : parts)
    all += (all.empty() ? "" : ", ") + part;
  return all;
}

template <typename String> std::string str(const String *string) { return string ? string->str() : std::string(); }

} // namespace

std::shared_ptr<const Model> Model::open(ArtifactFile file, const ModelOptions &options) {
  return std::shared_ptr<const Model>(new Model(std::move(file), options));
}

Model::Model(ArtifactFile file, const ModelOptions &options) : file_(std::move(file)) {
  for (const ArtifactSection *section : file_.all(SectionKind::Weights))
    weights_.push_back(file_.view(*section));
  loadPlan();
  chooseLevel(options.cpuLevel);
  loadCode();
  readTensors();
  if (options.verifyWeights)
    file_.verifyWeights();
}

void Model::loadPlan() {
  const ArtifactSection *section = file_.find(SectionKind::Plan, "cpu");
  if (!section)
    throw Failure(GRAPHC_ERROR_UNSUPPORTED, text("'", file_.name(), "' has no plan for the CPU; compile it with --target cpu"));
  planBytes_ = file_.copyChecked(*section);
  std::memcpy(fingerprint_, section->sha256, sizeof fingerprint_);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(planBytes_.data()), planBytes_.size(), 64, 50'000'000);
  if (!plan::VerifyPlanBuffer(verifier))
    throw Failure(GRAPHC_ERROR_ARTIFACT, text("'", file_.name(), "' is damaged: its CPU plan is no valid FlatBuffer"));
  plan_ = plan::GetPlan(planBytes_.data());
  std::vector<uint64_t> weightBytes;
  for (const auto &weights : weights_)
    weightBytes.push_back(weights.size());
  if (const std::string broken = checkPlan(*plan_, weightBytes); !broken.empty())
    throw Failure(GRAPHC_ERROR_ARTIFACT, text("'", file_.name(), "' has a plan that breaks a rule: ", broken));
  if (const std::string step = unsupportedStep(*plan_); !step.empty())
    throw Failure(GRAPHC_ERROR_UNSUPPORTED, text("'", file_.name(), "' contains ", step, ", which this runtime (",
                                                 graphc_version(), ") can't execute"));
  dimTable_ = std::make_unique<DimTable>(*plan_);
}

void Model::chooseLevel(const std::string &wanted) {
  std::vector<std::string> names, reasons;
  int best = -1;
  for (uint32_t i = 0; i < plan_->levels()->size(); ++i) {
    const std::string level = plan_->levels()->Get(i)->str();
    names.push_back(level);
    if (!wanted.empty() && wanted != level)
      continue;
    const std::vector<std::string> missing = missingFeatures(level);
    if (!missing.empty())
      reasons.push_back(level + " needs " + join(missing));
    else if (best < 0 || levelRank(level) > levelRank(names[static_cast<size_t>(best)]))
      best = static_cast<int>(i);
  }
  if (best >= 0) {
    levelIndex_ = static_cast<uint32_t>(best);
    level_ = names[levelIndex_];
    return;
  }
  if (reasons.empty())
    throw Failure(GRAPHC_ERROR_UNSUPPORTED,
                  text("'", file_.name(), "' has no code for level ", wanted, "; it has ", join(names)));
  std::string all;
  for (const std::string &reason : reasons)
    all += (all.empty() ? "" : "; ") + reason;
  throw Failure(GRAPHC_ERROR_UNSUPPORTED,
                text("'", file_.name(), "' has no code that this CPU can run: ", all, ". This CPU is ", machineLevel(),
                     "; compile the model with --target cpu:x86-64-v3, or run it on a newer machine"));
}

void Model::loadCode() {
  std::vector<std::byte> elf;
  const std::string sectionName = plan_->target()->str() + "/" + level_;
  bool found = false;
  for (const ArtifactSection *section : file_.all(SectionKind::CodeImage)) {
    std::vector<std::byte> bytes = file_.copyChecked(*section); // every image is checked, one is used
    if (section == file_.find(SectionKind::CodeImage, sectionName))
      elf = std::move(bytes), found = true;
  }
  const uint32_t kernelCount = plan_->kernels() ? plan_->kernels()->size() : 0;
  if (!found && kernelCount == 0)
    return;
  if (!found)
    throw Failure(GRAPHC_ERROR_ARTIFACT, text("'", file_.name(), "' has no code section '", sectionName, "'"));
  std::string error;
  const std::optional<CodeImage> image = CodeImage::parse(elf, error);
  if (!image)
    throw Failure(GRAPHC_ERROR_ARTIFACT, text("'", file_.name(), "', section '", sectionName, "': ", error));
  code_ = std::make_unique<LoadedCode>(*image, file_.name() + ":" + sectionName);
  kernels_.reserve(kernelCount);
  for (uint32_t i = 0; i < kernelCount; ++i) {
    const plan::Kernel &kernel = *plan_->kernels()->Get(i);
    const plan::KernelLevel &level = *kernel.levels()->Get(levelIndex_);
    const plan::Candidate &pick = *level.candidates()->Get(level.pick());
    if (!image->isCode(pick.entry()))
      throw Failure(GRAPHC_ERROR_ARTIFACT, text("'", file_.name(), "': kernel ", kernel.name()->str(), " starts at ",
                                                pick.entry(), ", outside the code of ", sectionName));
    kernels_.push_back({code_->kernel(pick.entry()), pick.units(), pick.chunk(), pick.scratch_bytes()});
  }
}

std::vector<ModelTensor> Model::tensors(const flatbuffers::Vector<flatbuffers::Offset<plan::TensorInfo>> *infos) {
  std::vector<ModelTensor> all;
  for (uint32_t i = 0; infos && i < infos->size(); ++i) {
    const plan::TensorInfo &info = *infos->Get(i);
    ModelTensor tensor;
    tensor.name = info.name()->str();
    tensor.path = str(info.path());
    tensor.dtype = static_cast<graphc_dtype>(info.dtype());
    tensor.isScalar = info.scalar();
    tensor.isMutated = info.mutated();
    tensor.isRowMajor = info.row_major();
    tensor.location = info.location();
    for (uint32_t d = 0; info.dims() && d < info.dims()->size(); ++d) {
      const int32_t ref = info.dims()->Get(d);
      const DimShape shape = dimShape(*plan_, ref);
      graphc_dim dim{-1, nullptr, 0, INT64_MAX};
      if (shape.isConstant) {
        dim = {shape.constant, nullptr, shape.constant, shape.constant};
      } else {
        dim.symbol = dimTexts_.emplace_back(dimText(*plan_, ref)).c_str();
        if (shape.symbol >= 0) {
          const plan::Symbol &symbol = *plan_->symbols()->Get(static_cast<uint32_t>(shape.symbol));
          dim.min = symbol.min(), dim.max = symbol.max();
        }
      }
      tensor.dims.push_back(dim);
      tensor.dimRefs.push_back(ref);
      tensor.order.push_back(info.order() && info.order()->size() ? info.order()->Get(d) : d);
    }
    all.push_back(std::move(tensor));
  }
  return all;
}

void Model::readTensors() {
  inputs_ = tensors(plan_->inputs());
  outputs_ = tensors(plan_->outputs());
}

const std::byte *Model::constant(uint32_t index) const {
  const plan::Constant &constant = *plan_->constants()->Get(index);
  return constant.size() == 0 ? nullptr : weights_[constant.section()].data() + constant.offset();
}

uint64_t Model::weightBytes() const {
  uint64_t total = 0;
  for (const auto &weights : weights_)
    total += weights.size();
  return total;
}

std::string Model::locationText(uint32_t location) const {
  if (!plan_->locations() || location >= plan_->locations()->size())
    return "";
  const plan::Location &at = *plan_->locations()->Get(location);
  if (!at.file() || at.file()->size() == 0)
    return "";
  std::string result = text(at.file()->str(), ":", at.line());
  if (at.module_path() && at.module_path()->size() > 0)
    result += " (" + at.module_path()->str() + ")";
  if (at.text() && at.text()->size() > 0)
    result += ": " + at.text()->str();
  return result;
}

} // namespace graphc::runtime
