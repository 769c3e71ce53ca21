#include "cli/sse.h"

#include <stdexcept>

namespace millrace::cli {

std::vector<SseEvent> SseReader::feed(std::string_view piece) {
  std::vector<SseEvent> out;
  for (std::size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
    line_ += piece.substr(0, end);
    piece.remove_prefix(end + 1);
    if (line_.ends_with('\r')) line_.pop_back();
    take_line(line_, out);
    line_.clear();
  }
  line_ += piece;
  if (line_.size() + data_.size() > kEventBytesMax) throw std::length_error("an event of the stream has no end");
  return out;
}

void SseReader::restart() {
  line_.clear();
  data_.clear();
  name_.clear();
  has_data_ = false;
  id_ = last_id_;
}

void SseReader::take_line(std::string_view line, std::vector<SseEvent>& out) {
  if (line.empty()) {
    last_id_ = id_;
    if (has_data_) out.push_back({last_id_, std::move(data_), std::move(name_)});
    data_.clear();
    name_.clear();
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == line.npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "id") {
    id_ = value;
  } else if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
}

}  // namespace millrace::cli
