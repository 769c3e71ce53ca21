"""Includes follow the table of modules in CMakeLists.txt, and third-party headers stay in their folder."""

import re

from tree import Violation, is_cpp

_MODULE = re.compile(r"^millrace_module\((\w+)\s+USES\s+([^)]*)\)", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]')

# Header prefix → the folders that may name it. bench/ compares with peers and may name anything.
THIRD_PARTY_HOMES = {
    "boost/asio": ("src/async/", "src/http/", "src/app/"),
    "boost/beast": ("src/async/", "src/http/", "src/app/"),
    "rocksdb/": ("src/store/rocksdb/",),
    "libpq": ("src/store/postgres/",),
    "postgresql/libpq": ("src/store/postgres/",),
}


def module_table(cmake):
    """Module → the modules it may include, itself among them."""
    return {name: {name, *uses.replace('"', "").split()} for name, uses in _MODULE.findall(cmake)}


def _includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = _INCLUDE.match(line)
        if found:
            yield number, found[1], found[2]


def check_include_directions(tree):
    table = module_table(tree.get("CMakeLists.txt", ""))
    for path, text in tree.items():
        if not (path.startswith("src/") and is_cpp(path)):
            continue
        module = path.split("/")[1]
        if module not in table:
            yield Violation(path, 1, f"module {module} is not in the table of CMakeLists.txt")
            continue
        for line, quote, header in _includes(text):
            used = header.split("/")[0]
            if quote == '"' and used not in table:
                yield Violation(path, line, f'"{header}" is not from the root of src; third-party headers go in <>')
            elif quote == '"' and used not in table[module]:
                yield Violation(path, line, f'{module} may not include "{header}"; see the table in CMakeLists.txt')


def check_third_party_homes(tree):
    for path, text in tree.items():
        if not (path.startswith(("src/", "include/")) and is_cpp(path)):
            continue
        for line, _, header in _includes(text):
            for prefix, homes in THIRD_PARTY_HOMES.items():
                if header.startswith(prefix) and not path.startswith(homes):
                    yield Violation(path, line, f"<{header}> belongs in {', '.join(homes)} only")
