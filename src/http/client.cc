#include "http/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <functional>
#include <stdexcept>

#include "http/ascii.h"

namespace millrace::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using Plain = beast::tcp_stream;
using Tls = beast::ssl_stream<Plain>;

constexpr std::uint64_t kAnswerBytesMax = 1024ull * 1024 * 1024;

struct Url {
  bool tls;
  std::string host;
  std::string port;
  std::string prefix;
};

Url parse_url(std::string_view text) {
  const auto refuse = [whole = std::string(text)] {
    return std::invalid_argument(fmt::format("{} is not http://host:port", whole));
  };
  const bool tls = text.starts_with("https://");
  if (!tls && !text.starts_with("http://")) throw refuse();
  text.remove_prefix(tls ? 8 : 7);
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::string_view prefix = text.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  std::string_view authority = text.substr(0, slash);
  // The colons of an IPv6 address stand inside brackets.
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = authority.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) throw refuse();
  std::string port(colon == std::string_view::npos ? (tls ? "443" : "80") : authority.substr(colon + 1));
  return {tls, std::string(host), std::move(port), std::string(prefix)};
}

bool may_repeat(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE";
}

}  // namespace

std::optional<std::string_view> ClientResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

struct Client::Link {
  Url url;
  asio::io_context io{1};
  asio::ssl::context tls{asio::ssl::context::tls_client};
  std::unique_ptr<Plain> plain;  // at most one of the two is connected
  std::unique_ptr<Tls> secured;
  ClientHeaders always;

  bool connected() const { return plain || secured; }
  void disconnect() {
    plain.reset();
    secured.reset();
  }

  // Runs one asynchronous operation to its end.
  template <class Start>
  error_code await(Start start) {
    error_code result;
    bool done = false;
    start([&](const error_code& error, auto&&...) {
      result = error;
      done = true;
    });
    io.restart();
    // Not run(): an interrupt may be waited for besides.
    while (!done && io.run_one() > 0) {
    }
    return result;
  }

  void cancel() {
    if (plain) plain->cancel();
    if (secured) secured->next_layer().cancel();
  }

  error_code connect(std::chrono::milliseconds timeout) {
    error_code error;
    tcp::resolver resolver(io);
    const auto found = resolver.resolve(url.host, url.port, error);
    if (error) return error;
    if (url.tls) {
      secured = std::make_unique<Tls>(io, tls);
      return secure(found, timeout);
    }
    plain = std::make_unique<Plain>(io);
    return open(*plain, found, timeout);
  }

  error_code open(Plain& stream, const tcp::resolver::results_type& found, std::chrono::milliseconds timeout) {
    stream.expires_after(timeout);
    const error_code error = await([&](auto done) { stream.async_connect(found, std::move(done)); });
    error_code ignored;
    if (!error) stream.socket().set_option(tcp::no_delay(true), ignored);
    return error;
  }

  error_code secure(const tcp::resolver::results_type& found, std::chrono::milliseconds timeout) {
    SSL_set_tlsext_host_name(secured->native_handle(), url.host.c_str());
    secured->set_verify_mode(asio::ssl::verify_peer);
    secured->set_verify_callback(asio::ssl::host_name_verification(url.host));
    if (const auto error = open(secured->next_layer(), found, timeout)) return error;
    return await([&](auto done) { secured->async_handshake(asio::ssl::stream_base::client, std::move(done)); });
  }

  template <class Stream>
  error_code exchange(Stream& stream, const beast::http::request<beast::http::string_body>& request,
                      beast::http::response_parser<beast::http::string_body>& parser,
                      std::chrono::milliseconds timeout) {
    beast::get_lowest_layer(stream).expires_after(timeout);
    if (const auto error = await([&](auto done) { beast::http::async_write(stream, request, std::move(done)); }))
      return error;
    beast::flat_buffer buffer;
    return await([&](auto done) { beast::http::async_read(stream, buffer, parser, std::move(done)); });
  }

  template <class Stream>
  error_code receive(Stream& stream, const beast::http::request<beast::http::string_body>& request,
                     beast::http::response_parser<beast::http::string_body>& parser, const ClientStream& into) {
    beast::get_lowest_layer(stream).expires_after(into.silence_max);
    beast::flat_buffer buffer;
    if (const auto error = await([&](auto done) { beast::http::async_write(stream, request, std::move(done)); }))
      return error;
    if (const auto error =
            await([&](auto done) { beast::http::async_read_header(stream, buffer, parser, std::move(done)); }))
      return error;
    while (!parser.is_done()) {
      beast::get_lowest_layer(stream).expires_after(into.silence_max);
      const auto error =
          await([&](auto done) { beast::http::async_read_some(stream, buffer, parser, std::move(done)); });
      std::string& body = parser.get().body();
      if (parser.get().result_int() == 200 && !body.empty()) {
        const bool more = into.take(body);
        body.clear();
        if (!more) return {};
      }
      if (error) return error;
      if (body.size() > kAnswerBytesMax) return beast::http::error::body_limit;
    }
    return {};
  }

