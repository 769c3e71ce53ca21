#include "base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace millrace {
namespace {

// Lines go out together: when there are enough of them, after a second, or at once from a warning on. A write
// for each line would cost more than answering the request that it tells of.
class BufferedStderr final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    constexpr std::size_t kEnough = 16 * 1024;
    spdlog::memory_buf_t line;
    if (message.payload.size() > 0 && message.payload[0] == '"') {
      formatter_->format(message, line);
    } else {
      // A library's own sentence.
      const std::string member = R"("msg":)" + quoted({message.payload.data(), message.payload.size()});
      spdlog::details::log_msg sentence = message;
      sentence.payload = member;
      formatter_->format(sentence, line);
    }
    pending_.append(line.data(), line.size());
    if (pending_.size() >= kEnough) flush_();
  }
  void flush_() override {
    for (std::size_t done = 0; done < pending_.size();) {
      const ssize_t wrote = ::write(STDERR_FILENO, pending_.data() + done, pending_.size() - done);
      if (wrote <= 0) break;  // nobody reads it; the server goes on
      done += static_cast<std::size_t>(wrote);
    }
    pending_.clear();
  }

 private:
  std::string pending_;
};

}  // namespace

void start_log(const char* level) {
  auto sink = std::make_shared<BufferedStderr>();
  auto logger = std::make_shared<spdlog::logger>("millrace", std::move(sink));
  // Messages are already JSON members: log.info(R"("msg":"started","port":8080)").
  logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  spdlog::flush_every(std::chrono::seconds(1));
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\t' ? ' ' : c < ' ' || c > '~' ? '?' : c;
  }
  return out += '"';
}

void flush_log() { spdlog::default_logger()->flush(); }

void stop_log() {
  flush_log();
  spdlog::shutdown();
}

}  // namespace millrace
