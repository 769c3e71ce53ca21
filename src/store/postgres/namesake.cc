#include "store/postgres/namesake.h"

#include <fmt/format.h>

#include <map>
#include <thread>

#include "base/time.h"
#include "store/postgres/records.h"
#include "store/store_error.h"

namespace millrace::store::postgres {
namespace {

constexpr Millis kLookAgain = Millis(50);
// The first may have been under way when the program was killed.
constexpr int kBeatsOfTheLiving = 2;

// By the primary key; of two that start at once, the one that registered first is the elder.
const Statement kElders = {"elder_namesakes", R"sql(
SELECT n.instance, n.node, to_char(n.started AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       (extract(epoch FROM n.heartbeat) * 1000000)::bigint
FROM millrace.nodes me JOIN millrace.nodes n ON n.node = me.node
WHERE me.instance = $1::text AND (n.started, n.instance) < (me.started, me.instance)
  AND NOT n.gone AND n.heartbeat + n.ttl > clock_timestamp()
  AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.application_name = 'millrace ' || n.instance))sql"};

struct Elder {
  std::string node;
  std::string started;
  std::int64_t heartbeat = 0;
  int beats = 0;  // that came while we looked
};

// By their instance. What is known of the earlier ones is carried over.
std::map<std::string, Elder> look(Connection& connection, const std::string& instance,
                                  const std::map<std::string, Elder>& before) {
  std::map<std::string, Elder> elders;
  const Rows rows = connection.run(kElders, Params().add(instance));
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    std::string name = row.text();
    Elder elder{.node = row.text(), .started = row.text(), .heartbeat = row.i64()};
    if (const auto known = before.find(name); known != before.end()) {
      elder.beats = known->second.beats + (elder.heartbeat != known->second.heartbeat ? 1 : 0);
    }
    elders.emplace(std::move(name), std::move(elder));
  }
  return elders;
}

}  // namespace

void refuse_namesake(Connection& connection, const std::string& instance, const std::function<bool()>& stop_asked) {
  std::map<std::string, Elder> elders = look(connection, instance, {});
  while (!elders.empty()) {
    for (const auto& [name, elder] : elders) {
      if (elder.beats < kBeatsOfTheLiving) continue;
      throw StoreError(Fate::not_done,
                       fmt::format("another server runs on this PostgreSQL as node \"{}\", since {}: give each its own "
                                   "name with --node-id",
                                   elder.node, elder.started));
    }
    if (stop_asked && stop_asked()) {
      throw StoreError(Fate::not_done, "stopped while a program of this node's name was still there");
    }
    std::this_thread::sleep_for(kLookAgain);
    elders = look(connection, instance, elders);
  }
}

}  // namespace millrace::store::postgres
