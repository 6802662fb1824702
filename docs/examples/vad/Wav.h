// Reads what the example needs of WAV files: one channel, 8 or 16 kHz, 16-bit integers or 32-bit floats.
//
//   Wav wav = readWav("speech.wav");      wav.rate == 16000, samples from -1 to 1
#ifndef GRAPHC_EXAMPLES_VAD_WAV_H
#define GRAPHC_EXAMPLES_VAD_WAV_H

#include <string>
#include <vector>

struct Wav {
  int rate = 0; // samples a second
  std::vector<float> samples;
};

/// Throws std::runtime_error: what was found in the file, what was expected, how to convert it.
Wav readWav(const std::string &path);

#endif // GRAPHC_EXAMPLES_VAD_WAV_H
