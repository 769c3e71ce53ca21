// S2.4: schemas of a folder; S2.3: its lint; S2.5: its check.
#include "registry/folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "registry/lint.h"

namespace millrace::registry {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string envelope(const char* type, int version, const char* data = "{}") {
  return fmt::format(R"({{"$schema":"https://json-schema.org/draft/2020-12/schema","description":"d{}",
    "type":"object","properties":{{"event_type":{{"const":"{}"}},"schema_version":{{"const":{}}},"data":{}}}}})",
                     version, type, version, data);
}

SchemaFolder folder_of(std::vector<SchemaFile> files) { return read_schema_folder(files); }

TEST(SchemaFileName, IsTypeAndVersion) {
  EXPECT_EQ(parse_schema_file_name("time_entry.created.v1.json"), (SchemaFileName{"time_entry.created", 1}));
  EXPECT_EQ(parse_schema_file_name("public.a.b.v12.json"), (SchemaFileName{"public.a.b", 12}));
  EXPECT_EQ(parse_schema_file_name("a:b:c:d.v2.json"), (SchemaFileName{"a:b:c:d", 2}));
  EXPECT_EQ(parse_schema_file_name("a.v1.v2.json"), (SchemaFileName{"a.v1", 2}));
  EXPECT_EQ(schema_file_name("a.b", 3), "a.b.v3.json");
  for (const char* name : {"a.b.json", "a.b.v0.json", "a.b.v01.json", "a.b.v.json", "a.b.v1.1.json", "a.b.v1x.json",
                           "a.v1.json", ".v1.json", "a.b.v1.yaml", "", ".a.b.v1.json", "a b.c.v1.json"}) {
    EXPECT_FALSE(parse_schema_file_name(name)) << name;
  }
}

TEST(SchemaFolder, GathersTheVersionsOfAType) {
  const auto folder = folder_of({{"order.created.v2.json", envelope("order.created", 2)},
                                 {"README.md", "not mine"},
                                 {"member.invited.v1.json", envelope("member.invited", 1)},
                                 {"order.created.v10.json", envelope("order.created", 10)}});
  EXPECT_THAT(folder.problems, IsEmpty());
  ASSERT_EQ(folder.types.size(), 2u);
  EXPECT_EQ(folder.types[0].code, "member.invited");
  ASSERT_EQ(folder.types[1].spec_versions.size(), 2u);
  EXPECT_EQ(folder.types[1].spec_versions[1].version, (SchemaVersion{10, 0}));
  EXPECT_EQ(folder.types[1].spec_versions[1].describes, Describes::envelope);
  EXPECT_EQ(folder.types[1].description, "d10");
}

TEST(SchemaFolder, ListsEverythingThatIsWrong) {
  const auto folder = folder_of({{"order.created.json", "{}"},
                                 {"order.created.v1.json", "{"},
                                 {"order.shipped.v1.json", R"({"type":"strin"})"},
                                 {"order.paid.v1.json", envelope("order.payed", 1)},
                                 {"order.paid.v2.json", envelope("order.paid", 1)},
                                 {"order.sent.v1.json", envelope("order.sent", 1)}});
  EXPECT_THAT(folder.problems, ElementsAre(Field(&FileProblem::message, HasSubstr("<type>.v<N>.json")),
                                           Field(&FileProblem::message, HasSubstr("line 1")),
                                           Field(&FileProblem::message, HasSubstr("type")),
                                           Field(&FileProblem::message, HasSubstr("event_type is \"order.payed\"")),
                                           Field(&FileProblem::message, HasSubstr("schema_version is 1"))));
  ASSERT_EQ(folder.types.size(), 1u);
  EXPECT_EQ(folder.types[0].code, "order.sent");
}

TEST(SchemaFolder, ComparesFileByFile) {
  const char* one = R"({"type":"object","properties":{"id":{"type":"string"}}})";
  const char* more = R"({"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}}})";
  const char* other = R"({"type":"object","properties":{"id":{"type":"integer"}}})";
  const auto before = folder_of({{"a.made.v1.json", envelope("a.made", 1, one)},
                                 {"b.made.v1.json", envelope("b.made", 1, one)},
                                 {"c.made.v1.json", envelope("c.made", 1, one)},
                                 {"d.made.v1.json", envelope("d.made", 1, one)}});
  const auto after = folder_of({{"a.made.v1.json", envelope("a.made", 1, more)},
                                {"b.made.v1.json", envelope("b.made", 1, other)},
                                {"c.made.v1.json", envelope("c.made", 1, one)},
                                {"c.made.v2.json", envelope("c.made", 2, other)}});
  const auto result = compare_folders(before, after);
  ASSERT_EQ(result.size(), 3u);
  EXPECT_EQ(result[0].file, "a.made.v1.json");
  EXPECT_TRUE(result[0].comparison.compatible());
  EXPECT_EQ(result[1].file, "b.made.v1.json");
  EXPECT_FALSE(result[1].comparison.compatible());
  EXPECT_EQ(result[1].comparison.changes[0].pointer, "/properties/data/properties/id/type");
  EXPECT_EQ(result[2].file, "d.made.v1.json");
  EXPECT_EQ(result[2].comparison.changes[0].kind, ChangeKind::schema_removed);
  EXPECT_THAT(compare_folders(before, before), IsEmpty());
}

TEST(Lint, TellsOfNamesAndSchemas) {
  const std::vector<SchemaFile> files = {{"order.created.v1.json", "{}"},      {"order.create.v1.json", "{"},
                                         {"order.create.v2.json", "{}"},       {"notes.txt", ""},
                                         {"TIME_ENTRY_CREATED.v1.json", "{}"}, {"broken.json", "{}"},
                                         {"update_time_entry.v1.json", "{}"}};
  const auto findings = lint_events(files, Convention::dotted);
  ASSERT_EQ(findings.size(), 5u);
  EXPECT_EQ(findings[0].rule, "command");
  EXPECT_EQ(findings[0].suggestion, "order.created");
  EXPECT_EQ(findings[1].file, "order.create.v1.json");
  EXPECT_EQ(findings[1].rule, "schema");
  EXPECT_EQ(findings[2].suggestion, "time_entry.created");
  EXPECT_EQ(findings[3].file, "broken.json");
  EXPECT_EQ(findings[4].rule, "command");
  EXPECT_EQ(findings[4].suggestion, "time_entry.updated");
}

}  // namespace
}  // namespace millrace::registry
