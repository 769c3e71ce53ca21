#include "base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace millrace {
namespace {

// A message that is no JSON member, such as a library's own sentence, as one.
std::string as_member(std::string_view sentence) {
  std::string member = R"("msg":")";
  for (const char c : sentence) {
    if (c == '"' || c == '\\') member += '\\';
    member += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return member += '"';
}

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
      const std::string member = as_member({message.payload.data(), message.payload.size()});
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

void stop_log() {
  spdlog::default_logger()->flush();
  spdlog::shutdown();
}

}  // namespace millrace
