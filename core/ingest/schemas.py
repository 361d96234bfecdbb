"""A schema of OpenAPI or JSON Schema as what an agent needs: no references, small, never endless.

Whatever is cut accepts more than the original, so that no good argument is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.ingest.references import References
from core.ingest.schema_keywords import (
    JsonSchema,
    as_mapping,
    as_sequence,
    copy_keywords,
    is_condition,
    is_null,
    types_of,
    unite,
    with_null,
)
from core.ingest.texts import find_hidden_character

MAX_DEPTH = 7
MAX_PROPERTIES = 200
MAX_PROPERTY_CHARACTERS = 200
MAX_ALTERNATIVES = 8
# How far references and allOf are followed before a schema begins.
MAX_STEPS = 40
# Schemas read for one operation, and for a whole document; those beyond accept anything.
MAX_SCHEMAS = 800
MAX_DOCUMENT_SCHEMAS = 500_000


@dataclass(slots=True)
class _Merged:
    """A schema merged with its reference and allOf."""

    keywords: dict[str, Any]
    passed: frozenset[str]
    is_cycle: bool = False


class JsonSchemaReader:
    """Reads schemas of one document; `MAX_SCHEMAS` of them until the next `restart`."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._left = MAX_SCHEMAS
        self._left_of_document = MAX_DOCUMENT_SCHEMAS - MAX_SCHEMAS

    @property
    def is_exhausted(self) -> bool:
        """Whether the document has more schemas than are read."""
        return self._left + self._left_of_document <= 0

    def restart(self) -> None:
        """Begin a new operation."""
        rest = max(self._left, 0) + self._left_of_document
        self._left = min(MAX_SCHEMAS, rest)
        self._left_of_document = rest - self._left

    def read(self, schema: object) -> JsonSchema:
        """The schema alone, in the words of JSON Schema 2020-12. Raises ReferenceFaultError."""
        return self._read(schema, 1, frozenset())

    def read_object(self, schema: object) -> JsonSchema:
        """As `read`, but alternatives that are all objects become one with the fields of all."""
        found = self.read(schema)
        alternatives = found.get("anyOf", ())
        if not alternatives or not all("properties" in option for option in alternatives):
            return found
        texts = {key: found[key] for key in ("description",) if key in found}
        return {**_union_of_objects(alternatives), **texts}

    def _read(self, schema: object, depth: int, passed: frozenset[str]) -> JsonSchema:
        """The schema at this depth; `passed` are the references on the way to it."""
        merged = self._merge(as_mapping(schema), passed, 0)
        keywords = merged.keywords
        found = copy_keywords(keywords)
        if merged.is_cycle or depth >= MAX_DEPTH or self._left <= 0:
            return found
        self._add_members(found, keywords, depth + 1, merged.passed)
        for key in ("oneOf", "anyOf"):
            options = [option for option in as_sequence(keywords.get(key)) if as_mapping(option)]
            telling = [
                option for option in options if not is_null(option) and not is_condition(option)
            ]
            read = [
                self._read(option, depth + 1, merged.passed)
                for option in telling[:MAX_ALTERNATIVES]
            ]
            if len(telling) > MAX_ALTERNATIVES:
                read.append({})
            if read:
                found = _with_alternatives(found, read)
            if any(map(is_null, options)):
                found = with_null(found)
        return found

    def _merge(self, schema: Mapping[str, Any], passed: frozenset[str], step: int) -> _Merged:
        self._left -= 1
        own = {key: value for key, value in schema.items() if key not in {"$ref", "allOf"}}
        if self._left <= 0 or step > MAX_STEPS:
            return _Merged(own, passed, is_cycle=True)
        merged = _Merged({}, passed)
        if isinstance(reference := schema.get("$ref"), str):
            target = self._references.target(reference)
            if reference in passed:
                merged = _Merged(copy_keywords(target), passed, is_cycle=True)
            else:
                merged = self._merge(target, passed | {reference}, step + 1)
        parts = [as_mapping(part) for part in as_sequence(schema.get("allOf"))]
        for part in parts:
            inner = self._merge(part, merged.passed, step + 1)
            merged.is_cycle = merged.is_cycle or inner.is_cycle
            _take_in(merged.keywords, inner.keywords)
        _take_in(merged.keywords, own)
        # Each part closes itself to the fields of the others: taken together nothing would fit.
        if parts and merged.keywords.get("additionalProperties") is False:
            del merged.keywords["additionalProperties"]
        return merged

    def _add_members(
        self, found: JsonSchema, schema: Mapping[str, Any], depth: int, passed: frozenset[str]
    ) -> None:
        if "items" in schema and "array" in types_of(schema):
            found["items"] = self._read(schema["items"], depth, passed)
        if "object" not in types_of(schema):
            return
        fields = as_mapping(schema.get("properties"))
        if fields:
            required = [n for n in as_sequence(schema.get("required")) if isinstance(n, str)]
            found["properties"] = {
                name: self._read(fields[name], depth, passed)
                for name in _choose_fields(fields, set(required))
            }
            if kept := [name for name in dict.fromkeys(required) if name in found["properties"]]:
                found["required"] = kept
        # What fits a pattern is allowed beside the rest, and patterns are not kept.
        has_patterns = bool(as_mapping(schema.get("patternProperties")))
        extra = True if has_patterns else schema.get("additionalProperties")
        if isinstance(extra, Mapping) and extra:
            found["additionalProperties"] = self._read(extra, depth, passed)
        elif extra is True or extra == {}:
            found["additionalProperties"] = True
        elif extra is False and len(found.get("properties", ())) == len(fields):
            found["additionalProperties"] = False


