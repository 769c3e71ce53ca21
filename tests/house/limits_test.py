"""The documented limits are the ones in force."""

import unittest

import limits
import tree

CODE = """
inline constexpr int kDepthMax = 64;
inline constexpr std::size_t kBodyBytesMax = 1024 * 1024;  // default = 1 MiB;
inline constexpr std::size_t kItemsMax = 10'000;
inline constexpr Millis kWindow = std::chrono::hours(24 * 30);
"""
TEXT = """
| name | value | bounds |
|---|---|---|
| `kDepthMax` | 64 | depth |
| `kBodyBytesMax` | 1 MiB | body |
| `kItemsMax` | 10,000 | items |
| `kWindow` | 30 d | window |
"""


class Limits(unittest.TestCase):
    def findings(self, code, text):
        return list(limits.check_limits(code, text))

    def test_the_document_says_what_the_code_says(self):
        for document, headers in limits.TOLD.items():
            header = "".join((tree.ROOT / path).read_text(encoding="utf-8") for path in headers)
            self.assertTrue(limits.constants(header))
            self.assertEqual(header.count("inline constexpr"), len(limits.constants(header)), headers)
            text = (tree.ROOT / document).read_text(encoding="utf-8")
            findings = list(limits.check_limits(header, text, document))
            if findings:
                self.fail("\n" + "\n".join(findings))

    def test_equal_values_in_other_words_agree(self):
        self.assertEqual([], self.findings(CODE, TEXT))

    def test_a_changed_value_is_found(self):
        for old, new in (("64;", "65;"), ("1024 * 1024", "1024 * 1000"), ("10'000", "1'000"), ("24 * 30", "24 * 31")):
            self.assertEqual(1, len(self.findings(CODE.replace(old, new), TEXT)))

    def test_a_missing_or_invented_name_is_found(self):
        self.assertEqual(2, len(self.findings(CODE.replace("kDepthMax", "kHeightMax"), TEXT)))


if __name__ == "__main__":
    unittest.main()
