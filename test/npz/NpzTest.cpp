// Tests of tools/npz: round trips, conversions, and files that are cut, damaged or say what they don't hold.
#include "tools/driver/Failure.h"
#include "tools/driver/OutputFile.h"
#include "tools/npz/Npy.h"
#include "tools/npz/Npz.h"
#include "tools/npz/ZipWriter.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::npz;

namespace {

std::vector<std::byte> bytesOf(const std::string &text) {
  const std::byte *begin = reinterpret_cast<const std::byte *>(text.data());
  return std::vector<std::byte>(begin, begin + text.size());
}

template <typename T> Array arrayOf(ScalarType dtype, std::vector<int64_t> shape, std::vector<T> values) {
  Array array{dtype, std::move(shape), {}};
  array.data.resize(values.size() * sizeof(T));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

template <typename T> std::vector<T> valuesOf(const Array &array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

std::string npyText(const std::string &header, const std::string &data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  return text + header + data;
}

template <typename T> std::string why(llvm::Expected<T> result) {
  if (result)
    return "accepted";
  driver::FailureText text = driver::describe(result.takeError());
  EXPECT_EQ(text.status, driver::ExitStatus::Model);
  return text.message;
}

std::string whyNpy(const std::string &text) { return why(parseNpy(bytesOf(text), "'a'")); }

TEST(Npy, RoundTrips) {
  Array array = arrayOf<float>(ScalarType::F32, {2, 3}, {1, 2, 3, 4, 5, -0.0f});
  llvm::Expected<Array> back = parseNpy(formatNpy(array), "'a'");
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->shape, array.shape);
  EXPECT_EQ(back->data, array.data);
  for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {0}, {5}, {0, 3}, {1, 1, 1, 1}}) {
    llvm::Expected<Array> other = parseNpy(formatNpy(Array::zeros(ScalarType::I64, shape)), "'a'");
    ASSERT_TRUE(bool(other));
    EXPECT_EQ(other->shape, shape);
  }
  EXPECT_EQ(formatNpy(array).size() % 64, 24u); // data starts at a multiple of 64
}