def _choose_fields(fields: Mapping[str, Any], required: set[str]) -> list[str]:
    """The fields that an agent may give: their names can be shown, and they are not read-only.

    Where some have to be left out, the required ones stay.
    """
    names = [
        name
        for name, field in fields.items()
        if isinstance(name, str)
        and 0 < len(name) <= MAX_PROPERTY_CHARACTERS
        and find_hidden_character(name) is None
        and as_mapping(field).get("readOnly") is not True
    ]
    if len(names) > MAX_PROPERTIES:
        names = sorted(names, key=lambda name: name not in required)[:MAX_PROPERTIES]
    return names


def _take_in(merged: dict[str, Any], part: Mapping[str, Any]) -> None:
    fields = {**as_mapping(merged.get("properties")), **as_mapping(part.get("properties"))}
    required = [*as_sequence(merged.get("required")), *as_sequence(part.get("required"))]
    merged.update(part)
    if fields:
        merged["properties"] = fields
    if required:
        merged["required"] = required


def _with_alternatives(found: JsonSchema, options: Sequence[JsonSchema]) -> JsonSchema:
    if "properties" in found and all("properties" in option for option in options):
        fields = {**_union_of_objects(options)["properties"], **found["properties"]}
        widened = {**found, "properties": fields}
        if found.get("additionalProperties") is False and len(fields) > len(found["properties"]):
            del widened["additionalProperties"]
        return widened
    united = unite(options)
    # Two lists of alternatives have to hold both; the first alone accepts more.
    has_two_lists = "anyOf" in united and "anyOf" in found
    if has_two_lists or ("properties" in found and "properties" not in united):
        return found
    return {**united, **found}


def _union_of_objects(options: Sequence[JsonSchema]) -> JsonSchema:
    fields: dict[str, list[JsonSchema]] = {}
    for option in options:
        for name, field in option["properties"].items():
            fields.setdefault(name, []).append(field)
    properties = {name: unite(schemas) for name, schemas in fields.items()}
    needed = set(fields).intersection(*(option.get("required", ()) for option in options))
    found: JsonSchema = {"type": "object", "properties": properties}
    if required := [name for name in properties if name in needed]:
        found["required"] = required
    return found
