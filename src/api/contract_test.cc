// The committed contract against the endpoint table, both ways, and the converter it is read with.
#include "api/contract.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>

#include "api/policy_book.h"
#include "api/routes.h"
#include "api/tenants.h"
#include "blob/memory_store.h"
#include "http/router.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"

namespace millrace::api {
namespace {

using Paths = std::set<std::string>;  // "POST /events"

http::Method method_of(std::string_view word) {
  std::string upper;
  for (const char c : word) upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return http::parse_method(upper);
}

// Visits every operation with its path and its method's word. A path item is no $ref to another: whoever reads the
// contract would find its operations twice, with ids that must be unique.
template <class Visit>
void with_operations(json::Value contract, Visit visit) {
  for (const json::Member path : contract.find("paths")->members()) {
    for (const json::Member operation : path.value.members()) {
      ASSERT_NE(operation.key.get_string(), "$ref") << path.key.get_string();
      visit(path.key.get_string(), operation.key.get_string(), operation.value);
    }
  }
}

Paths in_contract() {
  Paths paths;
  const auto contract = json::parse(contract_json());
  EXPECT_TRUE(contract.has_value());
  with_operations(contract->root(), [&](const std::string& path, const std::string& word, json::Value) {
    const http::Method method = method_of(word);
    EXPECT_NE(method, http::Method::other) << path << " " << word;
    paths.insert(std::string(http::to_text(method)) + " " + path);
  });
  return paths;
}

// Visits every endpoint of the server.
template <class Visit>
void with_table(Visit visit) {
  store::MemoryStore store;
  SystemClock clock;
  engine::Engine engine(store, clock, {}, [](const std::string&) {});
  Tenants tenants(engine, clock);
  PolicyBook policies(engine);
  async::ThreadPool readers(1);
  blob::MemoryStore blobs(clock);
  http::Metrics metrics;
  Services services{.engine = engine,
                    .tenants = tenants,
                    .policies = policies,
                    .readers = readers,
                    .blobs = {.store = blobs, .threads = readers, .events = {}},
                    .metrics = metrics,
                    .clock = clock,
                    .queue = {},
                    .version = "test"};
  const http::Router router(make_endpoints(services, 1024));
  for (const http::Endpoint& endpoint : router.endpoints()) visit(endpoint);
}

Paths in_table() {
  Paths paths;
  with_table([&](const http::Endpoint& endpoint) {
    paths.insert(std::string(http::to_text(endpoint.method)) + " " + endpoint.path);
  });
  return paths;
}

TEST(Contract, HasTheEndpointsOfTheServerAndNoOthers) { EXPECT_EQ(in_contract(), in_table()); }

// An id is there once; the queue's second mount has ids of its own for the same operations.
constexpr std::string_view kTwin = "UnderApi";

// As the endpoint table calls it.
std::string operation_of(json::Value operation) {
  std::string id = operation.find("operationId")->get_string();
  if (id.ends_with(kTwin)) id.resize(id.size() - kTwin.size());
  return id;
}

TEST(Contract, NamesEachOperationOnce) {
  const auto contract = json::parse(contract_json());
  ASSERT_TRUE(contract);
  std::set<std::string> ids;
  with_operations(contract->root(), [&](const std::string& path, const std::string&, json::Value operation) {
    const std::string id = operation.find("operationId")->get_string();
    EXPECT_TRUE(ids.insert(id).second) << id << " at " << path << " is the id of another operation too";
  });
  EXPECT_GT(ids.size(), 50u);
}

// The queue under one of its mounts: "POST /{id}/fail" and all that is said of it but the id.
std::map<std::string, std::string> queue_below(json::Value contract, const std::string& mount) {
  std::map<std::string, std::string> said;
  with_operations(contract, [&](const std::string& path, const std::string& method, json::Value operation) {
    if (path != mount && !path.starts_with(mount + "/")) return;
    std::string text = operation_of(operation);
    for (const json::Member member : operation.members()) {
      if (!member.key.equals("operationId"))
        text += "\n" + member.key.get_string() + " " + std::string(member.value.raw());
    }
    said[method + " " + path.substr(mount.size())] = text;
  });
  return said;
}

// The same API, same case, same errors.
TEST(Contract, SaysTheSameOfTheQueueUnderBothMounts) {
  const auto contract = json::parse(contract_json());
  ASSERT_TRUE(contract);
  const auto said = queue_below(contract->root(), "/events");
  EXPECT_EQ(said.size(), 10u);
  EXPECT_EQ(queue_below(contract->root(), "/api/queue/events"), said);
}

// The names of an operation's query parameters; a "$ref" is to a shared one.
std::set<std::string> documented_query(json::Value contract, json::Value operation) {
  std::set<std::string> names;
  const auto listed = operation.find("parameters");
  if (!listed) return names;
  const json::Value shared = contract.find("components")->find("parameters").value();
  for (json::Value parameter : listed->elements()) {
    if (const auto reference = parameter.find("$ref")) {
      parameter =
          shared.find(reference->get_string().substr(std::string_view("#/components/parameters/").size())).value();
    }
    if (parameter.find("in")->equals("query")) names.insert(parameter.find("name")->get_string());
  }
  return names;
}

std::set<std::string> declared_query(const std::string& operation) {
  std::istringstream words{std::string(query_of(operation))};
  std::set<std::string> names;
  for (std::string word; words >> word;) {
    if (word.ends_with(".*")) word.replace(word.size() - 1, 1, "KEY");
    if (word != "*") names.insert(word);
  }
  return names;
}

// What is not declared is refused, so that what is documented must be declared.
TEST(Contract, HasTheQueryParametersOfTheServerAndNoOthers) {
  const auto contract = json::parse(contract_json());
  ASSERT_TRUE(contract);
  std::size_t compared = 0;
  with_operations(contract->root(), [&](const std::string&, const std::string&, json::Value operation) {
    const std::string name = operation_of(operation);
    EXPECT_EQ(documented_query(contract->root(), operation), declared_query(name)) << name;
    ++compared;
  });
  EXPECT_GT(compared, 40u);
}

// What every operation of its kind may answer, whatever it does.
std::set<std::string> statuses_of_kind(const http::Endpoint& endpoint, const std::string& operation) {
  const std::set<std::string> changes_nothing = {"testPattern", "checkSchemas", "refuseRuleNamedTest", "ping"};
  std::set<std::string> statuses;
  if (!endpoint.scope.empty()) statuses.insert({"401", "403"});
  // A large body may meet a server that holds too many already.
  if (endpoint.body != http::BodyRule::none) statuses.insert({"413", "503"});
  if (endpoint.body == http::BodyRule::json) statuses.insert("415");
  // A command may meet a queue of commands that is full.
  const bool commands = endpoint.method != http::Method::get && !changes_nothing.contains(operation);
  if (commands || operation == "subscribe") statuses.insert({"429", "503"});
  return statuses;
}

TEST(Contract, HasTheStatusesThatOperationsOfAKindAnswer) {
  const auto contract = json::parse(contract_json());
  ASSERT_TRUE(contract);
  const json::Value paths = contract->root().find("paths").value();
  std::size_t compared = 0;
  with_table([&](const http::Endpoint& endpoint) {
    const auto path = paths.find(endpoint.path);
    ASSERT_TRUE(path) << endpoint.path;
    std::string method(http::to_text(endpoint.method));
    for (char& c : method) c = static_cast<char>(c + ('a' - 'A'));
    const json::Value operation = path->find(method).value();
    const std::string name = operation_of(operation);
    for (const std::string& status : statuses_of_kind(endpoint, name)) {
      EXPECT_TRUE(operation.find("responses")->find(status)) << name << " may answer " << status;
      ++compared;
    }
  });
  EXPECT_GT(compared, 150u);
}

TEST(Contract, SaysWhichOpenApiItIs) {
  const auto contract = json::parse(contract_json());
  ASSERT_TRUE(contract);
  EXPECT_TRUE(contract->root().find("openapi")->equals("3.1.0"));
}

TEST(YamlToJson, ConvertsBlocksAndJsonValues) {
  EXPECT_EQ(
      yaml_to_json("# comment\na: 1\nb:\n  c: plain words: with colon\n  d: [1, {\"x\": null}]\n\n  e:\nf: \"q\"\n"),
      R"({"a":1,"b":{"c":"plain words: with colon","d":[1,{"x":null}],"e":null},"f":"q"})");
}

TEST(YamlToJson, ConvertsSequencesOfMappingsAndValues) {
  EXPECT_EQ(yaml_to_json("s:\n  - name: x\n    more: true\n  - {\"y\": 2}\n  - 3.1.0\n  -\n    z: 1\n\"200\": ok\n"),
            R"({"s":[{"name":"x","more":true},{"y":2},"3.1.0",{"z":1}],"200":"ok"})");
}

TEST(YamlToJson, NamesTheLineOfWhatItDoesNotRead) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: 1\n    b: 2\n", "line 2"}, {"a:\n   b: 2\n", "line 2"},  {"a: {b: 1}\n", "line 1"},
      {"a: 1\nwords\n", "line 2"},    {"a: |\n  text\n", "line 1"}, {"", "empty"},
  };
  for (const auto& [yaml, where] : cases) {
    const Result<std::string> json = yaml_to_json(yaml);
    ASSERT_FALSE(json) << yaml;
    EXPECT_THAT(json.error().detail, testing::HasSubstr(where)) << yaml;
  }
}

}  // namespace
}  // namespace millrace::api
