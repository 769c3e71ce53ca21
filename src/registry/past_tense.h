// English verbs as event names need them: is this word a past form, and what is the past form of that one. Words
// are lower-case ASCII; what is not in the tables is decided by spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::registry {

// "created", "sent", "paid", "reset"; not "create", "feed", "exceed", "pending".
bool is_past(std::string_view word);

// Whether the word is a verb that events and commands are often named with, in its base form: "update", "send".
bool is_known_verb(std::string_view word);

// The participle of a base form: "create" → "created", "submit" → "submitted", "send" → "sent".
std::string past_of(std::string_view verb);

// The participle of whatever form of a known verb this is: "updates", "shipping", "creation" → "updated",
// "shipped", "created". Nullopt if no known verb is behind it.
std::optional<std::string> past_behind(std::string_view word);

}  // namespace millrace::registry
