// The official JSON-Schema-Test-Suite, both drafts. The suite is not part of this repository: it is looked for beside
// it, or where MILLRACE_JSON_SCHEMA_SUITE says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/parse.h"
#include "registry/json_schema/schema.h"

namespace millrace::registry::json_schema {
namespace {

namespace fs = std::filesystem;
using json::Member;
using json::Value;

constexpr std::string_view kRemoteBase = "http://localhost:1234/";

// Groups with cases that fail, and why that is right. All of them are optional in the suite.
struct Expected {
  std::string_view file;
  std::string_view group;  // empty: all of the file
  std::string_view reason;
};
constexpr auto kExpectedFailures = std::to_array<Expected>({
    {"optional/content.json", "", "contentEncoding and contentMediaType are annotations: payloads are not decoded"},
    {"optional/cross-draft.json", "refs to future drafts are processed as future drafts",
     "draft 2019-09 is not supported"},
    {"optional/cross-draft.json", "refs to historic drafts are processed as historic drafts",
     "draft 2019-09 is not supported"},
    {"optional/format/idn-hostname.json", "", "not a known format: it needs the tables of IDNA"},
    {"optional/format/hostname.json", "validation of A-label (punycode) host names",
     "labels are not decoded: that needs IDNA too"},
});

fs::path suite_folder() {
  if (const char* told = std::getenv("MILLRACE_JSON_SCHEMA_SUITE")) return told;
  const fs::path root = fs::path(__FILE__).parent_path() / "../../..";
  return (root / "../shared/data/json-schema-test-suite").lexically_normal();
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<const Library> load_remotes(const fs::path& folder) {
  auto library = std::make_shared<Library>();
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string uri = std::string(kRemoteBase) + fs::relative(entry.path(), folder).generic_string();
    EXPECT_TRUE(library->add(uri, read_file(entry.path())).has_value()) << uri;
  }
  return library;
}

const Expected* find_expected(const std::string& file, const std::string& group) {
  const auto found = std::ranges::find_if(kExpectedFailures, [&](const Expected& expected) {
    return expected.file == file && (expected.group.empty() || expected.group == group);
  });
  return found == kExpectedFailures.end() ? nullptr : &*found;
}

struct Tally {
  std::size_t cases = 0;
  std::size_t passed = 0;
  std::vector<std::string> failures;                // those that nobody expects
  std::map<const Expected*, std::size_t> expected;  // failures by their reason

  void count(bool pass, const Expected* why_not, const std::string& what) {
    ++cases;
    if (why_not != nullptr) expected[why_not] += pass ? 0 : 1;
    if (pass) {
      ++passed;
    } else if (why_not == nullptr) {
      failures.push_back(what);
    }
  }
  double rate() const { return cases == 0 ? 0 : 100.0 * static_cast<double>(passed) / static_cast<double>(cases); }
};

void run_group(Value group, const CompileOptions& options, const std::string& file, Tally& tally) {
  const std::string description = group.find("description")->get_string();
  const Expected* why_not = find_expected(file, description);
  const auto schema = Schema::compile(*group.find("schema"), options);
  for (const Value test : group.find("tests")->elements()) {
    const std::string what = file + ": " + description + ": " + test.find("description")->get_string();
    if (!schema) {
      tally.count(false, why_not, what + " (refused: " + schema.error().field + ": " + schema.error().detail + ")");
      continue;
    }
    const Value data = *test.find("data");
    const bool valid = (*schema)->is_valid(data);
    tally.count(valid == test.find("valid")->get_bool(), why_not, what);
    // The two ways to ask agree, whatever the suite says.
    EXPECT_EQ((*schema)->validate(data).empty(), valid) << what;
  }
}

void run_file(const fs::path& path, const std::string& name, const CompileOptions& options, Tally& tally) {
  const auto document = json::parse_owned(read_file(path));
  ASSERT_TRUE(document.has_value()) << path << ": " << document.error().message;
  for (const Value group : document->root().elements()) run_group(group, options, name, tally);
}

// `below` is a folder of the draft: "", "optional".
Tally run_folder(std::string_view draft, const fs::path& below, CompileOptions options) {
  const fs::path folder = suite_folder() / "tests" / draft / below;
  Tally tally;
  options.default_draft = draft == "draft7" ? Draft::draft07 : Draft::draft202012;
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.insert(entry.path());
  }
  for (const fs::path& file : files) run_file(file, (below / file.filename()).string(), options, tally);
  return tally;
}

void print(std::string_view what, const Tally& tally) {
  std::printf("%.*s: %zu of %zu cases pass (%.2f %%)\n", static_cast<int>(what.size()), what.data(), tally.passed,
              tally.cases, tally.rate());
  for (const auto& [why_not, failures] : tally.expected) {
    std::printf("  %zu of %s %s: %s\n", failures, std::string(why_not->file).c_str(),
                std::string(why_not->group).c_str(), std::string(why_not->reason).c_str());
    EXPECT_GT(failures, 0u) << why_not->file << " passes now; take it off the list";
  }
  for (const std::string& failure : tally.failures) ADD_FAILURE() << failure;
}

class OfficialSuite : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (!fs::exists(suite_folder() / "tests")) {
      GTEST_SKIP() << "the JSON-Schema-Test-Suite is not at " << suite_folder()
                   << "; set MILLRACE_JSON_SCHEMA_SUITE to its folder";
    }
    options_.library = load_remotes(suite_folder() / "remotes");
  }

  CompileOptions options_;
};

// S3.6
TEST_P(OfficialSuite, RequiredCasesPass) {
  const Tally tally = run_folder(GetParam(), "", options_);
  print(std::string(GetParam()) + " required", tally);
  EXPECT_GE(tally.cases, 900u) << "the suite is incomplete";
  EXPECT_GE(tally.rate(), 99.0);
}

TEST_P(OfficialSuite, OptionalCasesPassButForTheListed) {
  const Tally tally = run_folder(GetParam(), "optional", options_);
  print(std::string(GetParam()) + " optional", tally);
  EXPECT_GE(tally.cases, 100u) << "the suite is incomplete";
}

TEST_P(OfficialSuite, FormatsAreAssertedOnRequest) {
  options_.assert_formats = true;
  const Tally tally = run_folder(GetParam(), "optional/format", options_);
  print(std::string(GetParam()) + " formats", tally);
  EXPECT_GE(tally.cases, 600u) << "the suite is incomplete";
}

INSTANTIATE_TEST_SUITE_P(Drafts, OfficialSuite, testing::Values("draft7", "draft2020-12"),
                         [](const auto& info) { return info.param == "draft7" ? "Draft07" : "Draft202012"; });

}  // namespace
}  // namespace millrace::registry::json_schema
