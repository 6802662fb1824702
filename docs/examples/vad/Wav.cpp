// WAV reading; see Wav.h. A WAV file is "RIFF", size, "WAVE", then chunks of a four-letter name, a size and that many bytes
// (padded to an even number). "fmt " comes before "data".
#include "Wav.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

constexpr uint16_t pcm = 1, ieeeFloat = 3, extensible = 0xfffe;

struct Format {
  uint16_t coding = 0, channels = 0, bits = 0;
  uint32_t rate = 0;
};

template <typename T> T read(const std::string &bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot open '" + path + "': expected a WAV file");
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return bytes;
}

std::string conversion(const std::string &path) {
  return "; convert it: sox '" + path + "' -r 16000 -c 1 -b 16 -e signed-integer speech.wav";
}

Format readFormat(const std::string &bytes, size_t at, size_t size, const std::string &path) {
  if (size < 16)
    throw std::runtime_error("'" + path + "': its format chunk is cut short");
  Format format{read<uint16_t>(bytes, at), read<uint16_t>(bytes, at + 2), read<uint16_t>(bytes, at + 14),
                read<uint32_t>(bytes, at + 4)};
  if (format.coding == extensible && size >= 26)
    format.coding = read<uint16_t>(bytes, at + 24); // the subformat starts with the code
  return format;
}

void checkFormat(const Format &format, const std::string &path) {
  bool known = (format.coding == pcm && format.bits == 16) || (format.coding == ieeeFloat && format.bits == 32);
  if (!known)
    throw std::runtime_error("'" + path + "' has " + std::to_string(format.bits) + "-bit samples of coding " +
                             std::to_string(format.coding) + ", expected 16-bit integers or 32-bit floats" +
                             conversion(path));
  if (format.channels != 1)
    throw std::runtime_error("'" + path + "' has " + std::to_string(format.channels) + " channels, expected 1" +
                             conversion(path));
  if (format.rate != 8000 && format.rate != 16000)
    throw std::runtime_error("'" + path + "' has " + std::to_string(format.rate) +
                             " samples a second, expected 8000 or 16000" + conversion(path));
}

std::vector<float> readSamples(const std::string &bytes, size_t at, size_t size, const Format &format) {
  size_t width = format.bits / 8;
  std::vector<float> samples(size / width);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] = format.coding == pcm ? static_cast<float>(read<int16_t>(bytes, at + i * width)) / 32768.0f
                                      : read<float>(bytes, at + i * width);
  return samples;
}

} // namespace

Wav readWav(const std::string &path) {
  std::string bytes = readFile(path);
  if (bytes.size() < 12 || bytes.compare(0, 4, "RIFF") != 0 || bytes.compare(8, 4, "WAVE") != 0)
    throw std::runtime_error("'" + path + "' is no WAV file: it does not start with RIFF and WAVE");
  Format format;
  for (size_t at = 12; bytes.size() - at >= 8;) {
    std::string name = bytes.substr(at, 4);
    size_t size = read<uint32_t>(bytes, at + 4);
    at += 8;
    if (size > bytes.size() - at)
      throw std::runtime_error("'" + path + "' is cut short: its '" + name + "' chunk has " +
                               std::to_string(bytes.size() - at) + " of " + std::to_string(size) + " bytes");
    if (name == "fmt ")
      format = readFormat(bytes, at, size, path);
    if (name == "data") {
      checkFormat(format, path);
      return {static_cast<int>(format.rate), readSamples(bytes, at, size, format)};
    }
    at += size + size % 2;
    if (at > bytes.size())
      break;
  }
  throw std::runtime_error("'" + path + "' has no data chunk");
}
