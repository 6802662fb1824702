// Threshold with hysteresis; see Segments.h.
#include "Segments.h"

#include <algorithm>
#include <optional>

namespace {

/// Raw segments, before padding: opened at `on`, closed at the first frame below `off` that is followed by enough silence.
std::vector<Segment> rawSegments(const std::vector<float> &probabilities, size_t frame, size_t total, size_t minSilence,
                                 size_t minSpeech, const SegmentOptions &options) {
  std::vector<Segment> segments;
  std::optional<size_t> begin, silence;
  auto close = [&](size_t end) {
    if (end - *begin > minSpeech)
      segments.push_back({*begin, end});
    begin.reset();
    silence.reset();
  };
  for (size_t i = 0; i < probabilities.size(); ++i) {
    float p = probabilities[i];
    size_t now = i * frame;
    if (p >= options.on) {
      silence.reset();
      if (!begin)
        begin = now;
    } else if (begin && p < options.off) {
      if (!silence)
        silence = now;
      if (now - *silence >= minSilence)
        close(*silence);
    }
  }
  if (begin && total > *begin)
    close(total);
  return segments;
}

} // namespace

std::vector<Segment> findSegments(const std::vector<float> &probabilities, size_t frame, int rate, size_t total,
                                  const SegmentOptions &options) {
  auto samples = [&](int milliseconds) { return static_cast<size_t>(rate) * milliseconds / 1000; };
  std::vector<Segment> segments =
      rawSegments(probabilities, frame, total, samples(options.minSilenceMs), samples(options.minSpeechMs), options);
  size_t pad = samples(options.padMs);
  for (size_t i = 0; i < segments.size(); ++i) {
    if (i == 0)
      segments[i].begin -= std::min(segments[i].begin, pad);
    size_t next = i + 1 < segments.size() ? segments[i + 1].begin : total;
    size_t gap = next - std::min(next, segments[i].end);
    size_t share = i + 1 < segments.size() && gap < 2 * pad ? gap / 2 : std::min(gap, pad);
    segments[i].end += share;
    if (i + 1 < segments.size())
      segments[i + 1].begin -= share;
  }
  return segments;
}
