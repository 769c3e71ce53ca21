#include "store/rocksdb/journal_format.h"

#include <fmt/format.h>
#include <sys/random.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <charconv>
#include <cstring>

#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

constexpr std::uint64_t kFileMagic = 0x314c4e4a45434152;    // "RACEJNL1"
constexpr std::uint64_t kBegunMagic = 0x3147454245434152;   // "RACEBEG1"
constexpr std::uint64_t kMarkedMagic = 0x314b524d45434152;  // "RACEMRK1"
constexpr std::string_view kSuffix = ".log";

struct FileHead {
  std::uint64_t magic;
  std::uint64_t secret;
  std::uint64_t hash;  // of what is above
};

// Stands in the first page behind its head, where programs that do not know it do not look.
struct MarkedHead {
  std::uint64_t magic;
  std::uint64_t hash;  // of what is above
};
constexpr std::size_t kMarkedAt = 512;

struct BegunHead {
  std::uint64_t magic;
  std::uint64_t sequence;
  std::uint64_t slot;
  std::uint64_t first;
  std::uint64_t hash;  // of what is above
};

template <class Head>
void seal(std::string& page, std::size_t at, Head head) {
  head.hash = XXH3_64bits(&head, offsetof(Head, hash));
  std::memcpy(page.data() + at, &head, sizeof head);
}

template <class Head>
std::string sealed_page(Head head) {
  std::string page(kPage, '\0');
  seal(page, 0, head);
  return page;
}

template <class Head>
std::optional<Head> unsealed(std::string_view page, std::uint64_t magic, std::size_t at = 0) {
  Head head{};
  if (page.size() < kPage) return std::nullopt;
  std::memcpy(&head, page.data() + at, sizeof head);
  if (head.magic != magic || head.hash != XXH3_64bits(&head, offsetof(Head, hash))) return std::nullopt;
  return head;
}

std::uint64_t hash_of(std::uint64_t secret, std::uint64_t number, std::string_view record) {
  return XXH3_64bits_withSeed(record.data(), record.size(), secret ^ number * 0x9e3779b97f4a7c15 ^ record.size());
}

}  // namespace

RecordHead record_head(std::uint64_t secret, std::uint64_t number, std::string_view record) {
  return {.hash = hash_of(secret, number, record), .number = number, .length = record.size()};
}

RecordHead read_head(std::string_view content, std::size_t at) {
  RecordHead head{};
  std::memcpy(&head, content.data() + at, sizeof head);
  return head;
}

std::optional<FoundRecord> record_at(std::string_view content, std::size_t at, std::uint64_t secret) {
  if (at + sizeof(RecordHead) > content.size()) return std::nullopt;
  const RecordHead head = read_head(content, at);
  if (head.number == 0 || head.length > content.size() - at - sizeof head) return std::nullopt;
  const auto bytes = content.substr(at + sizeof head, head.length);
  if (hash_of(secret, head.number, bytes) != head.hash) return std::nullopt;
  return FoundRecord{head.number, bytes};
}

std::string first_page(std::uint64_t secret) {
  std::string page = sealed_page(FileHead{kFileMagic, secret, 0});
  seal(page, kMarkedAt, MarkedHead{kMarkedMagic, 0});
  return page;
}

std::optional<std::uint64_t> secret_in(std::string_view first_page) {
  const auto head = unsealed<FileHead>(first_page, kFileMagic);
  return head ? std::optional(head->secret) : std::nullopt;
}

bool knows_marker(std::string_view first_page) {
  return unsealed<MarkedHead>(first_page, kMarkedMagic, kMarkedAt).has_value();
}

std::uint64_t new_secret() {
  std::uint64_t secret = 0;
  if (getrandom(&secret, sizeof secret, 0) != sizeof secret) {
    throw StoreError(Fate::broken, "the system gives no random numbers");
  }
  return secret;
}

std::string begun_page(const Begun& begun) {
  return sealed_page(BegunHead{kBegunMagic, begun.sequence, static_cast<std::uint64_t>(begun.slot), begun.first, 0});
}

std::optional<Begun> begun_in(std::string_view page) {
  const auto head = unsealed<BegunHead>(page, kBegunMagic);
  if (!head) return std::nullopt;
  return Begun{.sequence = head->sequence, .slot = static_cast<int>(head->slot), .first = head->first};
}

std::string file_name(int slot) { return fmt::format("{:06}{}", slot, kSuffix); }

std::optional<int> slot_of(const std::filesystem::path& path) {
  if (path.extension() != kSuffix) return std::nullopt;
  const std::string stem = path.stem();
  int slot = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), slot);
  if (error != std::errc() || end != stem.data() + stem.size()) return std::nullopt;
  return slot;
}

}  // namespace millrace::store::rocks
