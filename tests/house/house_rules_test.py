"""The rules on the repository, one case each, and on samples that must trip them."""

import unittest

import cpp_text
import folders
import includes
import sizes
import tree
import words

RULES = (
    sizes.check_sizes,
    includes.check_include_directions,
    includes.check_third_party_homes,
    words.check_names,
    words.check_cpp_constructs,
    words.check_places,
    words.check_open_work,
    folders.check_readmes,
)


class Repository(unittest.TestCase):
    """Each rule holds. The cases are made from RULES below, so that a failure names its rule."""


def _case(rule):
    def holds(self):
        violations = [str(violation) for violation in rule(Repository.tree)]
        if violations:
            self.fail("\n" + "\n".join(violations))

    return holds


Repository.tree = tree.load()
for _rule in RULES:
    setattr(Repository, "test_" + _rule.__name__, _case(_rule))


CMAKE = 'millrace_module(base USES "")\nmillrace_module(queue    USES base)\nmillrace_module(http USES base queue)\n'


class RulesFire(unittest.TestCase):
    def found(self, rule, sample):
        return [violation.path for violation in rule({"CMakeLists.txt": CMAKE, **sample})]

    def assert_fires(self, rule, path, text):
        self.assertIn(path, self.found(rule, {path: text}))

    def assert_quiet(self, rule, path, text):
        self.assertEqual([], list(rule({"CMakeLists.txt": CMAKE, path: text})))

    def test_a_file_over_the_limit(self):
        for path in ("src/a.cc", "src/a.h", "web/a.ts"):
            self.assert_fires(sizes.check_sizes, path, "\n" * 401)
            self.assert_quiet(sizes.check_sizes, path, "\n" * 400)

    def test_a_function_over_the_limit(self):
        self.assert_fires(sizes.check_sizes, "src/a.cc", "void f() {\n" + "  g();\n" * 69 + "}\n")
        self.assert_quiet(sizes.check_sizes, "src/a.cc", "void f() {\n" + "  g();\n" * 68 + "}\n")
        self.assert_fires(sizes.check_sizes, "tests/a.py", "def f():\n" + "    g()\n" * 70)

    def test_a_listed_length_may_not_grow(self):
        sample = {"src/a.cc": "\n" * 450, sizes.RATCHET: "file src/a.cc 449\n"}
        self.assertEqual(["src/a.cc"], self.found(sizes.check_sizes, sample))

    def test_a_listed_length_must_follow_when_it_shrinks(self):
        for lines, expected in ((450, []), (449, [sizes.RATCHET]), (300, [sizes.RATCHET])):
            sample = {"src/a.cc": "\n" * lines, sizes.RATCHET: "# why\nfile src/a.cc 450\n"}
            self.assertEqual(expected, self.found(sizes.check_sizes, sample))

    def test_the_written_ratchet_is_the_one_that_passes(self):
        sample = {"src/a.cc": "\n" * 450, "src/b.cc": "void f() {\n" + "  g();\n" * 99 + "}\n"}
        sample[sizes.RATCHET] = sizes.write_ratchet(sizes.measure(sample))
        self.assertEqual([], self.found(sizes.check_sizes, sample))

    def test_an_include_against_the_direction(self):
        rule = includes.check_include_directions
        self.assert_fires(rule, "src/queue/item.cc", '#include "http/session.h"\n')
        self.assert_fires(rule, "src/queue/item_test.cc", '#include "http/session.h"\n')
        self.assert_fires(rule, "src/queue/item.cc", '#include "item.h"\n')
        self.assert_fires(rule, "src/surprise/item.cc", "")
        self.assert_quiet(rule, "src/http/session.cc", '#include "http/a.h"\n#include "queue/b.h"\n#include <map>\n')

    def test_a_third_party_header_away_from_home(self):
        rule = includes.check_third_party_homes
        self.assert_fires(rule, "src/queue/item.h", "#include <boost/asio/awaitable.hpp>\n")
        self.assert_fires(rule, "src/api/items.cc", "#include <boost/beast/http.hpp>\n")
        self.assert_fires(rule, "src/store/store.h", "#include <rocksdb/db.h>\n")
        self.assert_fires(rule, "src/store/rocksdb/table.cc", "#include <libpq-fe.h>\n")
        self.assert_quiet(rule, "src/store/rocksdb/table.cc", "#include <rocksdb/db.h>\n")
        self.assert_quiet(rule, "src/http/session.cc", "#include <boost/asio.hpp>\n")

    def test_a_name_that_says_nothing(self):
        for path in ("src/queue/" + "util.h", "src/" + "common/a.cc", "tests/" + "TestHelper.py"):
            self.assert_fires(words.check_names, path, "")
        for name in ("Queue" + "Manager", "parse_" + "helper", "k" + "Common", "str_" + "utils", "handle_request", "do_work"):
            self.assert_fires(words.check_names, "src/base/a.cc", f"int {name};")
        self.assert_quiet(words.check_names, "src/base/a.cc", "std::common_type_t<A, B> x;  // a common mistake\n")
        self.assert_quiet(words.check_names, "src/base/a.cc", 'auto s = "helper"; int commonality, utility;')

    def test_std_regex(self):
        self.assert_fires(words.check_cpp_constructs, "src/base/a.cc", "std::" + "regex r;")
        self.assert_quiet(words.check_cpp_constructs, "src/base/a.cc", "// unlike std::" + "regex\n")

    def test_a_header_that_opens_a_namespace(self):
        self.assert_fires(words.check_cpp_constructs, "src/base/a.h", "#pragma once\nusing namespace std;\n")
        self.assert_quiet(words.check_cpp_constructs, "src/base/a.cc", "using namespace std;\n")

    def test_a_header_without_pragma_once(self):
        self.assert_fires(words.check_cpp_constructs, "src/base/a.h", "// #pragma once\n")
        self.assert_quiet(words.check_cpp_constructs, "src/base/a.h", "// What it is.\n#pragma once\n")

    def test_a_path_of_one_machine(self):
        for place in ("root", "home", "work", "Users"):
            self.assert_fires(words.check_places, "docs/a.md", f"see /{place}/someone/file")
        self.assert_quiet(words.check_places, "docs/a.md", "POST /api/work/1 and ./home/x and https://a.example/root/b")

    def test_the_address_of_a_registry(self):
        for host in ("registry" + ".npmjs.org", "deb" + ".debian.org", "pypi" + ".org"):
            self.assert_fires(words.check_places, "README.md", f"from https://{host}/x")

    def test_a_lockfile_that_pins_an_address(self):
        self.assert_fires(words.check_places, "web/package-lock.json", '{\n  "resolved": "file:x"\n}')
        self.assert_quiet(words.check_places, "web/package-lock.json", '{\n  "integrity": "sha512-x"\n}')

    def test_open_work_without_a_reference(self):
        for word in ("TO" + "DO", "FIX" + "ME"):
            self.assert_fires(words.check_open_work, "src/base/a.cc", f"// {word}: later")
            self.assert_fires(words.check_open_work, "src/base/a.cc", f"// {word}(someone): later")
            self.assert_quiet(words.check_open_work, "src/base/a.cc", f"// {word}(#12): later")

    def test_a_folder_without_a_readme(self):
        for top in folders.DESCRIBED:
            self.assertIn(f"{top}/new/README.md", self.found(folders.check_readmes, {f"{top}/new/a.txt": ""}))

    def test_a_readme_over_a_page(self):
        for lines, fires in ((60, False), (61, True)):
            found = self.found(folders.check_readmes, {"src/queue/README.md": "x\n" * lines})
            self.assertEqual(fires, "src/queue/README.md" in found)


