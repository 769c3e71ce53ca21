#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace millrace {

void start_log(const char* level) {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("millrace", std::move(sink));
  // Messages are already JSON members: log.info(R"("msg":"started","port":8080)").
  logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  spdlog::flush_every(std::chrono::seconds(1));
}

void stop_log() { spdlog::shutdown(); }

}  // namespace millrace
