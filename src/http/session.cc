#include "http/session.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <expected>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"
#include "http/body_reader.h"
#include "http/chunked_body.h"
#include "http/content.h"
#include "http/framing.h"
#include "http/problem.h"
#include "http/request.h"
#include "http/request_id.h"
#include "http/wire.h"
#include "json/escape.h"

namespace millrace::http {

namespace {

using async::Steady;

// Bodies up to this are copied behind their head, to be sent in one piece.
constexpr std::size_t kJoinedBodyBytesMax = 16 * 1024;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

void log_failure(const Request& request, const char* what) {
  std::string text;
  json::append_string(text, what);
  spdlog::error(R"("msg":"a handler failed","error":{},"requestId":"{}")", text, request.request_id);
}

// The answer to the exception that is being handled. REQUIRES: in a catch block.
Response failure_response(const Request& request, ErrorStyle style) {
  try {
    throw;
  } catch (const Unavailable& failure) {
    log_failure(request, failure.what());
    return error_response({Errc::unavailable, "not available just now, try again"}, style);
  } catch (const std::exception& failure) {
    log_failure(request, failure.what());
  } catch (...) {
    log_failure(request, "unknown");
  }
  return status_response(500, "an error on our side; the request id names it in the log", style);
}

std::optional<Response> ask_guard(const Guard& guard, const Endpoint& endpoint, Request& request) {
  if (!guard) return std::nullopt;
  try {
    const auto may = guard(request, endpoint);
    return may ? std::nullopt : std::optional(error_response(may.error(), endpoint.style));
  } catch (...) {
    return failure_response(request, endpoint.style);
  }
}

// A request passes through few coroutines of its own: each costs about as much as reading a header field, and only what
// may wait has to be one.
template <class Stream>
class Session final : public Wire<Stream>, public PeerWatch {
 public:
  Session(Stream stream, Arrival& arrival)
      : Wire<Stream>(std::move(stream)),
        core_(arrival.core),
        connections_(arrival.connections),
        remote_(arrival.remote),
        patience_(core_->options.patience),
        held_(*core_->held) {
    connections_->add(*this);
  }
  ~Session() override { connections_->remove(*this); }

  Async<> run() {
    this->arm(patience_.head);
    if constexpr (Wire<Stream>::kTls) {
      if (!co_await this->handshake()) closing_ = true;
    }
    while (!closing_ && !this->closed()) {
      auto head = co_await next_head();
      if (!head) break;
      co_await take_turn(*std::move(head));
      this->arm(patience_.idle);
    }
    co_await this->close(unread_ || (!this->closed() && this->has_input()), patience_.linger);
  }

  void drain() override {
    if (waiting_ && !this->has_input()) this->cancel();
    if (current_ != nullptr && !current_->interrupt.raised()) current_->interrupt.raise();
  }
  void watch_peer() override {
    this->watch([this] { interrupt_because_gone(); });
  }
  void abort() override {
    Wire<Stream>::abort();
    if (current_ != nullptr) interrupt_because_gone();
  }

 private:
  // The next request's head, or nothing if there will be none; what is wrong with it has been answered.
  // REQUIRES: armed with the patience for its first byte.
  Async<std::optional<Head>> next_head() {
    HeadEnd end;
    bool begun = false;
    bool skipped = false;  // the empty line that RFC 9112 lets a client send before a request
    for (;;) {
      if (!skipped && this->inbox.view().starts_with("\r\n")) {
        this->inbox.consume(2);
        skipped = true;
        end.size = 0;
      }
      end = find_head_end(this->inbox.view(), end.size);
      if (end.state != HeadEnd::State::incomplete || this->inbox.full()) break;
      if (!begun && !this->inbox.empty()) {
        begun = true;
        this->arm(patience_.head);
      }
      if (!begun && connections_->draining() && !this->has_input()) co_return std::nullopt;
      waiting_ = !begun;
      const bool more = co_await this->fill();
      waiting_ = false;
      if (more) continue;
      if (this->expired() && begun) co_await refuse(status_response(408, "the request's head took too long"));
      co_return std::nullopt;
    }
    this->disarm();
    auto head = read_head(end);
    if (head) co_return *std::move(head);
    co_await refuse(std::move(head.error()));
    co_return std::nullopt;
  }

  std::expected<Head, Response> read_head(HeadEnd end) {
    if (end.state == HeadEnd::State::incomplete) {
      return std::unexpected(status_response(431, fmt::format("the head is larger than {} bytes", kHeadBytesMax)));
    }
    Result<Head> head = fail(Errc::malformed, "a line ends without a carriage return");
    head_text_.clear();
    if (end.state == HeadEnd::State::complete) {
      head_text_.assign(this->inbox.view().substr(0, end.size));
      this->inbox.consume(end.size);
      head = check_framing(head_text_);
    }
    if (head) return *std::move(head);
    if (asks_other_version(head_text_)) return std::unexpected(status_response(505, "this server speaks HTTP/1.1"));
    return std::unexpected(error_response(head.error()));
  }

