// Catalog documents with versions, and the audit log that every change to them is written to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/digest.h"
#include "shard/impl.h"

namespace millrace::shard {
namespace {

Error stale(const std::string& kind, const std::string& key, std::uint64_t present) {
  if (present == 0) return {Errc::stale_version, fmt::format("{} \"{}\" does not exist", kind, key)};
  return {Errc::stale_version, fmt::format("{} \"{}\" is at version {}", kind, key, present)};
}

}  // namespace

std::optional<Error> Shard::Impl::refusal_of(const PutDocument& command) const {
  const auto found = documents.find(std::pair(command.kind, command.key));
  const std::uint64_t present = found == documents.end() ? 0 : found->second.version;
  if (!command.expected_version || *command.expected_version == present) return std::nullopt;
  return stale(command.kind, command.key, present);
}

// REQUIRES: nothing refuses it.
Document Shard::Impl::put(PutDocument& command, Effects& effects) {
  const auto key = std::pair(command.kind, command.key);
  const auto found = documents.find(key);
  const std::uint64_t present = found == documents.end() ? 0 : found->second.version;
  const std::uint64_t last = present != 0 ? present : tenant(command.tenant).counters.last_removed;
  Document document{
      std::move(command.kind), std::move(command.key), command.tenant, last + 1, std::move(command.body), now};
  effects.batch.documents.push_back({document, false});
  documents.insert_or_assign(key, document);
  audit(command.audit, present == 0 ? "created" : "updated", effects);
  return document;
}

std::optional<Need> Shard::Impl::run(Step& step, PutDocument& command) {
  if (auto refused = refusal_of(command)) return answer(step, *std::move(refused)), std::nullopt;
  answer(step, put(command, step.effects));
  return std::nullopt;
}

std::optional<Need> Shard::Impl::run(Step& step, PutDocuments& command) {
  std::set<std::pair<std::string_view, std::string_view>> named;
  std::vector<std::string> refusals;
  for (const PutDocument& each : command.documents) {
    if (!named.emplace(each.kind, each.key).second) {
      const std::string detail = fmt::format("{} \"{}\" can be written once at a time", each.kind, each.key);
      return answer(step, Error{Errc::conflict, detail}), std::nullopt;
    }
    if (auto refused = refusal_of(each)) refusals.push_back(std::move(refused->detail));
  }
  if (!refusals.empty()) {
    return answer(step, Error{Errc::stale_version, fmt::format("{}", fmt::join(refusals, "; "))}), std::nullopt;
  }
  Documents written;
  for (PutDocument& each : command.documents) written.documents.push_back(put(each, step.effects));
  answer(step, std::move(written));
  return std::nullopt;
}

std::optional<Need> Shard::Impl::run(Step& step, RemoveDocument& command) {
  const auto found = documents.find(std::pair(command.kind, command.key));
  if (found == documents.end()) {
    return answer(step, Error{Errc::not_found, fmt::format("no {} \"{}\"", command.kind, command.key)}), std::nullopt;
  }
  if (command.expected_version && *command.expected_version != found->second.version) {
    return answer(step, stale(command.kind, command.key, found->second.version)), std::nullopt;
  }
  TenantState& owner = tenant(found->second.tenant);
  owner.counters.last_removed = std::max(owner.counters.last_removed, found->second.version);
  mark_dirty(owner);
  step.effects.batch.documents.push_back({found->second, true});
  documents.erase(found);
  audit(command.audit, "removed", step.effects);
  answer(step, Ack{});
  return std::nullopt;
}

void Shard::Impl::audit(const AuditNote& note, std::string_view verb, Effects& effects) {
  TenantState& owner = tenant(note.tenant);
  AuditRecord record{.tenant = note.tenant,
                     .seq = AuditSeq{++owner.counters.last_audit},
                     .time = now,
                     .actor = note.actor,
                     .action = fmt::format("{}.{}", note.entity_type, verb),
                     .entity_type = note.entity_type,
                     .entity_id = note.entity_id,
                     .correlation_id = note.correlation_id,
                     .values = note.values,
                     .values_digest = sha256(note.values),
                     .previous_hash = owner.counters.audit_hash,
                     .hash = {}};
  record.hash = audit_hash(record);
  owner.counters.audit_hash = record.hash;
  mark_dirty(owner);
  effects.batch.audit.push_back(std::move(record));
}

}  // namespace millrace::shard
