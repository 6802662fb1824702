// The C API of libgraphc_compiler: compiling files and bytes, options, diagnostics, several threads at once, wrong arguments.
#include "tools/compiler/graphc_compiler.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Release {
  void operator()(graphc_compilation *compilation) const { graphc_compilation_release(compilation); }
};
using Compilation = std::unique_ptr<graphc_compilation, Release>;

/// Options for MODEL, with what they point to.
struct Options {
  Options() {
    c.size = sizeof c;
    c.inputs = inputs, c.input_count = 1;
    c.binds = binds, c.bind_count = 1;
  }
  const char *inputs[1] = {"x=f32[1,512]"};
  const char *binds[1] = {"sr=16000"};
  const char *targets[1] = {nullptr};
  graphc_compile_options c = {};
};

std::string readModel() {
  std::ifstream file(MODEL, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Compilation compileFile(const char *path, const graphc_compile_options *options) {
  graphc_compilation *compilation = nullptr;
  graphc_compile_status status = graphc_compile_file(path, options, &compilation);
  EXPECT_EQ(status, graphc_compilation_status(compilation));
  return Compilation(compilation);
}

Compilation compileBytes(const std::string &bytes, const graphc_compile_options *options) {
  graphc_compilation *compilation = nullptr;
  graphc_compile_bytes(bytes.data(), bytes.size(), options, &compilation);
  return Compilation(compilation);
}

std::string artifactOf(const Compilation &compilation) {
  size_t size = 0;
  const void *data = graphc_compilation_artifact(compilation.get(), &size);
  return std::string(static_cast<const char *>(data), size);
}

TEST(CompilerApi, FileAndBytesGiveTheSameProgram) {
  Options options;
  Compilation file = compileFile(MODEL, &options.c);
  ASSERT_EQ(graphc_compilation_status(file.get()), GRAPHC_COMPILE_DONE) << graphc_compilation_error(file.get());
  options.c.name = "silero_vad.jit";
  Compilation bytes = compileBytes(readModel(), &options.c);
  ASSERT_EQ(graphc_compilation_status(bytes.get()), GRAPHC_COMPILE_DONE) << graphc_compilation_error(bytes.get());
  size_t size = 0;
  const void *data = graphc_compilation_artifact(bytes.get(), &size);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 4096, 0u);
  graphc_model *model = nullptr;
  ASSERT_EQ(graphc_model_open_memory(data, size, nullptr, &model), GRAPHC_OK) << graphc_last_error();
  graphc_model_release(model);
  EXPECT_NE(std::strstr(graphc_compilation_report(bytes.get()), "\"kernels\""), nullptr);
}

TEST(CompilerApi, ThreadsGiveTheSameBytes) {
  Options options;
  std::string expected = artifactOf(compileFile(MODEL, &options.c));
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string &artifact : found)
    threads.emplace_back([&] { artifact = artifactOf(compileFile(MODEL, &options.c)); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &artifact : found)
    EXPECT_TRUE(artifact == expected);
}

TEST(CompilerApi, DiagnosticsAreData) {
  Options options;
  options.inputs[0] = "x=f32[1,";
  Compilation usage = compileFile(MODEL, &options.c);
  EXPECT_EQ(graphc_compilation_status(usage.get()), GRAPHC_COMPILE_USAGE);
  graphc_diagnostic diagnostic = {};
  diagnostic.size = sizeof diagnostic;
  ASSERT_EQ(graphc_compilation_diagnostic(usage.get(), 0, &diagnostic), 0);
  EXPECT_EQ(diagnostic.severity, GRAPHC_ERROR);
  EXPECT_NE(std::strstr(diagnostic.message, "x=f32[1,"), nullptr);
  EXPECT_EQ(graphc_compilation_diagnostic(usage.get(), 100, &diagnostic), 1);
  size_t size = 1;
  EXPECT_EQ(graphc_compilation_artifact(usage.get(), &size), nullptr);
  EXPECT_EQ(size, 0u);
}

TEST(CompilerApi, DamagedFilesAreErrors) {
  Options options;
  options.c.name = "damaged.pt";
  std::string model = readModel();
  for (size_t keep : {size_t(0), size_t(3), model.size() / 2, model.size() - 1}) {
    Compilation compilation = compileBytes(model.substr(0, keep), &options.c);
    EXPECT_EQ(graphc_compilation_status(compilation.get()), GRAPHC_COMPILE_MODEL);
    EXPECT_NE(std::strstr(graphc_compilation_error(compilation.get()), "damaged.pt"), nullptr) << graphc_compilation_error(compilation.get());
  }
  EXPECT_EQ(graphc_compilation_status(compileFile("/nowhere/model.pt", &options.c).get()), GRAPHC_COMPILE_MODEL);
}

TEST(CompilerApi, WrongArgumentsAreAnswers) {
  graphc_compilation *compilation = nullptr;
  EXPECT_EQ(graphc_compile_file(nullptr, nullptr, &compilation), GRAPHC_COMPILE_USAGE);
  EXPECT_EQ(graphc_compile_file(MODEL, nullptr, nullptr), GRAPHC_COMPILE_USAGE);
  EXPECT_EQ(graphc_compile_bytes(nullptr, 4, nullptr, &compilation), GRAPHC_COMPILE_USAGE);
  EXPECT_EQ(graphc_compilation_diagnostic_count(nullptr), 0u);
  EXPECT_STREQ(graphc_compilation_error(nullptr), "");
  graphc_compilation_release(nullptr);
  graphc_compile_options old = {};
  old.size = offsetof(graphc_compile_options, inputs); // a caller of an older header
  EXPECT_EQ(graphc_compilation_status(compileFile(MODEL, &old).get()), GRAPHC_COMPILE_MODEL);
}

} // namespace
