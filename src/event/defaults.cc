#include "event/defaults.h"

namespace millrace::event {

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

Entity told_entity(std::string_view aggregate_type, std::string_view aggregate_id, std::string_view subject) {
  const std::size_t colon = subject.find(':');
  const bool typed = colon != subject.npos && colon > 0;
  const std::string_view subject_type = typed ? subject.substr(0, colon) : std::string_view();
  const std::string_view subject_id = typed ? subject.substr(colon + 1) : subject;
  return {std::string(aggregate_type.empty() ? subject_type : aggregate_type),
          std::string(aggregate_id.empty() ? subject_id : aggregate_id)};
}

Entity derive_entity(std::string_view aggregate_type, std::string_view aggregate_id, std::string_view subject,
                     std::string_view event_id) {
  Entity entity = told_entity(aggregate_type, aggregate_id, subject);
  if (!entity.type.empty()) {
    entity.type = upper_case(entity.type);
  } else {
    entity.type = !aggregate_id.empty() ? "AGGREGATE" : !subject.empty() ? "SUBJECT" : "EVENT";
  }
  if (entity.id.empty()) entity.id = event_id;
  return entity;
}

std::string_view derive_app(std::string_view producer, std::string_view source) {
  if (!producer.empty()) return producer;
  return source.empty() ? kDefaultApp : source;
}

}  // namespace millrace::event