  // Answers what could not be read as a request; the connection ends with it.
  Async<> refuse(Response response) {
    Request request;
    begin(request);
    unread_ = closing_ = true;
    received_ = 0;
    const std::size_t sent = send_now(request, response) ? sent_ : co_await send_rest(request, response);
    tell(request, nullptr, response.status, sent, Steady::now());
  }

  void begin(Request& request) {
    request.remote = remote_;
    request.request_id = make_request_id();
    const auto given = request.header("x-correlation-id").value_or("");
    request.correlation_id = is_correlation_id(given) ? std::string(given) : make_request_id();
  }

  Async<> take_turn(Head head) {
    const auto started = Steady::now();
    Request request(std::move(head));
    begin(request);
    received_ = head_text_.size();
    if (!request.head.keep_alive) closing_ = true;
    current_ = &request;
    request.connection = this;
    if (connections_->draining()) request.interrupt.raise();
    const Endpoint* endpoint = nullptr;
    Response response = co_await respond(request, endpoint);
    if (response.body.size() > HeldBytes::kUncountedBytes) count_answer(request, endpoint, response);
    const std::size_t sent = send_now(request, response) ? sent_ : co_await send_rest(request, response);
    current_ = nullptr;
    held_.release();
    this->unwatch();
    tell(request, endpoint, response.status, sent, started);
  }

  Async<Response> respond(Request& request, const Endpoint*& endpoint) {
    auto refusal = choose(request, endpoint);
    if (refusal) {
      co_await skip_body(request);
      co_return *std::move(refusal);
    }
    if (request.head.has_body() && !take_buffered_body(request)) {
      refusal = co_await read_body(request, body_limit(*endpoint), endpoint->style);
      if (refusal) co_return *std::move(refusal);
    }
    received_ += request.body.size();
    if (endpoint->body == BodyRule::none) request.body.clear();
    try {
      co_return co_await endpoint->run(request);
    } catch (...) {  // nothing that an endpoint throws gets past this
      co_return failure_response(request, endpoint->style);
    }
  }

  // Finds the endpoint and asks whether the request may go on to it.
  std::optional<Response> choose(Request& request, const Endpoint*& endpoint) {
    auto target = parse_target(request.head.target);
    if (!target) {
      const Route meant = core_->router.find(request.method(), guess_segments(request.head.target));
      return error_response(target.error(), meant.style);
    }
    request.target = *std::move(target);
    const Route route = core_->router.find(request.method(), request.target.segments);
    if (route.endpoint == nullptr && route.allow.empty())
      return error_response({Errc::not_found, "there is nothing at this path"}, route.style);
    if (route.endpoint == nullptr) {
      auto refusal = status_response(405, fmt::format("this path takes {}", route.allow), route.style);
      refusal.headers.emplace_back("Allow", route.allow);
      return refusal;
    }
    endpoint = route.endpoint;
    if (request.head.expect == Expect::unknown)
      return status_response(417, "the only expectation met here is 100-continue", route.style);
    request.params = core_->router.params(*endpoint, request.target.segments);
    if (auto refusal = ask_guard(core_->guard, *endpoint, request)) return refusal;
    if (auto fits = check_content(request.head, *endpoint); !fits) return error_response(fits.error(), route.style);
    // One of unknown length is let in where a small one fits, and counted as it arrives.
    const std::size_t announced = request.head.content_length.value_or(HeldBytes::kUncountedBytes + 1);
    if (request.head.has_body() && !core_->held->has_room(announced))
      return error_response(too_much_held(), route.style);
    return std::nullopt;
  }

  // An answer that can be asked for again is dropped where there is no room; one that says what was done is sent.
  void count_answer(const Request& request, const Endpoint* endpoint, Response& response) {
    const bool repeatable = request.method() == Method::get && endpoint != nullptr && !endpoint->no_head;
    const std::size_t bytes = response.body.capacity();
    if (repeatable && !core_->held->has_room_for_answer(bytes)) {
      response = error_response(too_much_held(), endpoint->style);
    } else {
      held_.add(bytes);
    }
  }

  // The usual case, without a wait: the whole body came with the head.
  bool take_buffered_body(Request& request) {
    if (request.head.chunked || this->inbox.size() < *request.head.content_length) return false;
    const auto length = static_cast<std::size_t>(*request.head.content_length);
    request.body.assign(this->inbox.view().substr(0, length));
    this->inbox.consume(length);
    return true;
  }

  // What is wrong with the body, if anything; then the connection cannot be used any more.
  Async<std::optional<Response>> read_body(Request& request, std::size_t limit, ErrorStyle style) {
    if (request.head.expect == Expect::continue_100 && !request.head.http_1_0 && this->inbox.empty()) {
      std::array<std::string_view, 2> pieces = {kContinue, {}};
      if (!this->write_now(pieces)) co_await this->write_rest(pieces, patience_.progress);
    }
    BodyReader<Stream> reader(*this, request.body, held_, patience_.progress);
    const auto whole = co_await reader.read(request.head, limit);
    if (whole) co_return std::nullopt;
    unread_ = closing_ = true;
    if (this->expired()) co_return status_response(408, "the request's body took too long", style);
    co_return error_response(whole.error(), style);
  }

