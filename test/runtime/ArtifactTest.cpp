// The file: writing, opening, levels, damage of every kind, broken plans.
#include "TestPlan.h"

#include "runtime/cpu/CpuLevel.h"
#include "runtime/plan/Artifact.h"
#include "runtime/plan/CodeImage.h"
#include "runtime/plan/KernelAbi.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

using namespace graphc;
using namespace graphc::test;

namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Status of opening these bytes; OK closes it again.
graphc_status tryOpen(const std::vector<std::byte> &bytes, const graphc_model_options *options = nullptr) {
  AlignedBytes aligned(bytes);
  graphc_model *model = nullptr;
  const graphc_status status = graphc_model_open_memory(aligned.data(), aligned.size(), options, &model);
  EXPECT_EQ(status == GRAPHC_OK, model != nullptr);
  graphc_model_release(model);
  return status;
}

ArtifactSection sectionOf(const std::vector<std::byte> &bytes, SectionKind kind) {
  ArtifactHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (uint32_t i = 0; i < header.sectionCount; ++i) {
    ArtifactSection section;
    std::memcpy(&section, bytes.data() + header.tableOffset + i * sizeof section, sizeof section);
    if (section.kind == static_cast<uint32_t>(kind))
      return section;
  }
  ADD_FAILURE() << "no such section";
  return {};
}

/// sum = a + w, with a weight of 3 chunks and a bit.
TestPlan weightPlan() {
  TestPlan p;
  const int64_t count = 3 * (1 << 18) + 100;
  std::vector<float> w(count);
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = static_cast<float>(i % 1001);
  const int n = p.constant(count);
  p.input("a", DType::F32, {n});
  p.output("sum", DType::F32, {n});
  const uint32_t c = p.constantBuffer(p.constantData("w", DType::F32, {count}, w.data()));
  p.launch("add_f32", {p.inputBuffer(0), c, p.outputBuffer(0)}, n, p.constant(4096));
  return p;
}

