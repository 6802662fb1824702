// An opened artifact: checked plan, code of one CPU level, constants in place. Immutable and shared by any number of contexts.
//
//   std::shared_ptr<const Model> model = Model::open(ArtifactFile::open(path), options);
//   model->plan(), model->kernel(i), model->constant(i) …
#ifndef GRAPHC_RUNTIME_LOADER_MODEL_H
#define GRAPHC_RUNTIME_LOADER_MODEL_H

#include "runtime/exec/Dims.h"
#include "runtime/graphc.h"
#include "runtime/loader/ArtifactFile.h"
#include "runtime/loader/LoadedCode.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

struct ModelOptions {
  std::string cpuLevel; // "" : the best that fits
  bool verifyWeights = false;
};

/// A kernel of the level in use; DimRefs are -1 where the launch step's hold.
struct LoadedKernel {
  graphc_kernel function;
  int32_t units, chunk, scratchBytes;
};

/// An input or output as the API shows it.
struct ModelTensor {
  std::string name, path;
  graphc_dtype dtype;
  std::vector<graphc_dim> dims;
  std::vector<int32_t> dimRefs;
  std::vector<uint32_t> order;
  bool isScalar = false, isMutated = false, isRowMajor = false;
  uint32_t location = 0; // of what needs isRowMajor
};

class Model {
public:
  /// Throws Failure ARTIFACT, UNSUPPORTED, MEMORY.
  static std::shared_ptr<const Model> open(ArtifactFile file, const ModelOptions &options);

  const plan::Plan &plan() const { return *plan_; }
  const DimTable &dimTable() const { return *dimTable_; }
  const LoadedKernel &kernel(uint32_t index) const { return kernels_[index]; }
  const std::byte *constant(uint32_t index) const;
  const std::vector<ModelTensor> &inputs() const { return inputs_; }
  const std::vector<ModelTensor> &outputs() const { return outputs_; }
  const ArtifactFile &file() const { return file_; }
  const std::string &level() const { return level_; }
  uint64_t codeBytes() const { return code_ ? code_->size() : 0; }
  uint64_t weightBytes() const;
  /// Tells this plan from all others; part of a saved state.
  const uint8_t *fingerprint() const { return fingerprint_; }
  /// "model.py:12 (encoder.layer.0): self.fc(x)", or "" when unknown.
  std::string locationText(uint32_t location) const;

private:
  Model(ArtifactFile file, const ModelOptions &options);
  void loadPlan();
  void chooseLevel(const std::string &wanted);
  void loadCode();
  void readTensors();
  std::vector<ModelTensor> tensors(const flatbuffers::Vector<flatbuffers::Offset<plan::TensorInfo>> *infos);

  ArtifactFile file_;
  std::vector<std::byte> planBytes_;
  const plan::Plan *plan_ = nullptr;
  uint8_t fingerprint_[32] = {};
  std::unique_ptr<DimTable> dimTable_;
  std::string level_;
  uint32_t levelIndex_ = 0;
  std::unique_ptr<LoadedCode> code_;
  std::vector<LoadedKernel> kernels_;
  std::vector<std::span<const std::byte>> weights_;
  std::vector<ModelTensor> inputs_, outputs_;
  std::deque<std::string> dimTexts_; // what graphc_dim::symbol points to
};

} // namespace graphc::runtime

struct graphc_model {
  std::shared_ptr<const graphc::runtime::Model> model;
};

#endif // GRAPHC_RUNTIME_LOADER_MODEL_H
