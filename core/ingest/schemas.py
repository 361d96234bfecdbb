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
# Schemas looked at for one operation, and for a whole document; what lies beyond accepts anything.
MAX_SCHEMAS = 800
MAX_DOCUMENT_SCHEMAS = 500_000


@dataclass(frozen=True, slots=True)
class _Place:
    """How deep a schema lies, and the references that were passed on the way to it."""

    depth: int
    passed: frozenset[str]


@dataclass(slots=True)
class _Merged:
    """A schema with its reference and allOf taken in."""

    keywords: dict[str, Any]
    passed: frozenset[str]
    is_cycle: bool = False


class SchemaReader:
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
        return self._read(schema, _Place(1, frozenset()))

    def read_object(self, schema: object) -> JsonSchema:
        """As `read`, but alternatives that are all objects become one with the fields of all."""
        found = self.read(schema)
        alternatives = found.get("anyOf", ())
        if not alternatives or not all("properties" in each for each in alternatives):
            return found
        texts = {key: found[key] for key in ("description",) if key in found}
        return {**_union_of_objects(alternatives), **texts}

    def _read(self, schema: object, place: _Place) -> JsonSchema:
        merged = self._merge(as_mapping(schema), place.passed, 0)
        found = copy_keywords(merged.keywords)
        if merged.is_cycle or place.depth >= MAX_DEPTH or self._left <= 0:
            return found
        inside = _Place(place.depth + 1, merged.passed)
        self._add_members(found, merged.keywords, inside)
        for key in ("oneOf", "anyOf"):
            options = [each for each in as_sequence(merged.keywords.get(key)) if as_mapping(each)]
            if options:
                found = self._add_alternatives(found, options, inside)
        return found

    def _merge(self, schema: Mapping[str, Any], passed: frozenset[str], step: int) -> _Merged:
        self._left -= 1
        own = {key: value for key, value in schema.items() if key not in {"$ref", "allOf"}}
        if self._left <= 0 or step > MAX_STEPS:
            return _Merged(own, passed, is_cycle=True)
        merged = self._merge_reference(schema.get("$ref"), passed, step)
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

    def _merge_reference(self, reference: object, passed: frozenset[str], step: int) -> _Merged:
        if not isinstance(reference, str):
            return _Merged({}, passed)
        target = self._references.target(reference)
        if reference in passed:
            return _Merged(copy_keywords(target), passed, is_cycle=True)
        return self._merge(target, passed | {reference}, step + 1)

    def _add_members(self, found: JsonSchema, schema: Mapping[str, Any], inside: _Place) -> None:
        if "items" in schema and "array" in types_of(schema):
            found["items"] = self._read(schema["items"], inside)
        if "object" not in types_of(schema):
            return
        if fields := as_mapping(schema.get("properties")):
            self._add_fields(found, schema, inside)
        extra = schema.get("additionalProperties")
        if isinstance(extra, Mapping) and extra:
            found["additionalProperties"] = self._read(extra, inside)
        elif extra is True or extra == {}:
            found["additionalProperties"] = True
        elif extra is False and len(found.get("properties", ())) == len(fields):
            found["additionalProperties"] = False

    def _add_fields(self, found: JsonSchema, schema: Mapping[str, Any], inside: _Place) -> None:
        required = [name for name in as_sequence(schema.get("required")) if isinstance(name, str)]
        fields = {
            name: field for name, field in schema["properties"].items() if _is_given(name, field)
        }
        # Where fields have to be left out, the required ones stay.
        names = list(fields)
        if len(names) > MAX_PROPERTIES:
            needed = set(required)
            names = sorted(names, key=lambda name: name not in needed)[:MAX_PROPERTIES]
        found["properties"] = {name: self._read(fields[name], inside) for name in names}
        if kept := [name for name in dict.fromkeys(required) if name in found["properties"]]:
            found["required"] = kept

    def _add_alternatives(
        self, found: JsonSchema, options: Sequence[Mapping[str, Any]], inside: _Place
    ) -> JsonSchema:
        telling = [each for each in options if not is_null(each) and not is_condition(each)]
        read = [self._read(each, inside) for each in telling[:MAX_ALTERNATIVES]]
        if len(telling) > MAX_ALTERNATIVES:
            read.append({})
        if read:
            found = _with_alternatives(found, read)
        return with_null(found) if any(map(is_null, options)) else found


def _is_given(name: object, field: object) -> bool:
    """Whether an agent may give the field: it has a name that can be shown, and is not read-only."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= MAX_PROPERTY_CHARACTERS
        and find_hidden_character(name) is None
        and as_mapping(field).get("readOnly") is not True
    )


def _take_in(merged: dict[str, Any], part: Mapping[str, Any]) -> None:
    fields = {**as_mapping(merged.get("properties")), **as_mapping(part.get("properties"))}
    required = [*as_sequence(merged.get("required")), *as_sequence(part.get("required"))]
    merged.update(part)
    if fields:
        merged["properties"] = fields
    if required:
        merged["required"] = required


def _with_alternatives(found: JsonSchema, options: Sequence[JsonSchema]) -> JsonSchema:
    if "properties" in found and all("properties" in each for each in options):
        return _with_fields(found, options)
    united = unite(options)
    if "anyOf" in united and "anyOf" in found:
        # Two lists of alternatives have to hold both; the first alone accepts more.
        return found
    if "properties" in found and "properties" not in united:
        return found
    return {**united, **found}


def _with_fields(found: JsonSchema, options: Sequence[JsonSchema]) -> JsonSchema:
    added = _union_of_objects(options)["properties"]
    widened = {**found, "properties": {**added, **found["properties"]}}
    if found.get("additionalProperties") is False and len(widened["properties"]) > len(
        found["properties"]
    ):
        del widened["additionalProperties"]
    return widened


def _union_of_objects(options: Sequence[JsonSchema]) -> JsonSchema:
    fields: dict[str, list[JsonSchema]] = {}
    for option in options:
        for name, field in option["properties"].items():
            fields.setdefault(name, []).append(field)
    properties = {name: unite(each) for name, each in fields.items()}
    needed = set(fields).intersection(*(each.get("required", ()) for each in options))
    found: JsonSchema = {"type": "object", "properties": properties}
    if required := [name for name in properties if name in needed]:
        found["required"] = required
    return found
