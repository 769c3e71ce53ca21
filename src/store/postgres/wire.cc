#include "store/postgres/wire.h"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace millrace::store::postgres {
namespace {

// Types by their number in pg_type; these have never changed.
constexpr std::uint32_t kBool = 16;
constexpr std::uint32_t kBytea = 17;
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kInt2 = 21;
constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kText = 25;
constexpr std::uint32_t kTimestamptz = 1184;
constexpr std::uint32_t kUuid = 2950;

template <class T>
constexpr std::uint32_t oid_of() {
  if constexpr (std::is_same_v<T, bool>) return kBool;
  if constexpr (std::is_same_v<T, std::int16_t>) return kInt2;
  if constexpr (std::is_same_v<T, std::int32_t>) return kInt4;
  if constexpr (std::is_same_v<T, std::int64_t>) return kInt8;
  if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) return kText;
  if constexpr (std::is_same_v<T, Bytes>) return kBytea;
  if constexpr (std::is_same_v<T, Time>) return kTimestamptz;
  if constexpr (std::is_same_v<T, Uuid>) return kUuid;
}

template <class T>
struct BigEndian {
  explicit BigEndian(T v) {
    const T swapped = std::byteswap(v);
    std::memcpy(bytes, &swapped, sizeof(T));
  }
  std::string_view view() const { return {bytes, sizeof(T)}; }
  char bytes[sizeof(T)];
};

template <class T>
T from_big_endian(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return std::byteswap(v);
}

void append_i32(std::string& out, std::uint32_t v) { out.append(BigEndian(v).view()); }
void overwrite_i32(std::string& out, std::size_t at, std::uint32_t v) { out.replace(at, 4, BigEndian(v).view()); }

// An array: dimensions, has-nulls, element type, then of the one dimension its size and lower bound.
constexpr std::size_t kNullFlagAt = 4;
constexpr std::size_t kElementTypeAt = 8;
constexpr std::size_t kCountAt = 12;
constexpr std::size_t kArrayHeader = 20;
// In place of a length.
constexpr std::uint32_t kNull = static_cast<std::uint32_t>(-1);

void open_array(std::string& out, std::uint32_t element_oid) {
  append_i32(out, 1);
  append_i32(out, 0);
  append_i32(out, element_oid);
  append_i32(out, 0);
  append_i32(out, 1);
}

constexpr std::int64_t kMillisTo2000 = 946'684'800'000;
constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinusInfinity = std::numeric_limits<std::int64_t>::min();
// Julian day 0 and the year 294277, between which PostgreSQL accepts a timestamp.
constexpr std::int64_t kEarliestMillis = -211'813'488'000'000 + kMillisTo2000;
constexpr std::int64_t kEndMillis = 9'223'371'331'200'000 + kMillisTo2000;

}  // namespace

std::int64_t to_timestamptz(Time t) {
  const std::int64_t ms = to_ms(t);
  if (ms >= kEndMillis) return kInfinity;
  if (ms < kEarliestMillis) return kMinusInfinity;
  return (ms - kMillisTo2000) * 1000;
}

Time from_timestamptz(std::int64_t micros) {
  if (micros == kInfinity) return kNever;
  if (micros == kMinusInfinity) return Time::min();
  // Rounds down, also before 2000: a time written by hand may have microseconds.
  const std::int64_t ms = micros / 1000 - (micros % 1000 < 0 ? 1 : 0);
  return time_from_ms(ms + kMillisTo2000);
}

template <class Out>
void Encoder<Out>::value(bool v) {
  out().element(kBool, v ? std::string_view("\1", 1) : std::string_view("\0", 1));
}
template <class Out>
void Encoder<Out>::value(std::int16_t v) {
  out().element(kInt2, BigEndian(v).view());
}
template <class Out>
void Encoder<Out>::value(std::int32_t v) {
  out().element(kInt4, BigEndian(v).view());
}
template <class Out>
void Encoder<Out>::value(std::int64_t v) {
  out().element(kInt8, BigEndian(v).view());
}
template <class Out>
void Encoder<Out>::value(std::string_view v) {
  out().element(kText, v);
}
template <class Out>
void Encoder<Out>::value(Bytes v) {
  out().element(kBytea, v.bytes);
}
template <class Out>
void Encoder<Out>::value(Time v) {
  out().element(kTimestamptz, BigEndian(to_timestamptz(v)).view());
}
template <class Out>
void Encoder<Out>::value(const Uuid& v) {
  out().element(kUuid, {v.data(), v.size()});
}
template <class Out>
template <class T>
void Encoder<Out>::null(const T&) {
  out().null_element(oid_of<T>());
}

void Column::open(std::uint32_t element_oid) { open_array(out_, element_oid); }

void Column::element(std::uint32_t element_oid, std::string_view bytes) {
  if (count_ == 0) open(element_oid);
  ++count_;
  append_i32(out_, static_cast<std::uint32_t>(bytes.size()));
  out_.append(bytes);
}

void Column::null_element(std::uint32_t element_oid) {
  if (count_ == 0) open(element_oid);
  ++count_;
  has_null_ = true;
  append_i32(out_, kNull);
}

std::size_t Records::open_row(std::uint32_t values) {
  if (count_ == 0) open_array(out_, 0);
  ++count_;
  const std::size_t at = out_.size();
  append_i32(out_, 0);
  append_i32(out_, values);
  return at;
}

