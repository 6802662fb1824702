// Tests of tools/driver/InputSpec.h: what parses, what is refused with which words, symbols over several inputs.
#include "tools/driver/Failure.h"
#include "tools/driver/InputSpec.h"
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::driver;

namespace {

InputSpec parsed(llvm::StringRef text) {
  llvm::Expected<InputSpec> spec = parseInputSpec(text);
  if (spec)
    return *spec;
  ADD_FAILURE() << describe(spec.takeError()).message;
  return {};
}

std::string refused(llvm::StringRef text) {
  llvm::Expected<InputSpec> spec = parseInputSpec(text);
  if (spec)
    return "accepted as " + toString(*spec);
  FailureText why = describe(spec.takeError());
  EXPECT_EQ(why.status, ExitStatus::Usage);
  return why.message;
}

TEST(InputSpec, Numbers) {
  InputSpec spec = parsed("x=f32[1,3,224,224]");
  EXPECT_EQ(spec.name, "x");
  EXPECT_EQ(spec.dtype, frontend::ScalarType::F32);
  ASSERT_EQ(spec.dims.size(), 4u);
  EXPECT_EQ(spec.dims[2].value, 224);
  EXPECT_FALSE(spec.dims[2].isSymbol());
  EXPECT_EQ(parsed("t=bool[]").dims.size(), 0u);
  EXPECT_EQ(parsed("t=i64[0]").dims[0].value, 0);
}

TEST(InputSpec, Symbols) {
  InputSpec spec = parsed("ids=i64[B:2..8, S]");
  EXPECT_EQ(spec.dims[0].symbol, "B");
  EXPECT_EQ(spec.dims[0].min, 2);
  EXPECT_EQ(spec.dims[0].max, 8);
  EXPECT_EQ(spec.dims[1].symbol, "S");
  EXPECT_EQ(spec.dims[1].min, 1);
  EXPECT_FALSE(spec.dims[1].max);
  EXPECT_EQ(parsed("x=f32[B:0..]").dims[0].min, 0);
}

TEST(InputSpec, RoundTrips) {
  for (const char *text : {"x=f32[1,3,224,224]", "a.b=bf16[B,S:2..8]", "t=f16[]", "m=u8[N:0..]"})
    EXPECT_EQ(toString(parsed(text)), text);
}

TEST(InputSpec, Refusals) {
  EXPECT_NE(refused("f32[1]").find("no name before '='"), std::string::npos);
  EXPECT_NE(refused("x=float[1]").find("'float' is no dtype"), std::string::npos);
  EXPECT_NE(refused("x=f32").find("not in [ ]"), std::string::npos);
  EXPECT_NE(refused("x=f32[1,]").find("neither a number nor a symbol"), std::string::npos);
  EXPECT_NE(refused("x=f32[-1]").find("negative"), std::string::npos);
  EXPECT_NE(refused("x=f32[B:3]").find("no range"), std::string::npos);
  EXPECT_NE(refused("x=f32[B:8..2]").find("'2' is no upper bound"), std::string::npos);
  EXPECT_NE(refused("x=f32[9999999999999999999]").find("neither a number"), std::string::npos);
}

TEST(InputSpec, SymbolsAreUnified) {
  std::vector<InputSpec> inputs = {parsed("a=f32[B]"), parsed("b=f32[B:2..8]"), parsed("c=f32[B:2..8]")};
  EXPECT_FALSE(bool(unifySymbols(inputs)));
  EXPECT_EQ(toString(inputs[0]), "a=f32[B:2..8]");
  inputs.push_back(parsed("d=f32[B:2..9]"));
  EXPECT_NE(describe(unifySymbols(inputs)).message.find("two ranges, 2..8 and 2..9"), std::string::npos);
  inputs = {parsed("a=f32[1]"), parsed("a=f32[2]")};
  EXPECT_NE(describe(unifySymbols(inputs)).message.find("given twice"), std::string::npos);
}

TEST(BindSpec, Values) {
  EXPECT_EQ(parseBindSpec("sr=16000")->text, "16000");
  EXPECT_EQ(parseBindSpec("mode=a=b")->text, "a=b");
  EXPECT_EQ(parseBindSpec("s=")->text, "");
  EXPECT_NE(describe(parseBindSpec("sr").takeError()).message.find("NAME=VALUE"), std::string::npos);
}

} // namespace
