#include "api/access_key.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "api/first_error.h"
#include "base/assert.h"
#include "base/digest.h"
#include "base/limits.h"
#include "json/object_reader.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::api {
namespace {

constexpr std::string_view kPrefix = "mr_";
constexpr std::size_t kIdBytes = 8;
constexpr std::size_t kSecretBytes = 32;

template <std::size_t N>
std::string random_hex() {
  std::array<unsigned char, N> bytes;
  MR_ASSERT(RAND_bytes(bytes.data(), static_cast<int>(N)) == 1, "the system has no random numbers");
  return to_hex({reinterpret_cast<const char*>(bytes.data()), N});
}

void write_members(json::Writer& out, const AccessKey& key) {
  out.member("id", key.id);
  out.member("tenant", key.tenant.text());
  out.key("scopes");
  out.begin_array();
  for (const std::string_view scope : key.scopes.names()) out.string(scope);
  out.end_array();
  out.member("name", key.name);
  out.member("created", key.created);
  out.member("expires", key.expires);
  out.member("revoked", key.revoked);
}

}  // namespace

NewKey make_key(TenantId tenant, Scopes scopes, std::string name, std::optional<Time> expires, Time now) {
  NewKey made;
  made.key.id = random_hex<kIdBytes>();
  made.text = std::string(kPrefix) + made.key.id + "_" + random_hex<kSecretBytes>();
  made.key.hash = to_hex(sha256(made.text));
  made.key.tenant = std::move(tenant);
  made.key.scopes = scopes;
  made.key.name = std::move(name);
  made.key.created = now;
  made.key.expires = expires;
  return made;
}

std::optional<std::string_view> id_in_key(std::string_view text) {
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  const std::size_t end = text.find('_');
  if (end == text.npos || end == 0) return std::nullopt;
  return text.substr(0, end);
}

std::string without_secrets(std::string_view text) {
  constexpr std::size_t kIdEnd = kPrefix.size() + 2 * kIdBytes;
  std::string shown;
  for (std::size_t at = text.find(kPrefix); at != text.npos; at = text.find(kPrefix)) {
    const std::string_view key = text.substr(at);
    const std::size_t end = std::min(key.find_first_not_of("0123456789abcdefABCDEF", kPrefix.size()), key.size());
    const bool found = end == kIdEnd && key.substr(end).starts_with('_');
    shown += text.substr(0, at + (found ? kIdEnd + 1 : kPrefix.size()));
    text.remove_prefix(at + kPrefix.size());
    if (!found) continue;
    shown += "…";
    const std::string_view secret = key.substr(kIdEnd + 1);
    text = secret.substr(std::min(secret.find_first_of("/\"', \t?&"), secret.size()));
  }
  return shown += text;
}

bool is_text_of(const AccessKey& key, std::string_view text) { return equal_secret(key.hash, to_hex(sha256(text))); }

std::string to_document(const AccessKey& key) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  write_members(out, key);
  out.member("hash", key.hash);
  out.end_object();
  return body;
}

std::optional<AccessKey> from_document(std::string_view text) {
  const auto document = json::parse(text);
  if (!document) return std::nullopt;
  const Result<json::ObjectReader> body = json::ObjectReader::open(document->root());
  if (!body) return std::nullopt;
  FirstError error;
  AccessKey key;
  key.id = error.take(body->required_string("id", 100));
  const auto tenant = TenantId::parse(error.take(body->required_string("tenant", 100)));
  const auto scopes = error.take(body->optional_strings("scopes", 16, 100));
  key.hash = error.take(body->required_string("hash", 100));
  key.name = error.take(body->optional_string("name", limits::kKeyNameBytesMax)).value_or("");
  key.created = error.take(body->required_time("created"));
  key.expires = error.take(body->optional_time("expires"));
  key.revoked = error.take(body->optional_time("revoked"));
  if (error.failed() || !tenant || !scopes) return std::nullopt;
  key.tenant = *tenant;
  for (const std::string& scope : *scopes) key.scopes.add(scope);
  return key;
}

std::string describe(const AccessKey& key) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  write_members(out, key);
  out.end_object();
  return text;
}

}  // namespace millrace::api
