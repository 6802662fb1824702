// Builds plans and artifacts for the runtime's tests in few lines; the code images come from TestKernels.c.
//
//   TestPlan p;
//   int n = p.symbol("N", 0, 1 << 20, SymbolSource::InputDim, 0, 0);
//   p.input("a", DType::F32, {n}); p.input("b", DType::F32, {n}); p.output("sum", DType::F32, {n});
//   p.launch("add_f32", {p.inputBuffer(0), p.inputBuffer(1), p.outputBuffer(0)}, n);
//   std::shared_ptr<graphc_model> model = p.open();
#ifndef GRAPHC_TEST_RUNTIME_TESTPLAN_H
#define GRAPHC_TEST_RUNTIME_TESTPLAN_H

#include "codegen/artifact/ArtifactWriter.h"
#include "runtime/graphc.hpp"
#include "runtime/plan/Plan_generated.h"

#include <cstddef>
#include <string>
#include <vector>

namespace graphc::test {

using plan::BufferKind;
using plan::DimOp;
using plan::DType;
using plan::Relation;
using plan::SymbolSource;

/// Bytes aligned as graphc_model_open_memory wants them.
class AlignedBytes {
public:
  explicit AlignedBytes(const std::vector<std::byte> &bytes);
  std::byte *data() { return data_; }
  size_t size() const { return size_; }

private:
  std::vector<std::byte> storage_;
  std::byte *data_;
  size_t size_;
};

std::vector<std::byte> readFile(const std::string &path);
/// The linked image of TestKernels.c for level 3 or 4.
std::vector<std::byte> kernelImage(int level);

class TestPlan {
public:
  TestPlan();

  // Dims table entries.
  int constant(int64_t value);
  int symbol(const std::string &name, int64_t min, int64_t max, SymbolSource source, uint32_t index, uint32_t dim = 0);
  int binary(DimOp op, int a, int b);
  int bytesOf(DType dtype, const std::vector<int> &dims);

  // Tables of the plan.
  uint32_t input(const std::string &name, DType dtype, std::vector<int> dims);
  uint32_t output(const std::string &name, DType dtype, std::vector<int> dims);
  uint32_t state(const std::string &name, DType dtype, std::vector<int64_t> dims, int constant = -1);
  uint32_t constantData(const std::string &name, DType dtype, std::vector<int64_t> dims, const void *data);
  uint32_t location(const std::string &file, uint32_t line, const std::string &module);
  uint32_t message(const std::string &text);
  uint32_t kernel(const std::string &name);

  // The current variant (0 at first).
  void addVariant();
  plan::VariantT &variant() { return *plan.variants.back(); }
  uint32_t arenaBuffer(DType dtype, std::vector<int> dims, uint32_t first, uint32_t last);
  uint32_t inputBuffer(uint32_t input);
  uint32_t outputBuffer(uint32_t output);
  uint32_t constantBuffer(uint32_t constant);
  uint32_t stateBuffer(uint32_t state, std::vector<int> dims);
  /// `chunk` units a chunk, a dims entry; cost unknown (parallel where there is more than one chunk).
  plan::StepT &launch(const std::string &kernel, std::vector<uint32_t> buffers, int units, int chunk = -1, int scratch = -1);
  template <typename Body> plan::StepT &step(Body body) {
    auto step = std::make_unique<plan::StepT>();
    step->body.Set(std::move(body));
    variant().steps.push_back(std::move(step));
    return *variant().steps.back();
  }

  std::vector<std::byte> bytes() const;
  Model open(const graphc_model_options *options = nullptr) const;

  plan::PlanT plan;
  ArtifactWriter writer;
  int candidateChunk = -1; // DimRef of every kernel's candidates
  std::vector<std::string> levels; // images to add: "x86-64-v3" and, where this machine has it, "x86-64-v4"

private:
  uint32_t buffer(BufferKind kind, uint32_t index, DType dtype, std::vector<int> dims);
  mutable std::vector<std::shared_ptr<AlignedBytes>> opened_; // must outlive the models
};

/// sum = a + b over N floats, one unit an element, chunks of `chunk`.
TestPlan addPlan(int64_t chunk = 1000);

} // namespace graphc::test

#endif // GRAPHC_TEST_RUNTIME_TESTPLAN_H
