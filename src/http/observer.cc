#include "http/observer.h"

#include "base/log.h"
#include "json/writer.h"

namespace millrace::http {

namespace {

constexpr std::size_t kPathBytesMax = 256;  // of a line

spdlog::level::level_enum level_of(const Answered& answered) {
  return answered.status >= 500 ? spdlog::level::warn : spdlog::level::info;
}

std::string line_of(const Answered& answered) {
  using Micros = std::chrono::microseconds;
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.member("msg", std::string_view("request"));
  json.member("method", to_text(answered.method));
  json.member("endpoint", answered.endpoint != nullptr ? std::string_view(answered.endpoint->name) : "");
  json.member("path", answered.path.substr(0, kPathBytesMax));
  json.member("status", answered.status);
  json.member("us", std::chrono::duration_cast<Micros>(answered.took).count());
  json.member("bytesIn", answered.bytes_in);
  json.member("bytesOut", answered.bytes_out);
  json.member("remote", answered.remote);
  json.member("correlationId", answered.correlation_id);
  json.member("requestId", answered.request_id);
  for (const auto& [key, value] : answered.notes) json.member(key, std::string_view(value));
  json.end_object();
  return out;
}

}  // namespace

void log_answer(const Answered& answered) {
  const auto level = level_of(answered);
  if (!spdlog::should_log(level)) return;
  const std::string line = line_of(answered);
  // The log's pattern adds the braces.
  spdlog::log(level, "{}", std::string_view(line).substr(1, line.size() - 2));
}

}  // namespace millrace::http
