#include "registry/json_schema/format_network.h"

#include <algorithm>

#include "registry/json_schema/characters.h"

namespace millrace::registry::json_schema {
namespace {

constexpr std::size_t kLabelBytesMax = 63;
constexpr std::size_t kHostnameBytesMax = 253;
constexpr int kIpv6Groups = 8;

bool is_atom_character(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

// Whether every part between the separators passes; an empty text has one empty part.
template <class Predicate>
bool every_part(std::string_view text, char separator, Predicate predicate) {
  while (true) {
    const auto end = text.find(separator);
    if (!predicate(text.substr(0, end))) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

// `wide`: characters beyond ASCII count as letters.
bool is_label(std::string_view label, bool wide) {
  if (label.empty() || label.size() > kLabelBytesMax || label.front() == '-' || label.back() == '-') return false;
  // Reserved for encodings, of which only this one exists.
  const bool reserved = label.size() >= 4 && label[2] == '-' && label[3] == '-';
  const bool encoded = (label[0] == 'x' || label[0] == 'X') && label.size() > 4 && (label[1] == 'n' || label[1] == 'N');
  if (reserved && !encoded) return false;
  return std::ranges::all_of(label,
                             [&](char c) { return is_letter(c) || is_digit(c) || c == '-' || (wide && !is_ascii(c)); });
}

bool is_host(std::string_view text, bool wide) {
  return !text.empty() && text.size() <= kHostnameBytesMax &&
         every_part(text, '.', [&](std::string_view label) { return is_label(label, wide); });
}

bool is_quoted_local(std::string_view text, bool wide) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\') ++i;
    if (i == text.size()) return false;
    if (is_ascii(text[i]) ? text[i] < ' ' || text[i] == 0x7f : !wide) return false;
  }
  return true;
}

bool is_local(std::string_view text, bool wide) {
  if (is_quoted_local(text, wide)) return true;
  return every_part(text, '.', [&](std::string_view atom) {
    return !atom.empty() &&
           std::ranges::all_of(atom, [&](char c) { return is_atom_character(c) || (wide && !is_ascii(c)); });
  });
}

bool is_mailbox(std::string_view text, bool wide) {
  const auto at = text.rfind('@');
  if (at == text.npos || !is_local(text.substr(0, at), wide)) return false;
  std::string_view domain = text.substr(at + 1);
  if (!domain.starts_with('[')) return is_host(domain, wide);
  if (!domain.ends_with(']')) return false;
  domain = domain.substr(1, domain.size() - 2);
  return domain.starts_with("IPv6:") ? is_ipv6(domain.substr(5)) : is_ipv4(domain);
}

}  // namespace

bool is_ipv4(std::string_view text) {
  int parts = 0;
  return every_part(text, '.',
                    [&](std::string_view part) {
                      ++parts;
                      if (parts > 4 || part.empty() || part.size() > 3 || (part.size() > 1 && part.front() == '0'))
                        return false;
                      std::string_view digits = part;
                      const int number = take_digits(digits, part.size());
                      return number >= 0 && number <= 255;
                    }) &&
         parts == 4;
}

bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    if (text.find(':') == text.npos && text.find('.') != text.npos) {
      groups += 2;
      return is_ipv4(text) && (gap ? groups < kIpv6Groups : groups == kIpv6Groups);
    }
    const std::size_t length = take_while(text, is_hex).size();
    if (length == 0 || length > 4 || ++groups > kIpv6Groups) return false;
    if (text.empty()) break;
    if (text.starts_with("::")) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(2);
    } else if (!take(text, ':') || text.empty()) {
      return false;
    }
  }
  return gap ? groups < kIpv6Groups : groups == kIpv6Groups;
}

bool is_hostname(std::string_view text) { return is_host(text, false); }
bool is_email(std::string_view text) { return is_mailbox(text, false); }
bool is_idn_email(std::string_view text) { return is_mailbox(text, true); }

}  // namespace millrace::registry::json_schema
