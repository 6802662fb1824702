// Finds speech in a recording with a compiled Silero VAD model, linked to libgraphc alone.
//
//   graphc silero_vad.jit --input 'x=f32[1,512]' --bind sr=16000 -o silero.gcx        (8 kHz: 256 samples, sr=8000)
//   vad silero.gcx speech.wav             the segments, and how many times faster than real time
//   vad silero.gcx speech.wav --frames    each frame's probability, one a line
// Several files are taken one after the other, each from a fresh state.
//
// The model keeps state from frame to frame (the last samples, an LSTM's hidden state); it lives in the graphc::Context, so a
// server would keep one context per caller. reset() starts a new recording.
#include "Segments.h"
#include "Wav.h"

#include "graphc.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace {

/// Samples of one frame at this rate, as the model was trained.
size_t frameSize(int rate) { return rate == 16000 ? 512 : 256; }

/// The model takes frames [1, N]; N tells the rate it was compiled for.
void checkModel(const graphc::Model &model, int rate) {
  graphc::TensorInfo input = model.input(0);
  if (input.dtype != GRAPHC_F32 || input.rank != 2 || model.outputCount() < 1)
    throw std::runtime_error("the model is no Silero VAD: its first input is not f32[1,N]");
  int64_t compiled = input.dims[1].value, wanted = static_cast<int64_t>(frameSize(rate));
  if (compiled >= 0 && compiled != wanted)
    throw std::runtime_error("the model takes frames of " + std::to_string(compiled) + " samples, a recording of " +
                             std::to_string(rate) + " Hz comes in frames of " + std::to_string(wanted) +
                             "; compile the model for it: --input 'x=f32[1," + std::to_string(wanted) +
                             "]' --bind sr=" + std::to_string(rate));
}

/// Runs the model frame by frame; the last frame is filled up with zeros.
std::vector<float> probabilities(graphc::Context &context, const Wav &wav) {
  size_t size = frameSize(wav.rate);
  std::vector<float> frame(size), result;
  context.setInput(0, graphc::Tensor(frame.data(), {1, static_cast<int64_t>(size)}));
  context.reset();
  for (size_t at = 0; at < wav.samples.size(); at += size) {
    size_t count = std::min(size, wav.samples.size() - at);
    std::copy_n(wav.samples.begin() + static_cast<std::ptrdiff_t>(at), count, frame.begin());
    std::fill(frame.begin() + static_cast<std::ptrdiff_t>(count), frame.end(), 0.0f);
    context.run();
    result.push_back(context.output(0).data<float>()[0]);
  }
  return result;
}

void printFrames(const std::vector<float> &speech) {
  for (float p : speech)
    std::printf("%.9g\n", static_cast<double>(p));
}

void printSegments(const std::vector<float> &speech, const Wav &wav, double seconds) {
  std::vector<Segment> segments = findSegments(speech, frameSize(wav.rate), wav.rate, wav.samples.size());
  for (const Segment &segment : segments)
    std::printf("speech from %.2f s to %.2f s\n", static_cast<double>(segment.begin) / wav.rate,
                static_cast<double>(segment.end) / wav.rate);
  double duration = static_cast<double>(wav.samples.size()) / wav.rate;
  std::printf("%zu segments in %.2f s of audio; %.4f s of computing, %.0f times faster than real time\n", segments.size(),
              duration, seconds, duration / std::max(seconds, 1e-9));
}

void run(const std::string &modelPath, const std::vector<std::string> &wavPaths, bool frames) {
  std::vector<Wav> wavs;
  for (const std::string &path : wavPaths)
    wavs.push_back(readWav(path));
  graphc::Model model(modelPath);
  graphc_context_options options{};
  options.size = sizeof options;
  options.threads = 1; // a frame is too little work for more
  graphc::Context context(model, &options);
  for (const Wav &wav : wavs) {
    checkModel(model, wav.rate);
    auto start = std::chrono::steady_clock::now();
    std::vector<float> speech = probabilities(context, wav);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (frames)
      printFrames(speech);
    else
      printSegments(speech, wav, seconds);
  }
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> files;
  bool frames = false;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--frames") == 0)
      frames = true;
    else
      files.push_back(argv[i]);
  if (files.size() < 2) {
    std::fprintf(stderr, "usage: vad MODEL.gcx FILE.wav… [--frames]\n");
    return 2;
  }
  try {
    run(files[0], {files.begin() + 1, files.end()}, frames);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "vad: %s\n", error.what());
    return 1;
  }
  return 0;
}
