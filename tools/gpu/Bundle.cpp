// Reads bundles and judges buffers. See Bundle.h.
#include "tools/gpu/Bundle.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace graphc::gpu {

namespace {

size_t typeBytes(const std::string &type) {
  if (type == "f64" || type == "i64")
    return 8;
  if (type == "f32" || type == "i32")
    return 4;
  if (type == "f16" || type == "bf16" || type == "i16")
    return 2;
  return type == "i1" || type == "i8" || type == "ui8" ? 1 : 0;
}

template <class T> bool readList(std::istream &in, const char *keyword, std::vector<T> &list) {
  std::string word;
  size_t count = 0;
  if (!(in >> word >> count) || word != keyword || count > 1000000)
    return false;
  list.resize(count);
  for (T &value : list)
    in >> value;
  return bool(in);
}

bool readRecord(const std::string &line, Bundle &bundle) {
  std::istringstream in(line);
  std::string keyword, file;
  in >> keyword;
  if (keyword == "cubin") {
    std::string arch;
    in >> arch >> file;
    bundle.cubins[arch] = file;
    return bool(in);
  }
  if (keyword == "case") {
    bundle.cases.emplace_back();
    in >> bundle.cases.back().name;
    return bool(in);
  }
  if (bundle.cases.empty())
    return false;
  BundleCase &current = bundle.cases.back();
  if (keyword == "buffer" || keyword == "alias") {
    BundleBuffer buffer;
    in >> buffer.id >> buffer.type >> buffer.count;
    if (keyword == "buffer")
      in >> buffer.file;
    else
      in >> buffer.source >> buffer.offset;
    const bool known = keyword == "buffer" || current.find(buffer.source);
    current.buffers.push_back(buffer);
    return in && known && typeBytes(buffer.type) != 0 && buffer.count >= 0 && buffer.offset >= 0;
  }
  if (keyword == "step") {
    BundleStep step;
    in >> step.kernel >> step.blocks >> step.threads >> step.sharedBytes;
    if (!readList(in, "dims", step.dims) || !readList(in, "buffers", step.buffers))
      return false;
    for (int id : step.buffers)
      if (!current.find(id))
        return false;
    current.steps.push_back(step);
    return true;
  }
  int id = 0;
  in >> id >> file;
  current.checks[id] = file;
  return keyword == "check" && in && current.find(id);
}

float halfToFloat(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31)
    return mantissa ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  return sign * (exponent ? std::ldexp(float(mantissa + 1024), exponent - 25) : std::ldexp(float(mantissa), -24));
}

template <class T> T load(const std::byte *p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

double floatAt(const std::string &type, const std::byte *p) {
  if (type == "f64")
    return load<double>(p);
  if (type == "f32")
    return load<float>(p);
  if (type == "f16")
    return halfToFloat(load<uint16_t>(p));
  const uint32_t bits = uint32_t(load<uint16_t>(p)) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

double toleranceOf(const std::string &type) {
  return type == "f64" ? 2e-14 : type == "f32" ? 2e-6 : type == "f16" ? 1e-3 : 8e-3;
}

} // namespace

size_t BundleBuffer::bytes() const { return size_t(count) * typeBytes(type); }

size_t BundleBuffer::offsetBytes() const { return size_t(offset) * typeBytes(type); }

const BundleBuffer *BundleCase::find(int id) const {
  for (const BundleBuffer &buffer : buffers)
    if (buffer.id == id)
      return &buffer;
  return nullptr;
}

bool readBundle(const std::string &folder, Bundle &bundle, std::string &error) {
  bundle.folder = folder;
  std::ifstream file(folder + "/bundle.txt");
  if (!file) {
    error = folder + "/bundle.txt: cannot be read";
    return false;
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (!line.empty() && !readRecord(line, bundle)) {
      error = folder + "/bundle.txt:" + std::to_string(number) + ": malformed record: " + line;
      return false;
    }
  return true;
}

std::vector<std::byte> readBundleFile(const Bundle &bundle, const std::string &name, int64_t bytes, std::string &error) {
  std::ifstream file(bundle.folder + "/" + name, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) {
    error = bundle.folder + "/" + name + ": cannot be read";
    return {};
  }
  if (bytes >= 0 && content.size() != size_t(bytes)) {
    error = bundle.folder + "/" + name + ": has " + std::to_string(content.size()) + " bytes, expected " + std::to_string(bytes);
    return {};
  }
  const auto *begin = reinterpret_cast<const std::byte *>(content.data());
  return {begin, begin + content.size()};
}

Judgement judge(const std::string &type, const std::vector<std::byte> &actual, const std::vector<std::byte> &expected) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (actual.size() != expected.size())
    return {infinity, 0};
  if (type[0] != 'f' && type != "bf16")
    return {actual == expected ? 0 : infinity, 0};
  Judgement result = {0, toleranceOf(type)};
  double difference = 0, size = 0;
  const size_t step = typeBytes(type);
  for (size_t i = 0; i < expected.size(); i += step) {
    const double a = floatAt(type, &actual[i]), e = floatAt(type, &expected[i]);
    if (std::isfinite(e) && std::isfinite(a)) {
      difference += (a - e) * (a - e);
      size += e * e;
    } else if (!(a == e || (std::isnan(a) && std::isnan(e)))) {
      result.error = infinity;
    }
  }
  if (result.error == 0 && difference > 0)
    result.error = std::sqrt(difference / std::max(size, 1e-300));
  return result;
}

} // namespace graphc::gpu