  // After a refusal: past a small body the connection goes on, a large or awaited one ends it.
  Async<> skip_body(Request& request) {
    if (!request.head.has_body() || take_buffered_body(request)) co_return;
    const bool awaited = request.head.expect != Expect::nothing;
    if (awaited || request.head.content_length.value_or(0) > kIgnoredBodyBytesMax) {
      unread_ = closing_ = true;
      co_return;
    }
    co_await read_body(request, kIgnoredBodyBytesMax, ErrorStyle::problem);
  }

  // Sends without waiting, which is enough for most answers: sent_ has the bytes then. False: see send_rest().
  bool send_now(Request& request, Response& response) {
    sent_ = 0;
    if (this->closed()) return true;
    if (connections_->draining()) closing_ = true;
    if (response.stream && request.head.http_1_0) response = status_response(505, "this answer needs HTTP/1.1");
    out_.clear();
    append_head(out_, response, envelope_of(request));
    const bool bodiless = is_bodiless(request, response);
    pieces_ = {out_, {}};
    if (!bodiless && response.body.size() <= kJoinedBodyBytesMax) {
      out_.append(response.body);
      pieces_[0] = out_;
    } else if (!bodiless) {
      pieces_[1] = response.body;
    }
    sent_ = pieces_[0].size() + pieces_[1].size();
    return this->write_now(pieces_) && (bodiless || !response.stream);
  }

  // What send_now() left; the bytes of the whole answer.
  Async<std::size_t> send_rest(Request& request, Response& response) {
    if (!this->closed() && !(pieces_[0].empty() && pieces_[1].empty())) {
      co_await this->write_rest(pieces_, patience_.progress);
    }
    if (response.stream && !is_bodiless(request, response)) sent_ += co_await send_stream(response);
    co_return sent_;
  }

  static bool is_bodiless(const Request& request, const Response& response) {
    return request.method() == Method::head || !may_have_body(response.status);
  }

  Envelope envelope_of(const Request& request) const {
    using enum Envelope::Connection;
    const auto connection = closing_ ? close : request.head.http_1_0 ? keep_alive : implied;
    return {request.correlation_id, request.request_id, connection};
  }

  Async<std::size_t> send_stream(Response& response);

  void interrupt_because_gone() {
    current_->peer_gone = true;
    if (!current_->interrupt.raised()) current_->interrupt.raise();
  }

  void tell(const Request& request, const Endpoint* endpoint, int status, std::size_t sent,
            Steady::time_point started) {
    if (!core_->observer) return;
    core_->observer({.method = request.method(),
                     .endpoint = endpoint,
                     .endpoint_index = endpoint != nullptr ? core_->router.index_of(*endpoint) : kNoEndpoint,
                     .path = request.path(),
                     .status = status,
                     .took = Steady::now() - started,
                     .bytes_in = received_,
                     .bytes_out = sent,
                     .remote = remote_,
                     .correlation_id = request.correlation_id,
                     .request_id = request.request_id,
                     .notes = request.notes});
  }

  std::shared_ptr<const ServerCore> core_;
  std::shared_ptr<ConnectionSet> connections_;
  std::string remote_;
  const Patience& patience_;
  HeldBytes::Lease held_;                   // for the request in flight
  std::string head_text_;                   // what the current Request's views point into
  std::string out_;                         // the answer's head, kept for its capacity
  std::array<std::string_view, 2> pieces_;  // of out_ and the answer's body, what is to be sent
  std::size_t sent_ = 0;                    // bytes of the answer
  Request* current_ = nullptr;              // in flight
  std::size_t received_ = 0;                // bytes of the request in flight
  bool waiting_ = false;                    // for the first byte of a request
  bool closing_ = false;                    // after the present answer
  bool unread_ = false;                     // there may be input that nobody will read
};

// A stream that throws is cut without its last chunk, so that the peer sees that it is not whole.
template <class Stream>
Async<std::size_t> Session<Stream>::send_stream(Response& response) {
  ChunkedBody<Stream> body(*this, held_, patience_.progress);
  bool whole = false;
  try {
    co_await response.stream(body);
    whole = true;
  } catch (const std::exception& failure) {
    log_failure(*current_, failure.what());
  }
  if (whole) {
    co_await body.put("0\r\n\r\n");
  } else {
    closing_ = true;
  }
  co_return body.sent();
}

}  // namespace

Async<> serve(Arrival arrival) {
  if (arrival.core->tls) {
    auto session =
        std::make_shared<Session<TlsStream>>(TlsStream(std::move(arrival.socket), *arrival.core->tls), arrival);
    co_await session->run();
  } else {
    auto session = std::make_shared<Session<PlainStream>>(std::move(arrival.socket), arrival);
    co_await session->run();
  }
}

}  // namespace millrace::http
