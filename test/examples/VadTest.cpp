// Tests of docs/examples/vad: where segments start and end, which WAV files are read and what is said of the others.
#include "Segments.h"
#include "Wav.h"
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

Pairs find(const std::vector<float> &probabilities, size_t total) {
  Pairs pairs;
  for (const Segment &segment : findSegments(probabilities, 512, 16000, total))
    pairs.push_back({segment.begin, segment.end});
  return pairs;
}

/// `counts` frames of alternating 0 and 1, starting with 0.
std::vector<float> alternate(std::vector<int> counts) {
  std::vector<float> result;
  for (size_t i = 0; i < counts.size(); ++i)
    result.insert(result.end(), counts[i], i % 2 ? 1.0f : 0.0f);
  return result;
}

constexpr size_t pad = 480; // 30 ms

TEST(Segments, SpeechBetweenSilence) {
  EXPECT_EQ(find(alternate({4, 20, 10}), 34 * 512), (Pairs{{4 * 512 - pad, 24 * 512 + pad}}));
}

TEST(Segments, PadsStayInside) {
  EXPECT_EQ(find(alternate({0, 20}), 20 * 512), (Pairs{{0, 20 * 512}}));
}

TEST(Segments, ShortSpeechIsDropped) {
  EXPECT_TRUE(find(alternate({4, 7, 10}), 21 * 512).empty()); // 224 ms
  EXPECT_EQ(find(alternate({4, 8, 10}), 22 * 512).size(), 1u); // 256 ms
}

TEST(Segments, ShortSilenceIsBridged) {
  EXPECT_EQ(find(alternate({0, 20, 3, 20}), 43 * 512), (Pairs{{0, 43 * 512}})); // 96 ms below
  EXPECT_EQ(find(alternate({0, 20, 5, 20}), 45 * 512), (Pairs{{0, 20 * 512 + pad}, {25 * 512 - pad, 45 * 512}}));
}

TEST(Segments, HysteresisKeepsSpeechOpen) {
  std::vector<float> probabilities(20, 0.9f);
  probabilities.insert(probabilities.end(), 10, 0.4f); // below on, above off
  EXPECT_EQ(find(probabilities, 30 * 512), (Pairs{{0, 30 * 512}}));
  EXPECT_TRUE(find(std::vector<float>(30, 0.4f), 30 * 512).empty());
}

template <typename T> void put(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

struct Header {
  uint16_t coding = 1, channels = 1, bits = 16;
  uint32_t rate = 16000, dataSize = 4;
};

std::string wavBytes(const Header &h) {
  std::string bytes = "RIFF";
  put<uint32_t>(bytes, 40);
  bytes += "WAVELIST";
  put<uint32_t>(bytes, 3);
  bytes += std::string("abc\0", 4); // an odd chunk and its padding
  bytes += "fmt ";
  put<uint32_t>(bytes, 16);
  put<uint16_t>(bytes, h.coding);
  put<uint16_t>(bytes, h.channels);
  put<uint32_t>(bytes, h.rate);
  put<uint32_t>(bytes, h.rate * h.channels * h.bits / 8);
  put<uint16_t>(bytes, static_cast<uint16_t>(h.channels * h.bits / 8));
  put<uint16_t>(bytes, h.bits);
  bytes += "data";
  put<uint32_t>(bytes, h.dataSize);
  put<int16_t>(bytes, 16384);
  put<int16_t>(bytes, -32768);
  return bytes;
}

Wav readBytes(const std::string &bytes) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "graphc-vad-test.wav").string();
  std::ofstream(path, std::ios::binary) << bytes;
  return readWav(path);
}

std::string refused(const std::string &bytes) {
  try {
    readBytes(bytes);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "accepted";
}

TEST(Wav, Reads) {
  Wav wav = readBytes(wavBytes({}));
  EXPECT_EQ(wav.rate, 16000);
  EXPECT_EQ(wav.samples, (std::vector<float>{0.5f, -1.0f}));
}

TEST(Wav, Refusals) {
  EXPECT_NE(refused(wavBytes({.channels = 2})).find("2 channels, expected 1"), std::string::npos);
  EXPECT_NE(refused(wavBytes({.rate = 44100})).find("44100 samples a second, expected 8000 or 16000"), std::string::npos);
  EXPECT_NE(refused(wavBytes({.bits = 24})).find("24-bit samples of coding 1"), std::string::npos);
  EXPECT_NE(refused(wavBytes({.coding = 7})).find("coding 7"), std::string::npos);
  EXPECT_NE(refused(wavBytes({.dataSize = 6})).find("cut short: its 'data' chunk has 4 of 6 bytes"), std::string::npos);
  EXPECT_NE(refused("").find("no WAV file"), std::string::npos);
  std::string whole = wavBytes({});
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refused(whole.substr(0, size)), "accepted") << size;
}

} // namespace