TEST(Npy, OrdersAreUndone) {
  llvm::Expected<Array> fortran = parseNpy(
      bytesOf(npyText("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", std::string("\1\4\2\5\3\6", 6))), "'a'");
  ASSERT_TRUE(bool(fortran));
  EXPECT_EQ(valuesOf<uint8_t>(*fortran), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  llvm::Expected<Array> big = parseNpy(
      bytesOf(npyText("{'shape': (1,), 'fortran_order': False, 'descr': '>i4'}", std::string("\0\0\1\2", 4))), "'a'");
  ASSERT_TRUE(bool(big));
  EXPECT_EQ(valuesOf<int32_t>(*big), (std::vector<int32_t>{258}));
}

TEST(Npy, Refusals) {
  EXPECT_NE(whyNpy("PK").find("magic"), std::string::npos);
  EXPECT_NE(whyNpy(std::string("\x93NUMPY\x09\x00\x00\x00", 10)).find("version 9"), std::string::npos);
  EXPECT_NE(whyNpy(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)).find("cut short"), std::string::npos);
  EXPECT_NE(whyNpy(npyText("{'descr': '<f4'}", "")).find("header cannot be read"), std::string::npos);
  EXPECT_NE(whyNpy(npyText("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "")).find("header"),
            std::string::npos);
  EXPECT_NE(whyNpy(npyText("{'descr': '<c8', 'fortran_order': False, 'shape': ()}", "")).find("'<c8'"),
            std::string::npos);
  EXPECT_NE(whyNpy(npyText("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "")).find("'|O'"), std::string::npos);
  EXPECT_NE(whyNpy(npyText("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "")).find("[('a'"),
            std::string::npos);
  EXPECT_NE(whyNpy(npyText("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234567")).find("needs 8 bytes"),
            std::string::npos);
  EXPECT_NE(whyNpy(npyText("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", ""))
                .find("too many bytes"),
            std::string::npos);
}

TEST(Convert, Values) {
  Array source = arrayOf<float>(ScalarType::F32, {4}, {1.0f, 1.00390625f, 65504.0f, 1e-8f});
  llvm::Expected<Array> bf16 = convert(source, ScalarType::BF16, "'x'");
  ASSERT_TRUE(bool(bf16));
  EXPECT_EQ(valuesOf<uint16_t>(*bf16)[1], 0x3f80u); // halfway: to even
  llvm::Expected<Array> f16 = convert(source, ScalarType::F16, "'x'");
  ASSERT_TRUE(bool(f16));
  EXPECT_EQ(valuesOf<uint16_t>(*f16), (std::vector<uint16_t>{0x3c00, 0x3c04, 0x7bff, 0}));
  llvm::Expected<Array> wide = convert(*f16, ScalarType::F64, "'x'");
  ASSERT_TRUE(bool(wide));
  EXPECT_EQ(valuesOf<double>(*wide)[1], 1.00390625);
  EXPECT_NE(why(convert(source, ScalarType::I64, "'x'")).find("'x' is f32[4], expected i64"), std::string::npos);
}

/// Writes the bytes to a file and reads it as an .npz.
llvm::Expected<std::vector<NamedArray>> readBytes(const std::vector<std::byte> &bytes) {
  std::string path = testing::TempDir() + "graphc-npz-test.npz";
  llvm::cantFail(driver::writeFile(path, llvm::ArrayRef<std::byte>(bytes)));
  return readNpz(path);
}

std::vector<std::byte> oneArray() {
  return writeZip({{"a.npy", formatNpy(arrayOf<float>(ScalarType::F32, {3}, {1, 2, 3}))}});
}

TEST(Npz, RoundTrips) {
  std::vector<std::byte> bytes = writeZip({{"a.npy", formatNpy(Array::zeros(ScalarType::F16, {2, 2}))},
                                           {"dir/b.npy", formatNpy(Array::zeros(ScalarType::U8, {70000}))}});
  llvm::Expected<std::vector<NamedArray>> back = readBytes(bytes);
  ASSERT_TRUE(bool(back)) << why(std::move(back));
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[1].name, "dir/b");
  EXPECT_EQ((*back)[1].array.shape, (std::vector<int64_t>{70000}));
  EXPECT_EQ(oneArray(), oneArray());
  llvm::Expected<std::vector<NamedArray>> none = readBytes(writeZip({}));
  ASSERT_TRUE(bool(none)) << why(std::move(none));
  EXPECT_TRUE(none->empty());
}

TEST(Npz, EveryTruncationIsRefused) {
  std::vector<std::byte> whole = oneArray();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(why(readBytes({whole.begin(), whole.begin() + size})), "accepted") << size;
}

TEST(Npz, NoDamagedByteIsRead) { // one bit anywhere: refused, or the same values under the same name
  std::vector<std::byte> whole = oneArray();
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::vector<std::byte> damaged = whole;
    damaged[bit / 8] ^= std::byte(1 << (bit % 8));
    llvm::Expected<std::vector<NamedArray>> result = readBytes(damaged);
    if (!result) {
      llvm::consumeError(result.takeError());
      continue;
    }
    for (const NamedArray &entry : *result) {
      EXPECT_EQ(entry.name, "a") << bit;
      EXPECT_EQ(valuesOf<float>(entry.array), (std::vector<float>{1, 2, 3})) << bit;
    }
  }
}

TEST(Npz, Refusals) {
  std::vector<std::byte> array = formatNpy(Array::zeros(ScalarType::F32, {1}));
  EXPECT_NE(why(readBytes(writeZip({{"a.npy", array}, {"a.npy", array}}))), "accepted");
  EXPECT_NE(why(readBytes(writeZip({{"a.txt", array}}))).find("'a.txt' is no .npy array"), std::string::npos);
  EXPECT_NE(why(readBytes(bytesOf("plain text"))).find("zip"), std::string::npos);
  EXPECT_NE(why(readNpz(testing::TempDir() + "graphc-no-such.npz")), "accepted");
}

} // namespace
