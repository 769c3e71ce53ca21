#include "event/rest.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace millrace::event {
namespace {

TEST(Rest, ComesApartAsItWasJoined) {
  const Notes all{Envelope::keyed, "2025-01-02T23:00:00+01:00", true, true, true};
  for (const Notes& notes : {Notes{}, Notes{.envelope = Envelope::snake}, Notes{.overflow = true}, all}) {
    for (const std::string_view members : {"", R"("data":{"_":{}})", R"("a":1,"data":"}")"}) {
      const std::string text = join_rest(notes, members);
      EXPECT_EQ(split_rest(text).notes, notes);
      EXPECT_EQ(split_rest(text).members, members);
    }
  }
}

TEST(Rest, HasNoNotesWhereThereIsNothingToSay) { EXPECT_EQ(join_rest({}, R"("data":1)"), R"({"data":1})"); }

TEST(Rest, ThatWasDamagedIsToldSo) {
  for (const std::string_view text : {"", "[", "{", "{\"_\":{\"form\"}}", "{\"_\":{\"form\":\"snake\"}"}) {
    EXPECT_THROW(split_rest(text), CorruptRecord) << text;
  }
}

}  // namespace
}  // namespace millrace::event
