// Folders that earlier programs left: they open, and get what this one has.
#include "store/rocksdb/event_conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "store/rocksdb/event_entries.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::SizeIs;

constexpr ShardId kShard{3};
const TenantId kTenant = TenantId::default_tenant();

event::Record make_event(const TenantId& tenant, std::uint64_t position) {
  event::Record event{.tenant = tenant,
                      .position = Position{position},
                      .tsid = position,
                      .received = time_from_ms(1'700'000'000'000),
                      .header = {},
                      .rest = std::make_shared<const std::string>("{}")};
  event.header.event_id = "id-" + std::to_string(1000 - position);  // falls as the positions rise
  event.header.type = "order.created";
  event.header.time = time_from_ms(1'700'000'000'000);
  return event;
}

class EarlierFolder : public testing::Test {
 public:
  ~EarlierFolder() override { fs::remove_all(folder_); }

 protected:
  EarlierFolder() {
    auto pattern = (fs::temp_directory_path() / "millrace-earlier-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }

  std::unique_ptr<Store> open() { return open_rocksdb({.path = folder_, .block_cache_bytes = 8 << 20}); }

  void append(Store& store, const TenantId& tenant, std::uint64_t first, std::uint64_t last) {
    shard::Batch batch{.shard = kShard};
    for (std::uint64_t n = first; n <= last; ++n) {
      batch.events.push_back(std::make_shared<const event::Record>(make_event(tenant, n)));
    }
    batch.counters.push_back({.tenant = tenant, .last_position = last});
    store.commit(store.acquire({}).value(), {&batch, 1});
  }

  void set_format(Database& database, std::uint64_t format) {
    rocksdb::WriteBatch batch;
    std::string value;
    encode_number(value, format);
    database.put(batch, Table::meta, kFormatKey, value);
    database.write(batch);
  }

  std::vector<std::string> table_names() {
    std::vector<std::string> names;
    EXPECT_TRUE(rocksdb::DB::ListColumnFamilies({}, folder_, &names).ok());
    return names;
  }

  // Past our own code, which would have them again; format 1 had no journal either.
  void drop_event_tables(std::uint64_t format) {
    std::vector<rocksdb::ColumnFamilyDescriptor> tables;
    for (const std::string& name : table_names()) tables.emplace_back(name, rocksdb::ColumnFamilyOptions());
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, folder_, tables, &families, &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    std::string value;
    encode_number(value, format);
    ASSERT_TRUE(db->Put({}, slice(kFormatKey), value).ok());
    if (format == 1) {
      ASSERT_TRUE(db->Delete({}, slice(kJournalKey)).ok());
      fs::remove_all(folder_ + "/journal");
    }
    for (auto* family : families) {
      if (family->GetName().starts_with("event")) ASSERT_TRUE(db->DropColumnFamily(family).ok());
      db->DestroyColumnFamilyHandle(family);
    }
  }

  std::uint64_t format() {
    Database database({.path = folder_});
    return decode_number(View(database).get(Table::meta, kFormatKey).value());
  }

  // The entry of `table` as format 2 had it, in place of today's.
  void age_entry(Database& database, rocksdb::WriteBatch& batch, const TenantId& tenant, std::uint64_t position) {
    const event::Header header = make_event(tenant, position).header;
    const std::string entry = pattern_entry(kShard, tenant, event::Index::table, header);
    database.erase(batch, Table::event_index, with_position(entry, Position{position}));
    database.put(batch, Table::event_index, with_position(entry + "#EVENT#" + header.event_id, Position{position}), {});
  }

  std::vector<std::uint64_t> table_of(Store& store, const TenantId& tenant) {
    std::vector<std::uint64_t> positions;
    const EventQuery query{.tenant = tenant, .partition = "TENANT#" + tenant.text(), .limit = 1000};
    for (const event::Record& event : store.events(kShard, query).events) positions.push_back(event.position.value);
    return positions;
  }

  std::string folder_;
};

TEST_F(EarlierFolder, TablesThatItLacksAreMade) {
  for (const std::uint64_t earlier : {std::uint64_t{1}, kFormat}) {
    SCOPED_TRACE(earlier);
    open();
    drop_event_tables(earlier);
    ASSERT_THAT(table_names(), SizeIs(kTables - 3));
    {
      const auto store = open();
      EXPECT_THAT(table_of(*store, kTenant), ElementsAre());
      append(*store, kTenant, 1, 3);
      EXPECT_THAT(table_of(*store, kTenant), ElementsAre(1, 2, 3));
    }
    EXPECT_EQ(format(), kFormat);
    EXPECT_THAT(table_of(*open(), kTenant), ElementsAre(1, 2, 3));
  }
}

// Format 2, where events of one millisecond stood in the order of their ids.
TEST_F(EarlierFolder, EntriesWithEventIdsAreConverted) {
  const TenantId other = TenantId::parse("other").value();
  {
    const auto store = open();
    append(*store, kTenant, 1, 4);
    append(*store, other, 1, 2);
  }
  {
    Database database({.path = folder_});
    rocksdb::WriteBatch batch;
    for (std::uint64_t n = 1; n <= 4; ++n) age_entry(database, batch, kTenant, n);
    for (std::uint64_t n = 1; n <= 2; ++n) age_entry(database, batch, other, n);
    database.write(batch);
    set_format(database, kFormatWithEventIds);
  }
  {
    const auto store = open();
    EXPECT_THAT(table_of(*store, kTenant), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(table_of(*store, other), ElementsAre(1, 2));
    // What goes takes its entry along, so there is none of the old kind left to name it.
    shard::Batch batch{.shard = kShard};
    batch.event_drops.push_back({kTenant, Position{2}, make_event(kTenant, 2).header});
    store->commit(store->acquire({}).value(), {&batch, 1});
    EXPECT_THAT(table_of(*store, kTenant), ElementsAre(1, 3, 4));
  }
  EXPECT_EQ(format(), kFormat);
}

// The last start ended in the middle: the next one goes on.
TEST_F(EarlierFolder, AConversionThatWasBrokenOffGoesOn) {
  append(*open(), kTenant, 1, 4);
  {
    Database database({.path = folder_});
    rocksdb::WriteBatch batch;
    for (const std::uint64_t n : {2, 4}) age_entry(database, batch, kTenant, n);
    database.write(batch);
    set_format(database, kFormatInConversion);
  }
  EXPECT_THAT(table_of(*open(), kTenant), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(format(), kFormat);
}

}  // namespace
}  // namespace millrace::store::rocks
