// A bundle: what is needed to run emitted CUDA kernels somewhere else and to judge the results. Written by
// graphc-emit-cuda, read by gpu_check (on a machine with a GPU) and by the emulator tests.
//
// A folder with bundle.txt, raw little-endian buffers, and a cubin per architecture. bundle.txt, one record a line:
//
//   cubin sm_80 program.sm_80.cubin
//   case mlp
//   buffer 0 f32 4096 mlp.0.bin            id, type, elements, content ("-": written by a step)
//   alias 2 f32 64 0 128                   id, type, elements: those of buffer 0 from element 128 on
//   step softmax 8 256 0 dims 2 64 3 buffers 2 0 1      kernel, blocks, threads, shared bytes, dims table, arguments
//   check 1 mlp.1.expected.bin             the buffer must hold this after the case's last step
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphc::gpu {

struct BundleBuffer {
  int id = 0;
  std::string type; ///< f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8
  int64_t count = 0;
  std::string file;
  int source = -1; ///< of an alias, which has no file
  int64_t offset = 0;

  size_t bytes() const;
  size_t offsetBytes() const;
};

struct BundleStep {
  std::string kernel;
  uint32_t blocks = 1, threads = 256, sharedBytes = 0;
  std::vector<int64_t> dims;
  std::vector<int> buffers;
};

struct BundleCase {
  std::string name;
  std::vector<BundleBuffer> buffers;
  std::vector<BundleStep> steps;
  std::map<int, std::string> checks;

  const BundleBuffer *find(int id) const;
};

struct Bundle {
  std::string folder;
  std::map<std::string, std::string> cubins; ///< by architecture
  std::vector<BundleCase> cases;
};

/// False and a text in `error` when a file is missing or malformed.
bool readBundle(const std::string &folder, Bundle &bundle, std::string &error);

/// The file's bytes; empty and a text in `error` when it can't be read or hasn't the expected size (-1: any).
std::vector<std::byte> readBundleFile(const Bundle &bundle, const std::string &file, int64_t bytes, std::string &error);

/// How far `actual` is from `expected`.
struct Judgement {
  double error = 0; ///< rms of the difference over rms of the expected values; infinite where NaN or infinity differ
  double tolerance = 0;
  bool ok() const { return error <= tolerance; }
};

/// By type: f64 2e-14, f32 2e-6, f16 1e-3, bf16 8e-3 (twice the floors of the numerics rules); all others exact.
Judgement judge(const std::string &type, const std::vector<std::byte> &actual, const std::vector<std::byte> &expected);

} // namespace graphc::gpu
