// Which installation a store is: a random number that is made with the store and goes wherever it goes, so a restored
// backup is the same one. It tells whose blobs a shared place holds (docs/adr/0015).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::store {

// 32 hexadecimal digits. Throws StoreError where the system gives no random numbers.
std::string make_installation();
bool is_installation(std::string_view text);

// Of the embedded store in this folder, made durably if it has none yet. REQUIRES: the folder's store is open here,
// whose lock keeps others out. Throws StoreError.
std::string rocksdb_installation(const std::string& path);
// The same of a folder that may be in use, without making it; nullopt for one that has none.
std::optional<std::string> find_rocksdb_installation(const std::string& path);

// Of the store in this database, made if it has none yet. REQUIRES: open_postgres() has made the schema. Throws
// StoreError.
std::string postgres_installation(const std::string& url);
// The same, changing nothing; nullopt for a database without the schema, or with one from before.
std::optional<std::string> find_postgres_installation(const std::string& url);

}  // namespace millrace::store
