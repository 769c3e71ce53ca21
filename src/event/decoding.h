// Collects what a codec reads of one event and keeps the first refusal. One thread, for the length of one event.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/draft.h"
#include "event/rest.h"
#include "json/value.h"
#include "json/writer.h"

namespace millrace::event {

class Decoding {
 public:
  Decoding(Envelope envelope, std::optional<std::size_t> element, std::size_t bytes_expected);
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

  Draft draft;
  Notes notes;

  // `rule` goes on after the name: "is required", "must be …".
  void refuse(std::string_view field, std::string_view rule, Errc code = Errc::invalid);
  void refuse_kind(std::string_view field, std::string_view expected, json::Value seen);
  bool failed() const { return error_.has_value(); }

  // Each of these checks the value and refuses what does not fit; then nothing was stored.
  // A text within its bound and without U+0000.
  bool read_text(std::string_view field, json::Value value, std::size_t bytes_max, std::string& out);
  void read_time(std::string_view field, json::Value value);
  // "MAJOR.MINOR" as the registry writes it, MAJOR from 1, no leading zeros; or an integer N, which is N.0.
  void read_schema_version(std::string_view field, json::Value value);
  // `field` names the tenant; two fields that do must agree.
  void read_tenant(std::string_view field, json::Value value);
  // [{key, value}, …], and the same as the members of an object.
  void read_context_pairs(std::string_view field, json::Value value);
  void read_context_object(std::string_view field, json::Value value);

  // A member of `rest`. `name` is static text.
  void keep(std::string_view name, json::Value value);
  void keep_text(std::string_view name, std::string_view text);
  void keep_json(std::string_view name, std::string_view json);
  // An extension attribute: checks its name, its type and how many there are.
  void keep_extension(std::string_view field, std::string_view name, json::Value value);

  // The draft with its rest, or the first refusal.
  Result<Draft> finish() &&;

 private:
  bool read_pair(json::Value element);
  void refuse_pair(std::string_view field, std::size_t index, json::Value element);
  void add_pair(json::Value key, json::Value value);

  std::string members_;
  json::Writer rest_;
  std::string extensions_;
  json::Writer extension_writer_;
  std::size_t extension_count_ = 0;
  bool context_seen_ = false;
  std::optional<Error> error_;
};

}  // namespace millrace::event
