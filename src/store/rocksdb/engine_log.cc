#include "store/rocksdb/engine_log.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "base/log.h"

namespace millrace::store::rocks {
namespace {

using Level = rocksdb::InfoLogLevel;

class EngineLog final : public rocksdb::Logger {
 public:
  EngineLog() : Logger(Level::WARN_LEVEL) {}

  // Called for what has no level: the settings that RocksDB lists at every start.
  void Logv(const char*, va_list) override {}

  void Logv(const Level level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel() || level == Level::HEADER_LEVEL) return;
    std::array<char, 1024> text{};  // longer ones are cut
    std::vsnprintf(text.data(), text.size(), format, arguments);
    std::string_view line(text.data());
    while (line.ends_with('\n')) line.remove_suffix(1);
    spdlog::log(level >= Level::ERROR_LEVEL ? spdlog::level::err : spdlog::level::warn, "rocksdb: {}", line);
  }
};

}  // namespace

std::shared_ptr<rocksdb::Logger> make_engine_log() { return std::make_shared<EngineLog>(); }

}  // namespace millrace::store::rocks