class Folder {
public:
  Folder() : path(std::filesystem::temp_directory_path() / ("graphc-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

} // namespace

TEST(Artifact, WritesTheSameBytesEachTime) {
  const std::vector<std::byte> first = weightPlan().bytes(), second = weightPlan().bytes();
  EXPECT_EQ(first, second);
}

TEST(Artifact, SharesEqualWeights) {
  ArtifactWriter writer;
  const std::vector<std::byte> a(100, std::byte{1}), b(100, std::byte{2}), c(100, std::byte{1});
  const auto owner = std::make_shared<int>(0);
  const auto first = writer.addWeights(a, owner), second = writer.addWeights(b, owner), third = writer.addWeights(c, owner);
  EXPECT_EQ(first.offset, 0u);
  EXPECT_EQ(second.offset, 128u);
  EXPECT_EQ(third.offset, first.offset);
  EXPECT_EQ(writer.addWeights({}, owner).size, 0u);
}

TEST(Artifact, OpensFilesAndSurvivesTheirReplacement) {
  const Folder folder;
  const std::string path = folder.path / "model.gcx";
  TestPlan p = weightPlan();
  {
    std::ofstream file(path, std::ios::binary);
    const std::vector<std::byte> bytes = p.bytes();
    file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  const Model model(path);
  std::filesystem::remove(path);
  model.verify();
  Context context(model);
  std::vector<float> a(3 * (1 << 18) + 100, 0.5f);
  context.setInput(0, Tensor(a.data(), {static_cast<int64_t>(a.size())}));
  context.run();
  EXPECT_EQ(context.output(0).data<float>()[1005], 4.5f);
  const graphc_model_info info = model.info();
  EXPECT_STREQ(info.name, "test.pt");
  EXPECT_STREQ(info.level, graphc_cpu_level());
  EXPECT_GE(info.weight_bytes, a.size() * 4);
  EXPECT_GT(info.code_bytes, 0u);
}

TEST(Artifact, WriteFileReplacesAtOnceAndLeavesNothingBehind) {
  const Folder folder;
  const std::string path = folder.path / "model.gcx";
  ArtifactWriter writer;
  plan::PlanT plan = addPlan().plan;
  plan.kernels.clear();
  plan.variants.clear();
  plan.levels = {"x86-64-v3"};
  writer.addPlan(plan);
  EXPECT_EQ(writer.writeFile(path), std::nullopt);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
  const auto error = writer.writeFile(folder.path / "no/such/folder/model.gcx");
  ASSERT_TRUE(error);
  EXPECT_TRUE(contains(*error, "No such file or directory")) << *error;
  EXPECT_TRUE(contains(writer.writeFile(folder.path).value(), "it is a folder"));
  EXPECT_EQ(writer.writeFile("/dev/null"), std::nullopt); // written to as it is
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  writer.addCodeImage("cpu", "x86-64-v3", std::vector<std::byte>(100));
  EXPECT_TRUE(contains(writer.writeFile(path).value(), "no x86-64 ELF shared object"));
}

TEST(Artifact, NamesWhatIsNotAnArtifact) {
  const Folder folder;
  const std::string path = folder.path / "x.gcx";
  EXPECT_THROW(Model(path + "missing"), Error);
  EXPECT_TRUE(contains(graphc_last_error(), "cannot open"));
  EXPECT_THROW(Model(folder.path), Error);
  EXPECT_TRUE(contains(graphc_last_error(), "not a regular file"));
  std::ofstream(path).close();
  EXPECT_THROW(Model{path}, Error);
  EXPECT_TRUE(contains(graphc_last_error(), "'x.gcx' is not a graphc artifact (0 bytes"));
  std::ofstream(path) << std::string(5000, 'P');
  EXPECT_THROW(Model{path}, Error);
  EXPECT_TRUE(contains(graphc_last_error(), "is not a graphc artifact"));
}

TEST(Artifact, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = addPlan().bytes();
  ASSERT_EQ(tryOpen(bytes), GRAPHC_OK);
  for (size_t size = 0; size < bytes.size(); size += size < 2000 ? 1 : 97)
    EXPECT_EQ(tryOpen({bytes.begin(), bytes.begin() + static_cast<long>(size)}), GRAPHC_ERROR_ARTIFACT) << size;
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(tryOpen(longer), GRAPHC_ERROR_ARTIFACT);
}

TEST(Artifact, BitFlipsInHeaderPlanAndCodeAreRefused) {
  const std::vector<std::byte> bytes = addPlan().bytes();
  const auto flip = [&](uint64_t offset, int bit) {
    std::vector<std::byte> damaged = bytes;
    damaged[offset] ^= std::byte(1 << bit);
    const graphc_status status = tryOpen(damaged);
    EXPECT_TRUE(status == GRAPHC_ERROR_ARTIFACT || status == GRAPHC_ERROR_UNSUPPORTED) << "byte " << offset << " bit " << bit;
  };
  ArtifactHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (uint64_t i = 0; i < sizeof header + header.sectionCount * sizeof(ArtifactSection); ++i)
    flip(i, static_cast<int>(i % 8));
  for (SectionKind kind : {SectionKind::Plan, SectionKind::CodeImage}) {
    const ArtifactSection section = sectionOf(bytes, kind);
    for (uint64_t i = 0; i < section.size; i += 61)
      flip(section.offset + i, static_cast<int>(i % 8));
  }
}

TEST(Artifact, VerifyFindsDamagedWeights) {
  std::vector<std::byte> bytes = weightPlan().bytes();
  auto verify = sized<graphc_model_options>();
  verify.verify = 1;
  EXPECT_EQ(tryOpen(bytes, &verify), GRAPHC_OK);
  const ArtifactSection weights = sectionOf(bytes, SectionKind::Weights);
  bytes[weights.offset + (2 << 20) + 5] ^= std::byte{1};
  EXPECT_EQ(tryOpen(bytes), GRAPHC_OK) << "loading does not read the weights";
  EXPECT_EQ(tryOpen(bytes, &verify), GRAPHC_ERROR_ARTIFACT);
  EXPECT_TRUE(contains(graphc_last_error(), "bytes 2097152 to 3145728 of section 'weights'")) << graphc_last_error();
  bytes[weights.offset + (2 << 20) + 5] ^= std::byte{1};
  bytes[sectionOf(bytes, SectionKind::WeightHashes).offset] ^= std::byte{1};
  EXPECT_EQ(tryOpen(bytes, &verify), GRAPHC_ERROR_ARTIFACT);
}

TEST(Artifact, OtherFormatMajorsAreNamed) {
  std::vector<std::byte> bytes = addPlan().bytes();
  bytes[offsetof(ArtifactHeader, major)] = std::byte{7};
  EXPECT_EQ(tryOpen(bytes), GRAPHC_ERROR_UNSUPPORTED);
  EXPECT_TRUE(contains(graphc_last_error(), "artifact format 7.0") && contains(graphc_last_error(), "use a newer libgraphc"));
}

TEST(Artifact, UsesTheLevelAskedForOrTheBest) {
  TestPlan p;
  const int one = p.constant(1);
  p.output("level", DType::I64, {one});
  p.launch("level_i64", {p.outputBuffer(0)}, one);
  const auto levelOf = [&](const char *wanted) {
    auto options = sized<graphc_model_options>();
    options.cpu_level = wanted;
    Context context(p.open(&options));
    context.run();
    return *context.output(0).data<int64_t>();
  };
  EXPECT_EQ(levelOf("x86-64-v3"), 3);
  if (runtime::missingFeatures("x86-64-v4").empty()) {
    EXPECT_EQ(levelOf(nullptr), 4);
    EXPECT_EQ(levelOf("x86-64-v4"), 4);
  }
  try {
    levelOf("x86-64-v9");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), GRAPHC_ERROR_UNSUPPORTED);
    EXPECT_STREQ(error.what(), "'artifact in memory' has no code for level x86-64-v9; it has x86-64-v3, x86-64-v4");
  }
}

TEST(Artifact, ALevelThatTheCpuLacksNamesTheFeatures) {
  TestPlan p = addPlan();
  p.levels = {"x86-64-v3+amx-of-tomorrow"};
  try {
    p.open();
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), GRAPHC_ERROR_UNSUPPORTED);
    EXPECT_TRUE(contains(error.what(), "x86-64-v3+amx-of-tomorrow needs amx-of-tomorrow. This CPU is x86-64-v")) << error.what();
  }
}

