#include "blob/s3_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "base/assert.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/unavailable.h"
#include "blob/s3_listing.h"
#include "http/client.h"

namespace millrace::blob {
namespace {

constexpr int kTries = 3;
constexpr Millis kPause(200);  // before the second try; doubled before the third
constexpr std::size_t kIdleMax = 8;

// As Host has it: without the port that goes without saying.
std::string host_of(std::string_view endpoint) {
  const bool tls = endpoint.starts_with("https://");
  endpoint.remove_prefix(tls ? 8 : 7);
  const std::string_view usual = tls ? ":443" : ":80";
  if (endpoint.ends_with(usual)) endpoint.remove_suffix(usual.size());
  return std::string(endpoint);
}

// What S3 says went wrong, short enough for a message.
std::string reason_of(const http::ClientResponse& response) {
  const std::size_t begin = response.body.find("<Code>");
  const std::size_t end = response.body.find("</Code>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return " " + response.body.substr(begin + 6, std::min<std::size_t>(end - begin - 6, 60));
}

class S3Store final : public BlobStore, private Mark {
 public:
  explicit S3Store(S3Options options) : options_(std::move(options)), host_(host_of(options_.endpoint)) {}

  std::string bucket() const override { return options_.bucket; }

  Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) override {
    MR_ASSERT(!key.empty() && key.size() <= kKeyBytesMax, "keys are bounded");
    // Asked for first, since not every server knows If-None-Match; with it, two that come at once do not overwrite
    // each other where it is known. The same bytes are written once more: that makes them new.
    const auto present = get(tenant, key);
    if (present && *present != bytes) return Put::taken;
    S3Request request = object("PUT", tenant, key);
    if (!present) request.headers.emplace_back("if-none-match", "*");
    const auto answer = send(std::move(request), std::string(bytes));
    if (answer.status == 412 || answer.status == 409) return get(tenant, key) == bytes ? Put::stored : Put::taken;
    if (answer.status != 200) refuse("PUT", answer);
    return Put::stored;
  }

  std::optional<std::string> get(const TenantId& tenant, std::string_view key) override {
    auto answer = send(object("GET", tenant, key), "");
    if (is_missing(answer)) return std::nullopt;
    if (answer.status != 200) refuse("GET", answer);
    return std::move(answer.body);
  }

  // S3 has no removal by condition: the listing's time is asked again just before.
  void remove(const TenantId& tenant, std::string_view key, Time before) override {
    const auto listing = ask_listing({{"prefix", name_of(tenant, key)}, {"max-keys", "1"}});
    if (listing.objects.empty() || listing.objects[0].key != name_of(tenant, key)) return;
    if (listing.objects[0].written >= before) return;
    const auto answer = send(object("DELETE", tenant, key), "");
    if (answer.status != 204 && answer.status != 200 && answer.status != 404) refuse("DELETE", answer);
  }

  // A cursor is the last object's name.
  Page list(std::string_view cursor, std::size_t limit) override {
    S3Request::Pairs query{{"prefix", options_.prefix},
                           {"max-keys", std::to_string(std::min<std::size_t>(limit, 1000))}};
    if (!cursor.empty()) query.emplace_back("start-after", cursor);
    const S3Listing listing = ask_listing(std::move(query));
    Page page;
    for (const auto& object : listing.objects) {
      const std::string_view name = std::string_view(object.key).substr(options_.prefix.size());
      const std::size_t slash = std::min(name.find('/'), name.size());
      const auto tenant = TenantId::parse(name.substr(0, slash));
      if (tenant && slash + 1 < name.size()) {
        page.entries.push_back({*tenant, std::string(name.substr(slash + 1)), object.written});
      }
    }
    if (listing.truncated && !listing.objects.empty()) page.next = listing.objects.back().key;
    return page;
  }

  Mark* mark() override { return this; }

 private:
  std::optional<std::string> owner() override {
    const auto answer = send(mark_object("GET"), "");
    if (is_missing(answer)) return std::nullopt;
    if (answer.status != 200) refuse("GET", answer);
    return installation_in(answer.body);
  }
  // Not every server knows If-None-Match: whoever marks a place looks afterwards whose it is.
  bool mark_first(std::string_view installation) override {
    S3Request request = mark_object("PUT");
    request.headers.emplace_back("if-none-match", "*");
    const auto answer = send(std::move(request), mark_text(installation));
    if (answer.status == 412 || answer.status == 409) return false;
    if (answer.status != 200) refuse("PUT", answer);
    return true;
  }
  void mark_anew(std::string_view installation) override {
    const auto answer = send(mark_object("PUT"), mark_text(installation));
    if (answer.status != 200) refuse("PUT", answer);
  }
  // Far below the hour that a blob is left alone for, so that a place that was taken away is noticed before anything
  // that was put there meanwhile is removed.
  Millis good_for() const override { return std::chrono::seconds(10); }
  S3Request mark_object(std::string method) const {
    return {.method = std::move(method),
            .path = fmt::format("/{}/{}{}", options_.bucket, options_.prefix, kMarkName),
            .digest = {}};
  }
  // A bucket that is not there is no missing object.
  static bool is_missing(const http::ClientResponse& answer) {
    return answer.status == 404 && answer.body.find("<Code>NoSuchBucket") == std::string::npos;
  }

  std::string name_of(const TenantId& tenant, std::string_view key) const {
    return fmt::format("{}{}/{}", options_.prefix, tenant.text(), key);
  }
  S3Request object(std::string method, const TenantId& tenant, std::string_view key) const {
    return {.method = std::move(method),
            .path = fmt::format("/{}/{}", options_.bucket, name_of(tenant, key)),
            .digest = {}};
  }

  S3Listing ask_listing(S3Request::Pairs query) {
    query.emplace_back("list-type", "2");
    const auto answer =
        send({.method = "GET", .path = "/" + options_.bucket, .query = std::move(query), .digest = {}}, "");
    auto listing = answer.status == 200 ? parse_s3_listing(answer.body) : std::nullopt;
    if (!listing) refuse("GET", answer);
    return *std::move(listing);
  }

  // The answer, whatever it says; a server that is overwhelmed or not there is asked again.
  http::ClientResponse send(S3Request request, const std::string& body) {
    request.digest = to_hex(sha256(body));
    request.headers.emplace_back("host", host_);
    const std::string query = s3_query(request.query);
    const std::string target = s3_encode(request.path, Slash::kept) + (query.empty() ? "" : "?" + query);
    for (int tried = 1;; ++tried) {
      S3Request fresh = request;
      const std::string authorization = sign_s3(fresh, options_.credentials, options_.region, SystemClock().now());
      http::ClientHeaders headers(fresh.headers.begin(), fresh.headers.end());
      headers.emplace_back("authorization", authorization);
      Result<http::ClientResponse> answer = exchange(request.method, target, headers, body);
      if (answer && answer->status < 500 && answer->status != 429) return *std::move(answer);
      if (tried == kTries) {
        if (answer) return *std::move(answer);
        throw Unavailable("blob store: S3: " + answer.error().detail);
      }
      std::this_thread::sleep_for(kPause * (1 << (tried - 1)));
    }
  }

  Result<http::ClientResponse> exchange(const std::string& method, const std::string& target,
                                        const http::ClientHeaders& headers, const std::string& body) {
    std::unique_ptr<http::Client> client = take();
    auto answer = client->request(method, target, headers, body, options_.timeout);
    const std::lock_guard lock(mutex_);
    if (answer && idle_.size() < kIdleMax) idle_.push_back(std::move(client));
    return answer;
  }
  std::unique_ptr<http::Client> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<http::Client>(options_.endpoint);
    auto client = std::move(idle_.back());
    idle_.pop_back();
    return client;
  }

