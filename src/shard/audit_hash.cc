#include "base/bytes.h"
#include "base/digest.h"
#include "shard/batch.h"

namespace millrace::shard {

std::string audit_hash(const AuditRecord& record) {
  std::string text;
  put_u8(text, 1);  // version of this layout
  put_string(text, record.previous_hash);
  put_string(text, record.tenant.text());
  put_varint(text, record.seq.value);
  put_zigzag(text, to_ms(record.time));
  for (const std::string* field : {&record.actor, &record.action, &record.entity_type, &record.entity_id,
                                   &record.correlation_id, &record.values_digest}) {
    put_string(text, *field);
  }
  return sha256(text);
}

}  // namespace millrace::shard