  // Why the server's certificate was not taken, as OpenSSL puts it; "" if it was, or none came.
  std::string distrust() const {
    const long verdict = secured ? SSL_get_verify_result(secured->native_handle()) : X509_V_OK;
    if (verdict == X509_V_OK) return "";
    // What a callback refuses without a word of its own, and ours looks at the name.
    if (verdict == X509_V_ERR_UNSPECIFIED) return fmt::format(": the certificate is not for {}", url.host);
    return fmt::format(": {}", X509_verify_cert_error_string(verdict));
  }

  std::unexpected<Error> failed(const error_code& error) {
    const std::string reason = distrust();
    disconnect();
    return fail(Errc::unavailable, fmt::format("{}:{}: {}{}", url.host, url.port, error.message(), reason));
  }
};

Client::Client(std::string_view url, std::optional<std::string> ca_file) : link_(new Link{.url = parse_url(url)}) {
  if (!link_->url.tls) return;
  SSL_CTX_set_min_proto_version(link_->tls.native_handle(), TLS1_2_VERSION);
  if (ca_file) {
    link_->tls.load_verify_file(*ca_file);
  } else {
    link_->tls.set_default_verify_paths();
  }
}

Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

void Client::set_header(std::string name, std::string value) {
  link_->always.emplace_back(std::move(name), std::move(value));
}

namespace {

beast::http::request<beast::http::string_body> compose(const Url& url, std::string_view method, std::string_view target,
                                                       std::string body) {
  beast::http::request<beast::http::string_body> out;
  out.method_string(method);
  out.target(url.prefix + std::string(target));
  out.version(11);
  const bool v6 = url.host.find(':') != std::string::npos;
  out.set(beast::http::field::host, fmt::format(fmt::runtime(v6 ? "[{}]:{}" : "{}:{}"), url.host, url.port));
  out.body() = std::move(body);
  if (!out.body().empty() || method == "POST" || method == "PUT" || method == "PATCH") out.prepare_payload();
  return out;
}

ClientResponse taken_from(beast::http::response<beast::http::string_body>&& from) {
  ClientResponse out{.status = static_cast<int>(from.result_int()), .headers = {}, .body = std::move(from.body())};
  for (const auto& field : from) out.headers.emplace_back(field.name_string(), field.value());
  return out;
}

}  // namespace

Result<ClientResponse> Client::request(std::string_view method, std::string_view target, const ClientHeaders& headers,
                                       std::string body, std::chrono::milliseconds timeout) {
  auto request = compose(link_->url, method, target, std::move(body));
  for (const auto& [name, value] : link_->always) request.set(name, value);
  for (const auto& [name, value] : headers) request.set(name, value);
  for (;;) {
    const bool kept = link_->connected();
    if (!kept) {
      if (const auto error = link_->connect(timeout)) return link_->failed(error);
    }
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(kAnswerBytesMax);
    parser.skip(method == "HEAD");
    const auto error = link_->url.tls ? link_->exchange(*link_->secured, request, parser, timeout)
                                      : link_->exchange(*link_->plain, request, parser, timeout);
    if (error) {
      const bool again = kept && error != beast::error::timeout && !parser.got_some() && may_repeat(method);
      auto failure = link_->failed(error);
      if (again) continue;
      return failure;
    }
    if (!parser.keep_alive()) link_->disconnect();
    return taken_from(parser.release());
  }
}

namespace {

// Cancels what the link awaits as soon as a file descriptor can be read.
class Interrupt {
 public:
  template <class Link>
  Interrupt(Link& link, int fd) : fd_(link.io) {
    if (fd < 0) return;
    fd_.assign(::dup(fd));
    fd_.async_wait(asio::posix::stream_descriptor::wait_read, [raised = raised_, &link](const error_code& error) {
      if (error) return;
      *raised = true;
      link.cancel();
    });
  }
  bool raised() const { return *raised_; }

 private:
  std::shared_ptr<bool> raised_ = std::make_shared<bool>(false);  // the handler may outlive this object
  asio::posix::stream_descriptor fd_;
};

}  // namespace

Result<ClientResponse> Client::stream(std::string_view target, const ClientHeaders& headers,
                                      const ClientStream& stream) {
  auto request = compose(link_->url, "GET", target, "");
  for (const auto& [name, value] : link_->always) request.set(name, value);
  for (const auto& [name, value] : headers) request.set(name, value);
  link_->disconnect();
  beast::http::response_parser<beast::http::string_body> parser;
  parser.body_limit(boost::none);
  const Interrupt interrupt(*link_, stream.interrupt_fd);
  error_code error = link_->connect(stream.silence_max);
  if (!error) {
    error = link_->url.tls ? link_->receive(*link_->secured, request, parser, stream)
                           : link_->receive(*link_->plain, request, parser, stream);
  }
  if (error && !interrupt.raised()) return link_->failed(error);
  link_->disconnect();
  return taken_from(parser.release());
}

}  // namespace millrace::http