  [[noreturn]] void refuse(std::string_view method, const http::ClientResponse& answer) const {
    throw Unavailable(fmt::format("blob store: S3 answers {} {} with {}{}", method, options_.bucket, answer.status,
                                  reason_of(answer)));
  }

  S3Options options_;
  std::string host_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<http::Client>> idle_;  // guarded by mutex_
};

std::string first_of(const std::function<const char*(const char*)>& variable,
                     std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = variable(name); value != nullptr && *value != '\0') return value;
  }
  return "";
}

void check_endpoint(std::string_view endpoint) {
  const std::size_t host = endpoint.starts_with("https://") ? 8 : endpoint.starts_with("http://") ? 7 : 0;
  // It is in the log and in /healthz, so nothing that is secret may be in it.
  if (endpoint.find('@') != endpoint.npos) {
    throw Unavailable("--blobs: the endpoint must not have a key in it: set MILLRACE_S3_ACCESS_KEY and …_SECRET_KEY");
  }
  if (host != 0 && endpoint.size() > host && endpoint.find('/', host) == endpoint.npos) return;
  throw Unavailable(fmt::format("--blobs: endpoint \"{}\" is not http(s)://host:port", endpoint));
}

void read_parameters(std::string_view parameters, S3Options& options) {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find('&'), parameters.size());
    const std::string_view pair = parameters.substr(0, end);
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view name = pair.substr(0, equals);
    const std::string value(pair.substr(std::min(equals + 1, pair.size())));
    if (name == "endpoint") {
      options.endpoint = value;
    } else if (name == "region") {
      options.region = value;
    } else {
      throw Unavailable(fmt::format("--blobs: \"{}\" is neither endpoint nor region", name));
    }
  }
}

}  // namespace

S3Options read_s3_url(std::string_view url, const std::function<const char*(const char* name)>& variable) {
  MR_ASSERT(url.starts_with("s3://"), "the caller looked");
  url.remove_prefix(5);
  const std::size_t question = std::min(url.find('?'), url.size());
  S3Options options;
  if (std::string region = first_of(variable, {"AWS_REGION", "AWS_DEFAULT_REGION"}); !region.empty()) {
    options.region = std::move(region);
  }
  read_parameters(url.substr(std::min(question + 1, url.size())), options);
  const std::string_view place = url.substr(0, question);
  const std::size_t slash = std::min(place.find('/'), place.size());
  options.bucket = place.substr(0, slash);
  options.prefix = place.substr(std::min(slash + 1, place.size()));
  if (!options.prefix.empty() && !options.prefix.ends_with('/')) options.prefix += '/';
  if (options.bucket.empty()) throw Unavailable("--blobs: s3:// names no bucket");
  if (options.endpoint.empty()) options.endpoint = fmt::format("https://s3.{}.amazonaws.com", options.region);
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  check_endpoint(options.endpoint);
  options.credentials = {.access_key = first_of(variable, {"MILLRACE_S3_ACCESS_KEY", "AWS_ACCESS_KEY_ID"}),
                         .secret_key = first_of(variable, {"MILLRACE_S3_SECRET_KEY", "AWS_SECRET_ACCESS_KEY"})};
  if (first_of(variable, {"MILLRACE_S3_ACCESS_KEY"}).empty()) {
    options.credentials.session_token = first_of(variable, {"AWS_SESSION_TOKEN"});
  }
  if (options.credentials.access_key.empty() || options.credentials.secret_key.empty()) {
    throw Unavailable("--blobs s3://…: set MILLRACE_S3_ACCESS_KEY and MILLRACE_S3_SECRET_KEY");
  }
  return options;
}

std::unique_ptr<BlobStore> open_s3(S3Options options) { return std::make_unique<S3Store>(std::move(options)); }

}  // namespace millrace::blob
