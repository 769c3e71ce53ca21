// S3.6: a small XSD cannot cost the server its memory or its time.
#include "registry/xsd_cost.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::registry {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

XsdDefinitions chain(int length, std::size_t times) {
  XsdDefinitions out;
  out["type 0"].parts = 1;
  for (int i = 1; i < length; ++i) {
    out[fmt::format("type {}", i)].uses.assign(times, fmt::format("type {}", i - 1));
  }
  return out;
}

TEST(XsdCost, TakesManyModelsOfAReasonableSize) {
  XsdDefinitions many;
  for (int i = 0; i < 2'000; ++i) many[fmt::format("type {}", i)].parts = 60;
  EXPECT_EQ(find_excess(many), std::nullopt);
}

TEST(XsdCost, RefusesOneModelThatIsTooLarge) {
  EXPECT_EQ(find_excess({{"type a", {.parts = 700}}}), std::nullopt);
  EXPECT_THAT(find_excess({{"type a", {.parts = 900}}}), Optional(HasSubstr("too large")));
}

TEST(XsdCost, CountsWhatIsUsedAsOftenAsItIsUsed) {
  EXPECT_EQ(find_excess(chain(9, 2)), std::nullopt);
  EXPECT_THAT(find_excess(chain(40, 2)), Optional(HasSubstr("too large")));
}

TEST(XsdCost, RefusesChainsThatAreTooLongInWhateverOrderTheyAreMet) {
  EXPECT_EQ(find_excess(chain(60, 1)), std::nullopt);
  EXPECT_THAT(find_excess(chain(100, 1)), Optional(HasSubstr("deep")));
  EXPECT_THAT(find_excess({{"type z", {.uses = {"type y"}}}, {"type y", {.uses = {"type z"}}}}),
              Optional(HasSubstr("by itself")));
}

TEST(XsdCost, WhatIsNotDefinedCostsNothing) {
  EXPECT_EQ(find_excess({{"type a", {.parts = 1, .uses = {"type b"}}}}), std::nullopt);
}

}  // namespace
}  // namespace millrace::registry