class FunctionScanner(unittest.TestCase):
    def measured(self, code):
        return [(found.name, found.length) for found in cpp_text.functions(code)]

    def test_sees_functions_in_namespaces_and_classes(self):
        code = "namespace a {\nclass B {\n public:\n  int c() const { return 1; }\n};\nvoid d()\n{\n}\n}\n"
        self.assertEqual([("c", 1), ("d", 3)], self.measured(code))

    def test_counts_from_the_head_over_braced_member_initialisers(self):
        self.assertEqual([("A::A", 4)], self.measured("A::A(int x)\n    : x_{x},\n      y_{} {\n}\n"))

    def test_names_a_test_by_its_behaviour(self):
        self.assertEqual([("Suite.Behaviour", 2)], self.measured("TEST(Suite, Behaviour) {\n}\n"))

    def test_does_not_take_a_table_for_a_function(self):
        code = "constexpr Row kRows[] = {\n{f(1), 2},\n};\nstruct Opt { int x = g(); };\nenum class E { a };\n"
        self.assertEqual([], self.measured(code))

    def test_is_not_misled_by_braces_in_literals_and_comments(self):
        code = "void f() {  // {\n  auto a = \"{\"; char b = '{'; auto c = R\"x({\"{)x\"; int d = 1'000;\n}\nvoid g() {}\n"
        self.assertEqual([("f", 3), ("g", 1)], self.measured(code))


if __name__ == "__main__":
    unittest.main()
