// Texts without the difference of case, character by character (Unicode's simple folding), so that a
// prefix of a text folds to a prefix of the folded text. No language rules: ß is not ss, I is i.
#pragma once

#include <string>
#include <string_view>

namespace millrace::match {

// Replaces `out`. Bytes that are no UTF-8 stay.
void fold_case(std::string& out, std::string_view text);
std::string folded(std::string_view text);

}  // namespace millrace::match
