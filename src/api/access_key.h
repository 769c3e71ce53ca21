// API keys: their text, and the catalog document that stands for one. The text, `mr_<id>_<secret>`, is shown
// once when the key is made; only its SHA-256 is kept. Pure but for the random numbers of a new key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/scopes.h"
#include "base/ids.h"
#include "base/time.h"

namespace millrace::api {

// Of the catalog documents, which live in the system shard under the key's id.
inline constexpr std::string_view kKeyKind = "key";

struct AccessKey {
  std::string id;
  TenantId tenant = TenantId::default_tenant();
  Scopes scopes;
  std::string hash;  // hexadecimal
  std::string name;
  Time created{};
  std::optional<Time> expires;
  std::optional<Time> revoked;

  bool usable(Time now) const { return !revoked && (!expires || now < *expires); }
};

struct NewKey {
  AccessKey key;
  std::string text;  // the secret; show it once, keep it nowhere
};
NewKey make_key(TenantId tenant, Scopes scopes, std::string name, std::optional<Time> expires, Time now);

// The id in a key's text; nullopt for what does not look like a key.
std::optional<std::string_view> id_in_key(std::string_view text);
// The text with the secrets of the keys in it left out, `mr_<id>_…`: for logs and answers.
std::string without_secrets(std::string_view text);
// Whether the text is this key's. Takes the same time for every wrong one.
bool is_text_of(const AccessKey& key, std::string_view text);

// The document's body. Nullopt from the second for a body that the first did not write.
std::string to_document(const AccessKey& key);
std::optional<AccessKey> from_document(std::string_view body);
// What may be shown and audited: everything but the hash. One JSON object.
std::string describe(const AccessKey& key);

}  // namespace millrace::api
