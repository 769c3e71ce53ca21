// Names and addresses of hosts and mailboxes. Pure.
#pragma once

#include <string_view>

namespace millrace::registry::json_schema {

bool is_ipv4(std::string_view text);  // RFC 2673: four decimal numbers without leading zeros
bool is_ipv6(std::string_view text);  // RFC 4291, without zone
// RFC 1123. Labels that start with xn-- are not decoded.
bool is_hostname(std::string_view text);
bool is_email(std::string_view text);      // RFC 5321's Mailbox
bool is_idn_email(std::string_view text);  // the same with any character beyond ASCII

}  // namespace millrace::registry::json_schema
