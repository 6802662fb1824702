// Every kernel template compiles for every supported architecture without spills or ptxas advisories; what does spill,
// or doesn't compile, is refused with its text. Skipped only where NVRTC isn't installed.
#include "codegen/cuda/Nvrtc.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <iterator>

using namespace graphc::cuda;

namespace {

class NvrtcTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::Expected<std::unique_ptr<Nvrtc>> opened = Nvrtc::open(defaultDepsFolder());
    if (!opened)
      GTEST_SKIP() << llvm::toString(opened.takeError());
    nvrtc = std::move(*opened);
  }

  Cubin compile(const std::string &text, const std::string &arch) {
    llvm::Expected<Cubin> cubin = nvrtc->compile(text, arch);
    if (!cubin) {
      ADD_FAILURE() << llvm::toString(cubin.takeError());
      return {};
    }
    // The templates index all their arrays by constants.
    for (const KernelFacts &kernel : cubin->facts.kernels)
      EXPECT_EQ(kernel.stackBytes, 0) << kernel.name;
    for (const KernelFacts &kernel : cubin->facts.kernels)
      std::cout << arch << " " << kernel.name << ": " << kernel.registers << " registers, " << kernel.barriers
                << " barriers\n";
    return std::move(*cubin);
  }

  std::string errorOf(const std::string &text, const std::string &arch) {
    llvm::Expected<Cubin> cubin = nvrtc->compile(text, arch);
    return cubin ? "" : llvm::toString(cubin.takeError());
  }

  std::unique_ptr<Nvrtc> nvrtc;
};

std::string gemmBody() {
  std::ifstream file(GRAPHC_BIAS_GELU);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string mmaKernel(const std::string &name, const std::string &type, const std::string &layouts) {
  return "GC_KERNEL(256, 2) " + name + "(GC_ARGS args) { gc_gemm_mma<BiasGelu<" + type + ", " + layouts + ", gc_gemm_problem>, " + type +
         ", " + layouts + ">(args); }\n";
}

TEST_F(NvrtcTest, GemmMma) {
  const std::string text = std::string("#include \"gemm_mma.cuh\"\n") + gemmBody() +
                           mmaKernel("bf16_kk", "gc_bfloat", "true, true") +
                           mmaKernel("f16_kn", "gc_half", "true, false") +
                           mmaKernel("bf16_mn", "gc_bfloat", "false, false") +
                           mmaKernel("f16_mk", "gc_half", "false, true");
  for (const char *arch : {"sm_80", "sm_90a"}) {
    const Cubin cubin = compile(text, arch);
    ASSERT_EQ(cubin.facts.kernels.size(), 4u);
    // Two blocks of 256 threads fit a multiprocessor's 65,536 registers.
    for (const KernelFacts &kernel : cubin.facts.kernels)
      EXPECT_LE(kernel.registers, 128) << kernel.name;
  }
}

TEST_F(NvrtcTest, GemmFma) {
  const std::string text = std::string("#include \"gemm_fma.cuh\"\n") + gemmBody() +
                           "GC_KERNEL(256, 1) f32_kk(GC_ARGS args) { gc_gemm_fma<BiasGelu<float, true, true, gc_gemm_problem>, true, true>(args); }\n"
                           "GC_KERNEL(256, 1) f32_kn(GC_ARGS args) { gc_gemm_fma<BiasGelu<float, true, false, gc_gemm_problem>, true, false>(args); }\n";
  for (const char *arch : {"sm_80", "sm_90a"})
    EXPECT_EQ(compile(text, arch).facts.kernels.size(), 2u);
}

TEST_F(NvrtcTest, BulkCopies) {
  const std::string text = R"(
#include "gc_bulk.h"
GC_KERNEL(128, 1) bulk(GC_ARGS args) {
  gc_u64 *full = (gc_u64 *)gc_shared();
  if (gc_thread() == 0)
    gc_barrier_init(full, 1);
  gc_barrier_fence();
  gc_sync_block();
  if (gc_thread() == 0) {
    gc_barrier_expect(full, 512);
    gc_bulk_copy(gc_shared() + 512, gc_pointer<const float>(args, 0), 512, full);
  }
  gc_barrier_wait(full, 0);
  gc_store_global(gc_pointer<gc_u32>(args, 1) + gc_thread(), gc_load_shared<gc_u32>(gc_shared() + 512 + gc_thread() * 4));
})";
  EXPECT_EQ(compile(text, "sm_90a").facts.kernels.size(), 1u);
  // Not an instruction of sm_80: refused, not mistranslated.
  EXPECT_NE(errorOf(text, "sm_80").find("sm_80"), std::string::npos);
}

