// Catalog documents with versions, and the audit log that every change to them is written to.
#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "shard/impl.h"

namespace millrace::shard {
namespace {

Error stale(const std::string& kind, const std::string& key, std::uint64_t present) {
  if (present == 0) return {Errc::stale_version, fmt::format("{} \"{}\" does not exist", kind, key)};
  return {Errc::stale_version, fmt::format("{} \"{}\" is at version {}", kind, key, present)};
}

}  // namespace

std::optional<Need> Shard::Impl::run(Step& step, PutDocument& command) {
  const auto key = std::pair(command.kind, command.key);
  const auto found = documents.find(key);
  const std::uint64_t present = found == documents.end() ? 0 : found->second.version;
  if (command.expected_version && *command.expected_version != present) {
    return answer(step, stale(command.kind, command.key, present)), std::nullopt;
  }
  const std::uint64_t last = present != 0 ? present : tenant(command.tenant).counters.last_removed;
  Document document{
      std::move(command.kind), std::move(command.key), command.tenant, last + 1, std::move(command.body), now};
  step.effects.batch.documents.push_back({document, false});
  documents.insert_or_assign(key, document);
  audit(command.audit, present == 0 ? "created" : "updated", step.effects);
  answer(step, std::move(document));
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
