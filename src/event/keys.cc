#include "event/keys.h"

#include <charconv>
#include <initializer_list>

namespace millrace::event {
namespace {

constexpr std::array<std::string_view, kIndexes> kNames = {"table", "GSI1", "GSI2", "GSI3",
                                                           "GSI4",  "GSI5", "GSI6", "GSI7"};

constexpr std::array<std::array<std::string_view, 2>, kIndexes> kPartNames = {{{"PK", "SK"},
                                                                               {"GSI1PK", "GSI1SK"},
                                                                               {"GSI2PK", "GSI2SK"},
                                                                               {"GSI3PK", "GSI3SK"},
                                                                               {"GSI4PK", "GSI4SK"},
                                                                               {"GSI5PK", "GSI5SK"},
                                                                               {"GSI6PK", "GSI6SK"},
                                                                               {"GSI7PK", "GSI7SK"}}};

// Decimal digits of a time, on the stack: keys are made for every index of every event.
class Milliseconds {
 public:
  explicit Milliseconds(Time time) {
    const auto done = std::to_chars(digits_.data(), digits_.data() + digits_.size(), to_ms(time));
    size_ = static_cast<std::size_t>(done.ptr - digits_.data());
  }
  std::string_view text() const { return {digits_.data(), size_}; }

 private:
  std::array<char, 20> digits_{};
  std::size_t size_ = 0;
};

std::string join(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string joined;
  joined.reserve(size);
  for (const std::string_view part : parts) joined += part;
  return joined;
}

}  // namespace

std::string_view name_of(Index index) { return kNames[static_cast<std::size_t>(index)]; }

std::string_view name_of(Index index, KeyPart part) {
  return kPartNames[static_cast<std::size_t>(index)][static_cast<std::size_t>(part)];
}

std::optional<Index> parse_index(std::string_view name) {
  for (std::size_t i = 0; i < kIndexes; ++i) {
    if (kNames[i] == name) return static_cast<Index>(i);
  }
  return std::nullopt;
}

Key key_of(const TenantId& tenant, const Header& header, Index index) {
  const Milliseconds time(header.time);
  const std::string_view ms = time.text();
  const std::string_view owner = tenant.text();
  const std::string_view entity = header.entity_type;
  const std::string_view id = header.entity_id;
  switch (index) {
    case Index::table:
      return {join({"TENANT#", owner}), join({"TIMESTAMP#", ms, "#EVENT#", header.event_id})};
    case Index::gsi1:
      return {join({entity, "#", id}), join({entity, "#TIMESTAMP#", ms})};
    case Index::gsi2:
      return {join({"APP#", header.app}), join({"TIMESTAMP#", ms})};
    case Index::gsi3:
      return {join({"APP#", header.app}), join({entity, "#", id, "#TIMESTAMP#", ms})};
    case Index::gsi4:
      return {join({"EVENT#", header.type}), join({"TENANT#", owner, "#TIMESTAMP#", ms})};
    case Index::gsi5:
      return {join({"EVENT#", header.type}), join({"TENANT#", owner, "#", entity, "#", id, "#TIMESTAMP#", ms})};
    case Index::gsi6:
      return {join({"EVENT#", header.type}), join({"TENANT#", owner, "#APP#", header.app, "#TIMESTAMP#", ms})};
    case Index::gsi7:
      return {join({"EVENT#", header.type}),
              join({"TENANT#", owner, "#APP#", header.app, "#", entity, "#", id, "#TIMESTAMP#", ms})};
  }
  return {};
}

std::array<Key, kIndexes> keys_of(const TenantId& tenant, const Header& header) {
  std::array<Key, kIndexes> keys;
  for (std::size_t i = 0; i < kIndexes; ++i) keys[i] = key_of(tenant, header, static_cast<Index>(i));
  return keys;
}

}  // namespace millrace::event