TEST(Artifact, BrokenPlansAreRefusedWithTheRule) {
  const auto refusal = [](const std::function<void(TestPlan &)> &damage) -> std::string {
    TestPlan p = addPlan();
    damage(p);
    try {
      p.open();
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), GRAPHC_ERROR_ARTIFACT) << error.what();
      return error.what();
    }
    return "accepted";
  };
  const auto launch = [](TestPlan &p) -> plan::LaunchT & { return *p.variant().steps[0]->body.AsLaunch(); };
  const std::vector<std::pair<std::string, std::function<void(TestPlan &)>>> cases = {
      {"kernel ABI version 99", [](TestPlan &p) { p.plan.abi_version = 99; }},
      {"its kernels call 1000 services", [](TestPlan &p) { p.plan.service_count = 1000; }},
      {"no variant", [](TestPlan &p) { p.plan.variants.clear(); }},
      {"variant 3 of 1", [](TestPlan &p) { p.variant().next = {3}; }},
      {"names buffer 9 of 3", [&](TestPlan &p) { launch(p).buffers[1] = 9; }},
      {"names kernel 5 of 1", [&](TestPlan &p) { launch(p).kernel = 5; }},
      {"launch names dims entry 500", [&](TestPlan &p) { launch(p).units = 500; }},
      {"launch names dims entry -1", [&](TestPlan &p) { launch(p).units = -1; }},
      {"is no well-formed expression", [](TestPlan &p) { p.plan.dims[0]->code = {plan::DimInstr(DimOp::Add, 0)}; }},
      {"is no well-formed expression", [](TestPlan &p) { p.plan.dims[0]->code = {plan::DimInstr(DimOp::Dim, 0)}; }},
      {"is no well-formed expression", [](TestPlan &p) { p.plan.dims[0]->code = {plan::DimInstr(DimOp::Symbol, 1)}; }},
      {"is no well-formed expression", [](TestPlan &p) { p.plan.dims[0]->code.clear(); }},
      {"is no well-formed expression",
       [](TestPlan &p) { p.plan.dims[0]->code.assign(1000, plan::DimInstr(DimOp::Const, 1)); }},
      {"has alignment 3", [](TestPlan &p) { p.variant().buffers[0]->alignment = 3; }},
      {"is part of buffer 2", [](TestPlan &p) { p.variant().buffers[1]->alias_of = 2; }},
      {"names entry 8 of a table of 2", [](TestPlan &p) { p.variant().buffers[0]->index = 8; }},
      {"buffers for 0 outputs of 1", [](TestPlan &p) { p.variant().outputs.clear(); }},
      {"which is another kind or dtype", [](TestPlan &p) { p.variant().inputs[0] = 2; }},
      {"of another dtype or rank", [](TestPlan &p) { p.variant().buffers[2]->dtype = DType::F64; }},
      {"no permutation", [](TestPlan &p) { p.plan.inputs[0]->order = {7}; }},
      {"symbol N is not what dim 0 of input 1 is",
       [](TestPlan &p) { p.plan.inputs[1]->dims[0] = p.constant(3), p.plan.symbols[0]->index = 1; }},
      {"location 77 of", [](TestPlan &p) { p.variant().steps[0]->locations = {77}; }},
      {"whose life ends at step", [](TestPlan &p) { p.variant().outputs[0] = p.arenaBuffer(DType::F32, {0}, 0, 0);
                                                     p.launch("double_f32", {0, 2}, 0); }},
      {"step 0: launch uses buffer 3, which lives from step 1 to 1",
       [&](TestPlan &p) { launch(p).buffers[0] = p.arenaBuffer(DType::F32, {0}, 1, 1); }},
      {"its blocks end at 5 and 9",
       [](TestPlan &p) {
         plan::IfT branch;
         branch.predicate_dim = 0, branch.then_end = 5, branch.else_end = 9;
         p.step(std::move(branch));
       }},
      {"needs a 0-d integer or bool buffer",
       [](TestPlan &p) {
         plan::IfT branch;
         branch.predicate = 0, branch.then_end = 2, branch.else_end = 2;
         p.step(std::move(branch));
       }},
      {"names message 0 of 0", [](TestPlan &p) { p.step(plan::RaiseT{}); }},
      {"constant 0 (", [](TestPlan &p) {
         const float w[4] = {};
         p.plan.constants[p.constantData("w", DType::F32, {4}, w)]->size = 1 << 20;
       }},
      {"is not aligned to 64 bytes", [](TestPlan &p) {
         const float w[40] = {};
         p.plan.constants[p.constantData("w", DType::F32, {4}, w)]->offset = 4;
       }},
  };
  for (const auto &[rule, damage] : cases) {
    const std::string found = refusal(damage);
    EXPECT_TRUE(contains(found, rule)) << "expected '" << rule << "', found: " << found;
  }
}

TEST(Artifact, ForeignCodeImagesAreRefused) {
  const auto refusal = [](std::vector<std::byte> bytes) {
    std::string error;
    return CodeImage::parse(bytes, error) ? std::string("accepted") : error;
  };
  const std::vector<std::byte> image = kernelImage(3);
  EXPECT_EQ(refusal(image), "accepted");
  EXPECT_TRUE(contains(refusal(readFile("/proc/self/exe")), "the code image can't be used"));
  EXPECT_TRUE(contains(refusal({}), "no x86-64 ELF"));
  for (size_t size = 0; size < image.size(); size += 13) // no crash, whatever the answer
    refusal({image.begin(), image.begin() + static_cast<long>(size)});
  for (size_t i = 0; i < image.size(); ++i) {
    std::vector<std::byte> damaged = image;
    damaged[i] ^= std::byte{0xff};
    refusal(damaged);
  }
  std::string error;
  const auto parsed = CodeImage::parse(image, error);
  ASSERT_TRUE(parsed) << error;
  EXPECT_TRUE(parsed->findFunction("add_f32"));
  EXPECT_FALSE(parsed->findFunction("add_f3"));
  EXPECT_FALSE(parsed->isCode(uint64_t(1) << 40));
}
