// The API of a running server.
#include <fmt/format.h>

#include "cli/api.h"

namespace millrace::cli {
namespace {

// The client gives the words of the system and of OpenSSL only.
const char* advice_for(const std::string& why, const Place& place) {
  const auto says = [&why](const char* words) { return why.find(words) != why.npos; };
  if (says("has expired")) return "the server needs a new certificate, unless this machine's clock is wrong";
  if (says("not yet valid")) return "the server's certificate is for later, unless this machine's clock is wrong";
  if (says("is not for")) return "name the server as its certificate does";
  if (says("certificate") && place.ca_file) return "the file of --ca-file has to hold whoever signed it";
  if (says("certificate")) return "--ca-file FILE trusts a certificate of your own";
  return "is it running? `millrace serve` starts one; --server URL or MILLRACE_SERVER names another";
}

class ServerApi final : public Api {
 public:
  explicit ServerApi(const Place& place) : place_(place), client_(place.server, place.ca_file) {
    if (!place.key.empty()) client_.set_header("Authorization", "Bearer " + place.key);
    if (!place.tenant.empty()) client_.set_header("X-Millrace-Tenant", place.tenant);
    client_.set_header("User-Agent", "millrace-cli");
  }

  http::ClientResponse call(const Call& call) override {
    http::ClientHeaders headers = call.headers;
    if (!call.body.empty()) headers.emplace_back("Content-Type", "application/json");
    Result<http::ClientResponse> answer =
        client_.request(http::to_text(call.method), call.target, headers, call.body, call.timeout);
    return given(std::move(answer));
  }

  http::ClientResponse follow(const Call& call, const http::ClientStream& stream) override {
    return given(client_.stream(call.target, call.headers, stream));
  }

 private:
  http::ClientResponse given(Result<http::ClientResponse> answer) const {
    if (answer) return *std::move(answer);
    const std::string& why = answer.error().detail;
    throw Failure(Exit::unreachable,
                  fmt::format("no answer from {}: {} ({})", place_.server, why, advice_for(why, place_)));
  }

  Place place_;
  http::Client client_;
};

// A header's value that would end its line, or be refused by the server as malformed.
void require_one_line(const std::string& value, const char* option) {
  const bool fine = value.find_first_of(std::string("\r\n\0", 3)) == value.npos;
  if (!fine) throw Failure(Exit::usage, fmt::format("{} must be one line", option));
}

}  // namespace

std::unique_ptr<Api> connect_server(const Place& place) {
  require_one_line(place.key, "--key");
  require_one_line(place.tenant, "--tenant");
  try {
    return std::make_unique<ServerApi>(place);
  } catch (const std::invalid_argument& error) {
    throw Failure(Exit::usage, fmt::format("--server: {}", error.what()));
  } catch (const std::exception& error) {
    throw Failure(Exit::usage,
                  fmt::format("--ca-file {} cannot be used: {}", place.ca_file.value_or(""), error.what()));
  }
}

http::ClientResponse Api::follow(const Call&, const http::ClientStream&) {
  throw Failure(Exit::usage, "only a running server can be followed (--server URL)");
}

std::unique_ptr<Api> connect(const Place& place) { return place.local() ? open_local(place) : connect_server(place); }

}  // namespace millrace::cli