void Records::close_row(std::size_t at) { overwrite_i32(out_, at, static_cast<std::uint32_t>(out_.size() - at - 4)); }

void Records::element(std::uint32_t oid, std::string_view bytes) {
  append_i32(out_, oid);
  append_i32(out_, static_cast<std::uint32_t>(bytes.size()));
  out_.append(bytes);
}

void Records::null_element(std::uint32_t oid) {
  append_i32(out_, oid);
  append_i32(out_, kNull);
}

std::string_view Records::array(std::uint32_t row_type) {
  overwrite_i32(out_, kElementTypeAt, row_type);
  overwrite_i32(out_, kCountAt, count_);
  return out_;
}

template class Encoder<Column>;
template class Encoder<Records>;
template void Encoder<Column>::null(const std::int16_t&);
template void Encoder<Column>::null(const std::int32_t&);
template void Encoder<Column>::null(const std::int64_t&);
template void Encoder<Column>::null(const std::string_view&);
template void Encoder<Column>::null(const std::string&);
template void Encoder<Column>::null(const Bytes&);
template void Encoder<Column>::null(const Time&);
template void Encoder<Records>::null(const std::int16_t&);
template void Encoder<Records>::null(const std::int32_t&);
template void Encoder<Records>::null(const std::int64_t&);
template void Encoder<Records>::null(const std::string_view&);
template void Encoder<Records>::null(const std::string&);
template void Encoder<Records>::null(const Bytes&);
template void Encoder<Records>::null(const Time&);

std::string_view Column::array() {
  // An array without elements has no dimensions. PostgreSQL still checks the type: only text[] may be empty.
  if (count_ == 0) {
    out_.clear();
    append_i32(out_, 0);
    append_i32(out_, 0);
    append_i32(out_, kText);
    return out_;
  }
  overwrite_i32(out_, kNullFlagAt, has_null_ ? 1 : 0);
  overwrite_i32(out_, kCountAt, count_);
  return out_;
}

std::size_t Columns::bytes() const {
  std::size_t sum = 0;
  for (const Column& column : columns_) sum += column.bytes();
  return sum;
}

Params& Params::add(std::string_view v) {
  out_.append(v);
  ends_.push_back(out_.size());
  return *this;
}
Params& Params::add(bool v) { return add(std::string_view(v ? "\1" : "\0", 1)); }
Params& Params::add(std::int16_t v) { return add(BigEndian(v).view()); }
Params& Params::add(std::int32_t v) { return add(BigEndian(v).view()); }
Params& Params::add(std::int64_t v) { return add(BigEndian(v).view()); }
Params& Params::add(Time v) { return add(BigEndian(to_timestamptz(v)).view()); }

Params& Params::add(Columns& columns) {
  out_.reserve(out_.size() + columns.bytes());
  for (Column& column : columns.columns_) add(column.array());
  return *this;
}

std::vector<const char*> Params::values() const {
  std::vector<const char*> values;
  values.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    values.push_back(out_.data() + begin);
    begin = end;
  }
  return values;
}

std::vector<int> Params::lengths() const {
  std::vector<int> lengths;
  lengths.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    lengths.push_back(static_cast<int>(end - begin));
    begin = end;
  }
  return lengths;
}

Field Row::next() {
  if (at_ >= fields_.size()) throw WireError("a row has fewer columns than expected");
  return fields_[at_++];
}

Field Row::next(int size) {
  const Field field = next();
  if (field.size != size) throw WireError("a column has another type than expected, or is NULL");
  return field;
}

bool Row::boolean() { return *next(1).data != 0; }
std::int16_t Row::i16() { return from_big_endian<std::int16_t>(next(2).data); }
std::int32_t Row::i32() { return from_big_endian<std::int32_t>(next(4).data); }
std::int64_t Row::i64() { return from_big_endian<std::int64_t>(next(8).data); }
Time Row::time() { return from_timestamptz(i64()); }

Uuid Row::uuid() {
  Uuid uuid;
  std::memcpy(uuid.data(), next(static_cast<int>(uuid.size())).data, uuid.size());
  return uuid;
}

std::string_view Row::view() {
  const Field field = next();
  if (field.size < 0) throw WireError("a column is NULL where it should not be");
  return {field.data, static_cast<std::size_t>(field.size)};
}

std::vector<std::string> Row::texts() {
  std::string_view rest = view();
  const auto take = [&](std::size_t n) {
    if (n > rest.size()) throw WireError("an array is shorter than it says");
    const std::string_view taken = rest.substr(0, n);
    rest.remove_prefix(n);
    return taken;
  };
  if (from_big_endian<std::int32_t>(take(4).data()) == 0) return {};
  if (rest.size() < kArrayHeader - 4) throw WireError("an array is shorter than it says");
  const auto count = from_big_endian<std::int32_t>(rest.data() + kCountAt - 4);
  take(kArrayHeader - 4);
  std::vector<std::string> texts;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto size = from_big_endian<std::int32_t>(take(4).data());
    if (size < 0) throw WireError("an array of texts has a NULL");
    texts.emplace_back(take(static_cast<std::size_t>(size)));
  }
  return texts;
}

}  // namespace millrace::store::postgres
