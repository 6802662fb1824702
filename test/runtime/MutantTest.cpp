// Plans damaged at random and then hashed again, as a hostile or confused writer would: the FlatBuffers verifier and CheckPlan must
// refuse them or leave a model whose description can be read. (They are not run: kernels trust the plan's sizes.)
#include "TestPlan.h"

#include "runtime/plan/Artifact.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace graphc;
using namespace graphc::test;

namespace {

/// A plan with something in every table.
TestPlan richPlan() {
  TestPlan p;
  const int b = p.symbol("B", 1, 64, SymbolSource::InputDim, 0, 0), four = p.constant(4), n = p.binary(DimOp::Mul, b, four);
  const int count = p.symbol("count", 0, 1000, SymbolSource::StateValue, 0);
  const float weight[4] = {1, 2, 3, 4};
  p.input("x", DType::F32, {b, four});
  p.input("c", DType::Bool, {});
  p.output("y", DType::F32, {b, four});
  p.state("count", DType::I64, {});
  const uint32_t w = p.constantBuffer(p.constantData("w", DType::F32, {4}, weight));
  const uint32_t x = p.inputBuffer(0), c = p.inputBuffer(1), y = p.outputBuffer(0), t = p.arenaBuffer(DType::F32, {n}, 0, 4);
  const uint32_t view = p.arenaBuffer(DType::F32, {four}, 0, 4);
  p.variant().buffers[view]->alias_of = static_cast<int>(t);
  p.stateBuffer(0, {});
  plan::IfT branch;
  branch.predicate = static_cast<int>(c), branch.then_end = 2, branch.else_end = 3;
  p.step(std::move(branch));
  p.launch("double_f32", {x, t}, n, four).locations = {p.location("model.py", 3, "a.b")};
  p.launch("add_f32", {w, w, view}, four);
  p.launch("double_f32", {t, y}, n);
  plan::StateWriteT write;
  write.value = p.binary(DimOp::Add, count, p.constant(1));
  p.step(std::move(write));
  plan::RaiseT raise;
  raise.predicate = static_cast<int>(c), raise.message = p.message("no");
  p.step(std::move(raise));
  auto guard = std::make_unique<plan::GuardT>();
  guard->lhs = b, guard->rhs = four, guard->relation = Relation::Le;
  p.variant().guards.push_back(std::move(guard));
  p.variant().next = {0};
  p.plan.start = {0};
  return p;
}

/// Writes the hashes that fit the bytes.
void hashAgain(std::vector<std::byte> &bytes) {
  ArtifactHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<ArtifactSection> table(header.sectionCount);
  std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(ArtifactSection));
  for (ArtifactSection &section : table)
    if (section.kind == static_cast<uint32_t>(SectionKind::Plan))
      std::memcpy(section.sha256, sha256(std::span(bytes).subspan(section.offset, section.size)).data(), 32);
  Sha256 hash;
  hash.update(std::as_bytes(std::span(&header, 1)).first(32));
  hash.update(std::as_bytes(std::span(table)));
  std::memcpy(header.tableSha256, hash.finish().data(), 32);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, table.data(), table.size() * sizeof(ArtifactSection));
}

/// Everything that can be asked without a run.
void describe(graphc_model *model) {
  auto info = sized<graphc_model_info>();
  ASSERT_EQ(graphc_model_get_info(model, &info), GRAPHC_OK);
  for (uint32_t i = 0; i < info.input_count; ++i) {
    auto tensor = sized<graphc_tensor_info>();
    ASSERT_EQ(graphc_model_input_info(model, i, &tensor), GRAPHC_OK);
  }
  for (uint32_t v = 0; v < info.variant_count; ++v) {
    uint32_t steps = 0;
    ASSERT_EQ(graphc_model_step_count(model, v, &steps), GRAPHC_OK);
    for (uint32_t s = 0; s < steps; ++s) {
      auto step = sized<graphc_step_info>();
      ASSERT_EQ(graphc_model_step_info(model, v, s, &step), GRAPHC_OK);
    }
  }
  graphc_context *context = nullptr;
  const graphc_status status = graphc_context_create(model, nullptr, &context);
  ASSERT_TRUE(status == GRAPHC_OK || status == GRAPHC_ERROR_MEMORY) << graphc_last_error();
  graphc_context_release(context);
}

} // namespace

TEST(Mutant, HashedAgainNeverCrashTheLoader) {
  const std::vector<std::byte> good = richPlan().bytes();
  ArtifactSection plan;
  std::memcpy(&plan, good.data() + sizeof(ArtifactHeader), sizeof plan);
  ASSERT_EQ(plan.kind, static_cast<uint32_t>(SectionKind::Plan));
  std::mt19937 random(7);
  int opened = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::byte> bytes = good;
    for (uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
      std::byte &byte = bytes[plan.offset + random() % plan.size];
      byte = random() % 2 ? byte ^ std::byte(1 << random() % 8) : std::byte(random() % 256);
    }
    hashAgain(bytes);
    AlignedBytes aligned(bytes);
    graphc_model *model = nullptr;
    const graphc_status status = graphc_model_open_memory(aligned.data(), aligned.size(), nullptr, &model);
    if (status == GRAPHC_OK) {
      describe(model);
      ++opened;
    } else {
      ASSERT_TRUE(status == GRAPHC_ERROR_ARTIFACT || status == GRAPHC_ERROR_UNSUPPORTED) << graphc_last_error();
      ++refused;
    }
    graphc_model_release(model);
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(opened, 500) << "names and texts are most of the bytes";
}

TEST(Mutant, TheUndamagedPlanRuns) {
  const TestPlan p = richPlan();
  Context context(p.open());
  std::vector<float> x(8, 3);
  bool c = false;
  context.setInput(0, Tensor(x.data(), {2, 4}));
  context.setInput(1, Tensor(&c, {}));
  context.run();
  EXPECT_EQ(context.output(0).data<float>()[3], 16) << "2 * (w + w)";
}
