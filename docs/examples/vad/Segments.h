// From one speech probability a frame to segments of speech.
//
//   findSegments({0.1f, 0.9f, 0.9f, …}, 512, 16000, total)  ->  {{480, 21000}, …} in samples
#ifndef GRAPHC_EXAMPLES_VAD_SEGMENTS_H
#define GRAPHC_EXAMPLES_VAD_SEGMENTS_H

#include <cstddef>
#include <vector>

struct Segment {
  size_t begin = 0, end = 0; // in samples, end exclusive
};

/// Thresholds and durations are those of silero-vad's get_speech_timestamps.
struct SegmentOptions {
  float on = 0.5f;        // speech starts at this probability …
  float off = 0.35f;      // … and ends once it has been below this one
  int minSilenceMs = 100; // for so long
  int minSpeechMs = 250;  // shorter speech is dropped
  int padMs = 30;         // added on both sides where there is room
};

/// `frame`: samples a probability stands for; `total`: samples of the recording.
std::vector<Segment> findSegments(const std::vector<float> &probabilities, size_t frame, int rate, size_t total,
                                  const SegmentOptions &options = {});

#endif // GRAPHC_EXAMPLES_VAD_SEGMENTS_H
