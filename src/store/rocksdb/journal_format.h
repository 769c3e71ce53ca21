// The bytes of the journal's files (journal.h): a first page that says whose file it is, then records, each from a page
// of its own on. Pure, but for the secret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::store::rocks {

// What a disk writes whole or not at all, at the least, and what the page cache reads and writes.
inline constexpr std::size_t kPage = 4096;
inline constexpr std::string_view kUnfinished = ".new";  // ends the name of a file that is being made

constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

struct RecordHead {
  std::uint64_t hash;  // of number, length and bytes, seeded with the secret
  std::uint64_t number;
  std::uint64_t length;
};
RecordHead record_head(std::uint64_t secret, std::uint64_t number, std::string_view record);
// Whatever stands at `at`, unproven. REQUIRES: it lies within the content.
RecordHead read_head(std::string_view content, std::size_t at);

// The record that starts at `at`, if a whole one does.
struct FoundRecord {
  std::uint64_t number;
  std::string_view bytes;
};
std::optional<FoundRecord> record_at(std::string_view content, std::size_t at, std::uint64_t secret);

std::string first_page(std::uint64_t secret);
// Nullopt: it is no such page, or damaged.
std::optional<std::uint64_t> secret_in(std::string_view first_page);
// Whether the page says that a marker (journal_marker.h) stood beside the file when it was made. Those of earlier
// versions say nothing.
bool knows_marker(std::string_view first_page);
// Throws StoreError where the system gives no random numbers.
std::uint64_t new_secret();

// A page that says how far the log had come: record `first` is the next to be written, and goes into the file of this
// slot as long as it has room.
struct Begun {
  std::uint64_t sequence = 0;  // the highest of several pages is in force
  int slot = 0;
  std::uint64_t first = 0;
};
std::string begun_page(const Begun& begun);
std::optional<Begun> begun_in(std::string_view page);

std::string file_name(int slot);
std::optional<int> slot_of(const std::filesystem::path& path);

}  // namespace millrace::store::rocks
