"""Schemas and values from a seed, made so that values often nearly fit."""

import random

NAMES = ("a", "b", "c", "dd", "e~/", "ü")
STRINGS = ("", "a", "ab", "abc", "Z9", "a-b", "über", "🐲", "🐲🐲", "12", "line\nbreak", "x@y.de")
NUMBERS = (-7, -1, 0, 1, 2, 3, 6, 10, 1.5, -2.5, 1e3, 0.25, 1.0, 12345678901)
PATTERNS = ("^a", "b$", "^[a-z]+$", "\\d", "^\\w*$", "^.$", "^\\p{L}+$", "a|Z", "^(ab?c?)?$", "[^a-c]", "\\s", "\\u00fc",
            "^\\S{1,3}$", "^(?:a|b)-", "x@\\w+\\.de$")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
DEPTH_MAX = 3
# Keywords whose schema is asked about one element or property after the other.
ASKED_IN_TURN = {"items", "additionalItems", "additionalProperties", "patternProperties"}


def keywords(schema):
    """Every keyword and name that occurs somewhere in it."""
    if isinstance(schema, dict):
        return set(schema).union(*map(keywords, schema.values()))
    return set().union(*map(keywords, schema)) if isinstance(schema, list) else set()


def loses_track(schema):
    """Whether Ajv errs about what is evaluated: it takes contains for evaluating all elements, keeps what an `if`
    evaluated that does not hold, and forgets the elements that a reference inside anyOf or oneOf evaluated."""
    used = keywords(schema)
    if not any(name.startswith("unevaluated") for name in used):
        return False
    return bool(used & {"contains", "if"} or {"unevaluatedItems", "$ref"} <= used and used & {"anyOf", "oneOf"})


def contains_in_turn(schema):
    """Whether values are asked in turn what they contain: Ajv gives an empty array the answer of the one before it."""
    if isinstance(schema, list):
        return any(map(contains_in_turn, schema))
    return isinstance(schema, dict) and any(
        contains_in_turn(value) or name in ASKED_IN_TURN and "contains" in keywords(value)
        for name, value in schema.items())


def ajv_errs(schema):
    return loses_track(schema) or contains_in_turn(schema)


