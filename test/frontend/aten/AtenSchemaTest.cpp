// Lookup in the schema table, parsing of defaults and aliases, and completing a node's arguments.
#include "frontend/aten/AtenSchema.h"

#include <gtest/gtest.h>

using namespace graphc::frontend;

namespace {

template <typename T> T valueOf(const std::optional<Constant> &constant) { return std::get<T>(constant.value().value); }

TEST(AtenSchema, Finds) {
  for (auto [op, overload] : {std::pair("aten::add", "Tensor"), {"aten::relu", ""}, {"aten::zeros_like", ""},
                              {"aten::Bool", "Tensor"}, {"aten::lstm", "input"}, {"aten::abs", ""}}) {
    std::optional<AtenSchema> schema = findAtenSchema(op, overload);
    ASSERT_TRUE(schema) << op;
    EXPECT_EQ(schema->op, op);
    EXPECT_FALSE(schema->arguments.empty()) << op;
  }
  for (auto [op, overload] : {std::pair("aten::add", "Tenso"), {"aten::", ""}, {"aten::zzz", ""}, {"prim::If", ""},
                              {"aten::relu", "out"}, {"relu", ""}, {"aten::add", "Tensor("}})
    EXPECT_FALSE(findAtenSchema(op, overload)) << op << "." << overload;
}

TEST(AtenSchema, ParsesArguments) {
  std::optional<AtenSchema> add = findAtenSchema("aten::add_", "Tensor");
  ASSERT_TRUE(add);
  ASSERT_EQ(add->arguments.size(), 3u);
  EXPECT_EQ(add->arguments[0].type, "Tensor");
  EXPECT_EQ(add->arguments[0].aliasSet, "a");
  EXPECT_TRUE(add->arguments[0].isWritten);
  EXPECT_FALSE(add->arguments[1].isWritten);
  EXPECT_EQ(add->arguments[2].name, "alpha");
  EXPECT_TRUE(add->arguments[2].isKeywordOnly);
  EXPECT_EQ(valueOf<int64_t>(add->arguments[2].defaultValue), 1);
  ASSERT_EQ(add->returns.size(), 1u);
  EXPECT_TRUE(add->returns[0].isWritten);

  std::optional<AtenSchema> split = findAtenSchema("aten::split", "Tensor");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->arguments[0].aliasSet, "a->*");
  EXPECT_EQ(split->returns[0].type, "Tensor[]");
  EXPECT_EQ(split->returns[0].aliasSet, "a");
}

TEST(AtenSchema, ParsesDefaults) {
  std::optional<AtenSchema> pool = findAtenSchema("aten::max_pool2d", "");
  ASSERT_TRUE(pool);
  EXPECT_TRUE(valueOf<ConstantList>(pool->arguments[2].defaultValue).elements.empty()); // stride=[]
  ConstantList dilation = valueOf<ConstantList>(pool->arguments[4].defaultValue);       // int[2] dilation=1
  ASSERT_EQ(dilation.elements.size(), 2u);
  EXPECT_EQ(std::get<int64_t>(dilation.elements[1].value), 1);

  std::optional<AtenSchema> norm = findAtenSchema("aten::layer_norm", "");
  ASSERT_TRUE(norm);
  EXPECT_DOUBLE_EQ(valueOf<double>(norm->arguments[4].defaultValue), 1e-5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(norm->arguments[2].defaultValue.value().value));

  std::optional<AtenSchema> conv = findAtenSchema("aten::conv2d", "padding");
  ASSERT_TRUE(conv);
  EXPECT_EQ(valueOf<std::string>(conv->arguments[4].defaultValue), "valid");
  std::optional<AtenSchema> contiguous = findAtenSchema("aten::contiguous", "");
  ASSERT_TRUE(contiguous);
  EXPECT_EQ(valueOf<EnumConstant>(contiguous->arguments[1].defaultValue).text, "contiguous_format");
}

TEST(AtenSchema, CompletesOperands) {
  std::optional<AtenSchema> schema = findAtenSchema("aten::sum", "dim_IntList");
  ASSERT_TRUE(schema);
  Node node;
  node.operands = {{"dim", Constant{int64_t(1)}}, {"self", ValueId(7)}};
  ASSERT_TRUE(completeOperands(node, *schema));
  ASSERT_EQ(node.operands.size(), 4u);
  EXPECT_EQ(std::get<ValueId>(node.operands[0].value), 7u);
  EXPECT_EQ(node.operands[3].name, "dtype");

  Node unknown;
  unknown.operands = {{"self", ValueId(7)}, {"dim", Constant{}}, {"banana", Constant{}}};
  EXPECT_FALSE(completeOperands(unknown, *schema));
  EXPECT_EQ(unknown.operands.size(), 3u);
  Node missing;
  missing.operands = {{"dim", Constant{}}};
  EXPECT_FALSE(completeOperands(missing, *schema));
}

} // namespace
