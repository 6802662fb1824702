// The functions that kernels call: digamma and erfinv against values of mpmath (50 digits), copies, fills, the status slot.
#include "runtime/exec/Services.h"

#include "runtime/plan/Sha256.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using graphc::runtime::services;

namespace {

double ulps(double found, double expected) { return std::fabs(found - expected) / (std::fabs(expected) * 0x1p-53); }

} // namespace

TEST(Services, Digamma) {
  const double cases[][2] = {{1, -0.57721566490153286}, {0.5, -1.9635100260214235}, {10, 2.2517525890667211},
                             {100, 4.6001618527380874}, {0.01, -100.56088545786867}, {1e6, 13.815510057964191},
                             {-0.5, 0.036489973978576520}, {-1.5, 0.70315664064524319}};
  for (const auto &c : cases)
    EXPECT_LT(std::fabs(services().digamma(c[0]) - c[1]), 4e-15 * std::max(1.0, std::fabs(c[1]))) << c[0];
  EXPECT_EQ(services().digamma(0.0), -INFINITY);
  EXPECT_EQ(services().digamma(-0.0), INFINITY);
  EXPECT_TRUE(std::isnan(services().digamma(-3)));
}

TEST(Services, Erfinv) {
  for (double x : {1e-300, 1e-10, 0.1, 0.25, 0.49, 0.5, 0.75, 0.9, 0.99, 0.999999, 1 - 1e-12, 1 - 0x1p-53}) {
    const double y = services().erfinv(x);
    EXPECT_EQ(services().erfinv(-x), -y);
    if (x < 0.5)
      EXPECT_LT(ulps(std::erf(y), x), 8) << x;
    else
      EXPECT_LT(std::fabs(std::erfc(y) - (1 - x)) / (1 - x), 1e-13) << x;
  }
  EXPECT_EQ(services().erfinv(0.0), 0.0);
  EXPECT_TRUE(std::signbit(services().erfinv(-0.0)));
  EXPECT_EQ(services().erfinv(1), INFINITY);
  EXPECT_EQ(services().erfinv(-1), -INFINITY);
  EXPECT_TRUE(std::isnan(services().erfinv(1.5)));
}

TEST(Services, CopyAndFill) {
  std::vector<uint32_t> to(12, 9), from = {1, 2, 3, 4, 5, 6};
  services().copy2d(to.data(), 16, from.data(), 8, 8, 3);
  EXPECT_EQ(to, (std::vector<uint32_t>{1, 2, 9, 9, 3, 4, 9, 9, 5, 6, 9, 9}));
  services().fill(to.data(), 0x01020304, 2, 4);
  EXPECT_EQ(to[0], 0x03040304u);
  EXPECT_EQ(to[1], 0x03040304u);
  EXPECT_EQ(to[2], 9u);
  services().copy(to.data(), nullptr, 0);
}

TEST(Services, TheFirstReportWins) {
  graphc_status_slot slot{0, -1, 0, 0};
  services().report(&slot, 5, GRAPHC_STATUS_INDEX_OUT_OF_RANGE, 7, 3);
  services().report(&slot, 1, GRAPHC_STATUS_USER_ERROR, 1, 1);
  EXPECT_EQ(slot.step, 5);
  EXPECT_EQ(slot.code, GRAPHC_STATUS_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(slot.value, 7);
  EXPECT_EQ(slot.extent, 3);
}

TEST(Sha256, KnownAnswers) { // FIPS 180-4 examples
  const auto hex = [](const std::string &text) {
    std::string result;
    for (uint8_t byte : graphc::sha256(std::as_bytes(std::span(text)))) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", byte);
      result += two;
    }
    return result;
  };
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