class Corpus:
    """Cases {"draft", "schema", "values"} one after the other; the same seed gives the same ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.draft = "2020-12"
        self.definitions = "$defs"

    def case(self):
        self.draft = self.random.choice(("07", "2020-12"))
        self.definitions = "definitions" if self.draft == "07" else "$defs"
        schema = self.schema(0)
        while ajv_errs(schema):
            schema = self.schema(0)
        if isinstance(schema, dict) and "$ref" not in schema:
            # What definitions refer to goes into the value first, so that no schema runs forever.
            schema[self.definitions] = {
                "leaf": self.leaf(), "list": {"type": "array", "items": {"$ref": f"#/{self.definitions}/leaf"}},
                "tree": {"properties": {"a": {"$ref": f"#/{self.definitions}/tree"}, "b": self.leaf()}},
            }
        else:
            schema = {"not": {}} if schema is False else {"type": "object"}
        values = [self.value(0) for _ in range(6)] + [self.object(0), self.array(0)]
        return {"draft": self.draft, "schema": schema, "values": values}

    def broken_case(self):
        """A schema with one keyword that cannot be."""
        keyword, wrong = self.random.choice((
            ("type", "text"), ("type", []), ("type", 3), ("maxLength", -1), ("minItems", 1.5), ("required", "a"),
            ("required", ["a", "a"]), ("properties", []), ("properties", {"a": 3}), ("pattern", "("), ("pattern", 1),
            ("patternProperties", {"[": False}), ("anyOf", []), ("allOf", {}), ("not", 1), ("multipleOf", 0), ("multipleOf", -2),
            ("minimum", "1"), ("uniqueItems", "yes"), ("enum", "a"), ("$ref", "#/nowhere"), ("$ref", 5),
            ("additionalProperties", 1), ("if", []), ("$schema", "http://json-schema.org/draft-99/schema")))
        case = self.case()
        case["schema"] = {"properties": {"x": case["schema"].get("properties", {})}} if keyword == "$schema" else {}
        case["schema"][keyword] = wrong
        return case

    # Values

    def value(self, depth):
        kinds = [self.scalar, self.scalar, self.string, self.number]
        if depth < DEPTH_MAX:
            kinds += [self.array, self.object, self.object]
        pick = self.random.choice(kinds)
        return pick(depth) if pick in (self.array, self.object) else pick()

    def scalar(self):
        return self.random.choice((None, True, False, self.number(), self.string()))

    def string(self):
        return self.random.choice(STRINGS)

    def number(self):
        return self.random.choice(NUMBERS)

    def array(self, depth):
        return [self.value(depth + 1) for _ in range(self.random.randrange(5))]

    def object(self, depth):
        names = self.random.sample(NAMES, self.random.randrange(len(NAMES)))
        return {name: self.value(depth + 1) for name in names}

    # Schemas

    def leaf(self):
        return self.random.choice((
            {"type": self.random.choice(TYPES)}, {"type": self.random.sample(TYPES, 2)}, {"const": self.scalar()},
            {"maximum": self.number()}, {"maxLength": 2}, {"pattern": self.random.choice(PATTERNS)}))

    def schema(self, depth):
        if self.random.random() < 0.06:
            return self.random.choice((True, False, {}))
        if depth > 0 and self.random.random() < 0.12:
            return {"$ref": f"#/{self.definitions}/{self.random.choice(('leaf', 'list', 'tree'))}"}
        groups = [self.any_value, self.numbers, self.strings]
        if depth < DEPTH_MAX:
            groups += [self.arrays, self.objects, self.objects, self.in_place]
        schema = {}
        for group in self.random.sample(groups, self.random.choice((1, 1, 2, 3))):
            schema.update(group(depth + 1))
        return schema

    def some(self, keywords, most):
        """Up to `most` of the keywords, each made only when it is chosen."""
        names = self.random.sample(sorted(keywords), min(len(keywords), self.random.randrange(1, most + 1)))
        return {name: keywords[name]() for name in names}

    def any_value(self, _):
        return self.some({
            "type": lambda: self.random.choice((self.random.choice(TYPES), self.random.sample(TYPES, 3))),
            "enum": lambda: self.distinct([self.value(2) for _ in range(4)]),
            "const": lambda: self.value(2),
        }, 1)

    @staticmethod
    def distinct(values):
        kept = []
        for value in values:
            if all(not (value == other and isinstance(value, bool) == isinstance(other, bool)) for other in kept):
                kept.append(value)
        return kept

    def numbers(self, _):
        return self.some({
            "minimum": self.number, "maximum": self.number, "exclusiveMinimum": self.number,
            "exclusiveMaximum": self.number, "multipleOf": lambda: self.random.choice((1, 2, 3, 5)),
        }, 2)

    def strings(self, _):
        return self.some({
            "minLength": lambda: self.random.randrange(4), "maxLength": lambda: self.random.randrange(4),
            "pattern": lambda: self.random.choice(PATTERNS),
        }, 2)

    def arrays(self, depth):
        keywords = {
            "items": lambda: self.schema(depth), "minItems": lambda: self.random.randrange(3),
            "maxItems": lambda: self.random.randrange(4), "uniqueItems": lambda: self.random.choice((True, True, False)),
            "contains": lambda: self.schema(depth),
        }
        several = lambda: [self.schema(depth) for _ in range(self.random.randrange(1, 4))]
        if self.draft == "07":
            schema = self.some(keywords, 3)
            if "items" in schema and self.random.random() < 0.5:
                schema.update(items=several(), additionalItems=self.schema(depth))
                schema.pop("contains", None)  # Ajv takes [] for an array that contains something then
            return schema
        keywords.update(prefixItems=several, unevaluatedItems=lambda: self.schema(depth))
        schema = self.some(keywords, 3)
        if "prefixItems" in schema:
            schema.pop("contains", None)  # as above
        if "contains" in schema:
            schema.update(self.some({"minContains": lambda: self.random.randrange(3),
                                     "maxContains": lambda: self.random.randrange(1, 4)}, 2))
        return schema

    def objects(self, depth):
        some_names = lambda: self.random.sample(NAMES, self.random.randrange(1, 3))
        by_name = lambda: {name: self.schema(depth) for name in some_names()}
        keywords = {
            "properties": by_name, "required": some_names, "additionalProperties": lambda: self.schema(depth),
            "patternProperties": lambda: {self.random.choice(PATTERNS): self.schema(depth)},
            "propertyNames": lambda: {"maxLength": 1} if self.random.random() < 0.5 else self.schema(depth),
            "minProperties": lambda: self.random.randrange(3), "maxProperties": lambda: self.random.randrange(1, 5),
        }
        lists_by_name = lambda: {name: some_names() for name in some_names()}
        if self.draft == "07":
            keywords["dependencies"] = lambda: {**lists_by_name(), **by_name()}
        else:
            keywords.update(dependentRequired=lists_by_name, dependentSchemas=by_name,
                            unevaluatedProperties=lambda: self.random.choice((False, self.schema(depth))))
        return self.some(keywords, 4)

    def in_place(self, depth):
        several = lambda: [self.schema(depth) for _ in range(self.random.randrange(1, 4))]
        schema = self.some({"allOf": several, "anyOf": several, "oneOf": several, "not": lambda: self.schema(depth),
                            "if": lambda: self.schema(depth)}, 2)
        if "if" in schema:
            schema.update(self.some({"then": lambda: self.schema(depth), "else": lambda: self.schema(depth)}, 2))
        return schema
