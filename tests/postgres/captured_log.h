// What the program logs while this lives, for tests that wait for a line. Any thread may log.
#pragma once

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <string_view>

namespace millrace::test {

class CapturedLog {
 public:
  CapturedLog() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("captured", lines_)); }
  ~CapturedLog() { spdlog::set_default_logger(former_); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  bool has(std::string_view text) const { return all().find(text) != std::string::npos; }
  std::string all() const {
    std::string text;
    for (const std::string& line : lines_->last_formatted()) text += line;
    return text;
  }

 private:
  std::shared_ptr<spdlog::logger> former_ = spdlog::default_logger();
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> lines_ = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(1000);
};

}  // namespace millrace::test