TEST_F(NvrtcTest, RefusesWhatDoesNotCompile) {
  const std::string error = errorOf("GC_KERNEL broken", "sm_80");
  EXPECT_NE(error.find("kernel.cu(1): error"), std::string::npos) << error;
}

TEST_F(NvrtcTest, RefusesUnknownArchitectures) {
  EXPECT_NE(errorOf("", "sm_1").find("NVRTC for sm_1"), std::string::npos);
}

TEST_F(NvrtcTest, RefusesSpills) {
  const std::string text = R"(
extern "C" __global__ void __launch_bounds__(1024, 2) spiller(const float *x, float *y) {
  float v[64];
  #pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = x[i * 1024 + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 64; ++i) y[(63 - i) * 1024 + threadIdx.x] = v[i] * v[(i * 7 + 3) % 64];
})";
  const std::string error = errorOf(text, "sm_80");
  EXPECT_NE(error.find("kernel refused for sm_80: spiller"), std::string::npos) << error;
  EXPECT_NE(error.find("spill stores"), std::string::npos) << error;
}

TEST_F(NvrtcTest, ArgumentReductionMayUseTheStack) {
  EXPECT_EQ(errorOf("extern \"C\" __global__ void sine(double *x) { x[threadIdx.x] = sin(x[threadIdx.x]); }", "sm_80"), "");
}

TEST_F(NvrtcTest, SameTextSameBytes) {
  const std::string text = "extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }";
  EXPECT_EQ(compile(text, "sm_90a").image, compile(text, "sm_90a").image);
}

TEST(Nvrtc, MissingLibraryNamesTheFolderAndTheCommand) {
  llvm::Expected<std::unique_ptr<Nvrtc>> opened = Nvrtc::open("no-such-folder");
  ASSERT_FALSE(opened);
  EXPECT_EQ(llvm::toString(opened.takeError()), "no libnvrtc.so.13 below no-such-folder/wheels/nvidia: run tools/setup.sh, "
                                                "or set GRAPHC_DEPS to where it installed");
}

TEST(PtxasLog, ReadsFactsByKernel) {
  const PtxasReport report = parsePtxasLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_80'\n"
      "ptxas info    : Function properties for first\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 98 registers, used 1 barriers, 384 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_80'\n"
      "ptxas info    : Function properties for second\n"
      "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 0 barriers, 16 bytes stack, 1024 bytes smem, 384 bytes cmem[0]\n");
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.find("first")->registers, 98);
  EXPECT_EQ(report.find("first")->barriers, 1);
  EXPECT_EQ(report.find("second")->staticSharedBytes, 1024);
  EXPECT_EQ(report.find("third"), nullptr);
  EXPECT_EQ(report.problem(), "second: 12 bytes of spill stores, 20 bytes of spill loads at 255 registers");
}

TEST(PtxasLog, AdvisoriesAreProblems) {
  EXPECT_EQ(parsePtxasLog("ptxas info    : (C7517) Potential Performance Loss: wgmma").problem(),
            "ptxas info    : (C7517) Potential Performance Loss: wgmma");
  EXPECT_EQ(parsePtxasLog("ptxas info    : C75 is no code, nor is C7x5").problem(), "");
}

} // namespace
