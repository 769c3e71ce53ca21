// PostgreSQL's binary formats: parameters on the way out, fields on the way in. A group commit sends its
// rows as arrays, which one statement takes apart again with unnest().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace millrace::store::postgres {

using Uuid = std::array<char, 16>;

// Text is the default for strings; this marks bytes.
struct Bytes {
  std::string_view bytes;
};

// Numbers of ours that use all 64 bits (tokens, TSIDs) are stored as bigint with the same bits.
constexpr std::int64_t as_bigint(std::uint64_t v) { return static_cast<std::int64_t>(v); }
constexpr std::uint64_t from_bigint(std::int64_t v) { return static_cast<std::uint64_t>(v); }

// The microseconds since 2000 of a timestamptz. Exact for what PostgreSQL can hold; what lies beyond
// becomes infinity, so kNever comes back as kNever.
std::int64_t to_timestamptz(Time t);
Time from_timestamptz(std::int64_t micros);

// Values in their binary form, each given to Out::element(type, bytes) or Out::null_element(type).
template <class Out>
class Encoder {
 public:
  void value(const char*) = delete;  // would become a bool

 protected:
  void value(bool v);
  void value(std::int16_t v);
  void value(std::int32_t v);
  void value(std::int64_t v);
  void value(std::string_view v);
  void value(const std::string& v) { value(std::string_view(v)); }
  void value(Bytes v);
  void value(Time v);
  void value(const Uuid& v);
  template <class T>
  void value(const std::optional<T>& v) {
    v ? value(*v) : null(T{});
  }

 private:
  friend Out;
  Encoder() = default;

  template <class T>
  void null(const T& like);
  Out& out() { return static_cast<Out&>(*this); }
};

// One array parameter under construction. The first value decides the type of its elements.
class Column : Encoder<Column> {
 public:
  template <class T>
  void add(const T& v) {
    value(v);
  }

  std::size_t size() const { return count_; }
  std::size_t bytes() const { return out_.size(); }
  // The array as PostgreSQL reads it. Valid until the next add().
  std::string_view array();

 private:
  friend class Encoder<Column>;
  void open(std::uint32_t element_oid);
  void element(std::uint32_t element_oid, std::string_view bytes);
  void null_element(std::uint32_t element_oid);

  std::string out_;
  std::uint32_t count_ = 0;
  bool has_null_ = false;
};

// The rows of one `FROM unnest($1::millrace.some_type[])`: one array whose elements are rows. PostgreSQL takes it
// apart at a fraction of what as many arrays as columns cost. A row's values are those of the type, in its order.
class Records : Encoder<Records> {
 public:
  template <class... V>
  void add(const V&... values) {
    const std::size_t at = open_row(sizeof...(V));
    (value(values), ...);
    close_row(at);
  }

  std::size_t size() const { return count_; }
  std::size_t bytes() const { return out_.size(); }
  // REQUIRES: not empty. `row_type`: the type's number in this database. Valid until the next add().
  std::string_view array(std::uint32_t row_type);

 private:
  friend class Encoder<Records>;
  std::size_t open_row(std::uint32_t values);
  void close_row(std::size_t at);
  void element(std::uint32_t oid, std::string_view bytes);
  void null_element(std::uint32_t oid);

  std::string out_;
  std::uint32_t count_ = 0;
};

// The rows of one `FROM unnest($1, $2, …)`.
class Columns {
 public:
  template <class... V>
  void add(const V&... values) {
    if (columns_.empty()) columns_.resize(sizeof...(V));
    std::size_t i = 0;
    (columns_[i++].add(values), ...);
  }
  bool empty() const { return columns_.empty(); }
  std::size_t size() const { return columns_.empty() ? 0 : columns_.front().size(); }
  std::size_t bytes() const;
  void clear() { columns_.clear(); }

 private:
  friend class Params;
  std::vector<Column> columns_;
};

// The parameters of one statement, in order, all binary.
class Params {
 public:
  Params& add(bool v);
  Params& add(std::int16_t v);
  Params& add(std::int32_t v);
  Params& add(std::int64_t v);
  Params& add(std::string_view v);
  Params& add(const std::string& v) { return add(std::string_view(v)); }
  Params& add(const char* v) { return add(std::string_view(v)); }
  Params& add(Time v);
  Params& add(Column& array) { return add(array.array()); }
  Params& add(Columns& columns);

  int count() const { return static_cast<int>(ends_.size()); }
  // As libpq wants them. Valid until the next add().
  std::vector<const char*> values() const;
  std::vector<int> lengths() const;

 private:
  std::string out_;
  std::vector<std::size_t> ends_;
};

// A row does not have the form it should have: somebody else changed the tables.
struct WireError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Field {
  const char* data = nullptr;
  int size = -1;  // -1: NULL
};

// Reads the fields of one row from left to right. Views point into the result and die with it.
class Row {
 public:
  void clear() {
    fields_.clear();
    at_ = 0;
  }
  void push(Field field) { fields_.push_back(field); }

  bool null() const { return at_ < fields_.size() && fields_[at_].size < 0; }
  void skip() { next(); }
  bool boolean();
  std::int16_t i16();
  std::int32_t i32();
  std::int64_t i64();
  std::uint64_t u64() { return from_bigint(i64()); }
  std::string_view view();  // text, json, bytea
  std::string text() { return std::string(view()); }
  Time time();
  Uuid uuid();
  std::vector<std::string> texts();  // text[]

  // NULL becomes nullopt.
  template <class Read>
  auto maybe(Read read) -> std::optional<decltype((this->*read)())> {
    if (null()) {
      skip();
      return std::nullopt;
    }
    return (this->*read)();
  }

 private:
  Field next();
  Field next(int size);

  std::vector<Field> fields_;
  std::size_t at_ = 0;
};

}  // namespace millrace::store::postgres
