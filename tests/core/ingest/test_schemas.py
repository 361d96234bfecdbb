"""Schemas as agents need them: no references, few words, never endless."""

import json
from typing import Any

import pytest

from core.ingest.references import ReferenceFaultError, References
from core.ingest.schemas import MAX_SCHEMAS, JsonSchemaReader

TEXT, NUMBER, NULL = {"type": "string"}, {"type": "number"}, {"type": "null"}
OBJECT_A = {
    "type": "object",
    "properties": {"a": TEXT, "kind": {"const": "A"}},
    "required": ["kind"],
}
OBJECT_B = {
    "type": "object",
    "properties": {"b": TEXT, "kind": {"const": "B"}},
    "required": ["kind"],
}


def read(schema: Any, **schemas: Any) -> dict[str, Any]:
    return JsonSchemaReader(References({"components": {"schemas": schemas}})).read(schema)


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        pytest.param(
            {"type": "string", "nullable": True}, {"type": ["string", "null"]}, id="nullable"
        ),
        pytest.param({"type": ["string", "null"]}, {"type": ["string", "null"]}, id="null in 3.1"),
        pytest.param(
            {"type": "string", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
            id="nullable choice",
        ),
        pytest.param(
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
            {"type": "integer", "exclusiveMinimum": 0},
            id="limit in 3.0",
        ),
        pytest.param({"exclusiveMaximum": 9}, {"exclusiveMaximum": 9}, id="limit in 3.1"),
        pytest.param({"default": 5, "example": 7, "x-y": 1}, {"default": 5}, id="default"),
        pytest.param({"oneOf": [TEXT, NULL]}, {"type": ["string", "null"]}, id="or null"),
        pytest.param({"oneOf": [TEXT, TEXT]}, TEXT, id="the same twice"),
        pytest.param({"oneOf": [TEXT, NUMBER]}, {"anyOf": [TEXT, NUMBER]}, id="one of two"),
        pytest.param(
            {"anyOf": [{"const": "a"}, {"enum": ["b", "a"]}]}, {"enum": ["a", "b"]}, id="choices"
        ),
        pytest.param(
            {"allOf": [TEXT, {"maxLength": 5}], "description": "Code"},
            {"type": "string", "maxLength": 5, "description": "Code"},
            id="all of",
        ),
        pytest.param({"type": "frob", "maxLength": "x", "enum": {}}, {}, id="nonsense"),
        pytest.param(True, {}, id="anything"),
    ],
)
def test_schema_is_said_in_few_words(schema: Any, found: Any) -> None:
    assert read(schema) == found


def test_objects_of_all_of_are_one() -> None:
    both = {"allOf": [ref("A"), {"properties": {"b": NUMBER}, "required": ["b"]}]}
    base = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}

    assert read(both, A={**base, "additionalProperties": False}) == {
        "type": "object",
        "properties": {"a": TEXT, "b": NUMBER},
        "required": ["a", "b"],
    }


def test_conditions_on_other_fields_are_left_out() -> None:
    schema = {
        "properties": {"a": TEXT, "b": TEXT},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }

    assert read(schema) == {"type": "object", "properties": {"a": TEXT, "b": TEXT}}


def test_a_body_of_one_object_or_another_has_the_fields_of_both() -> None:
    reader = JsonSchemaReader(References({}))

    assert reader.read_object({"oneOf": [OBJECT_A, OBJECT_B]}) == {
        "type": "object",
        "properties": {"a": TEXT, "kind": {"enum": ["A", "B"]}, "b": TEXT},
        "required": ["kind"],
    }


def test_fields_that_are_only_read_are_left_out() -> None:
    schema = {"properties": {"id": {"readOnly": True}, "name": TEXT}, "required": ["id", "name"]}

    assert read(schema) == {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}


def test_words_beside_a_reference_win() -> None:
    assert read({**ref("A"), "description": "Here"}, A={**TEXT, "description": "There"}) == {
        "type": "string",
        "description": "Here",
    }


def test_a_tree_ends_where_it_leads_back_to_itself() -> None:
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": ref("Tree")}}}

    assert read(ref("Tree"), Tree=tree) == {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"type": "object"}}},
    }


@pytest.mark.parametrize(
    "schemas",
    [
        pytest.param({"A": {"$ref": "#/components/schemas/A"}}, id="itself"),
        pytest.param({"A": ref("B"), "B": ref("A")}, id="each other"),
        pytest.param({"A": {"allOf": [ref("A"), ref("A")]}}, id="all of itself"),
        pytest.param({"A": {"oneOf": [ref("A"), {"items": ref("A")}]}}, id="one of itself"),
        pytest.param(
            {"A": {"properties": {str(n): {"allOf": [ref("A")]} for n in range(200)}}}, id="wide"
        ),
        pytest.param(
            {
                "A": ref("0"),
                **{str(n): {"allOf": [ref(str(n + 1))] * 9} for n in range(60)},
                "60": {},
            },
            id="power of nine",
        ),
        pytest.param(
            {"A": ref("0"), **{str(n): ref(str(n + 1)) for n in range(3_000)}, "3000": {}},
            id="chain",
        ),
    ],
)
def test_a_hostile_schema_ends(schemas: Any) -> None:
    assert len(json.dumps(read(ref("A"), **schemas))) < 100_000


def test_what_is_cut_accepts_more() -> None:
    fields = {f"f{n}": {"type": "object", "properties": {"x": TEXT}} for n in range(199)}
    outer = {f"o{n}": {"type": "object", "properties": fields} for n in range(9)}

    found = read({"type": "object", "properties": outer})

    assert len(json.dumps(found)) < 60 * MAX_SCHEMAS
    assert found["properties"]["o8"] == {"type": "object"}


def test_of_too_many_fields_the_required_stay_and_the_object_is_open() -> None:
    fields = {f"f{n}": TEXT for n in range(300)}

    found = read({"properties": fields, "required": ["f299"], "additionalProperties": False})

    assert len(found["properties"]) == 200
    assert found["required"] == ["f299"]
    assert "additionalProperties" not in found


def test_of_too_many_alternatives_others_are_accepted_too() -> None:
    found = read({"oneOf": [{"type": "string", "maxLength": n} for n in range(20)]})

    assert found["anyOf"][-1] == {}


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        pytest.param("#/components/schemas/None", "leads to nothing", id="nothing"),
        pytest.param("https://example.com/a.json", "leads out of the document", id="web"),
        pytest.param("file:///etc/passwd", "leads out of the document", id="file"),
        pytest.param("#/components/schemas/A/type", "leads to nothing", id="no object"),
    ],
)
def test_a_wrong_reference_is_named(reference: str, text: str) -> None:
    with pytest.raises(ReferenceFaultError, match=text) as raised:
        read({"$ref": reference}, A=TEXT)

    assert reference in str(raised.value)


@pytest.mark.parametrize("extra", [False, {"type": "string"}])
def test_fields_that_fit_a_pattern_stay_allowed(extra: Any) -> None:
    schema = {"type": "object", "properties": {"a": TEXT}, "additionalProperties": extra}

    assert read({**schema, "patternProperties": {"^x-": NUMBER}}) == {
        **schema,
        "additionalProperties": True,
    }


@pytest.mark.parametrize("name", ["a/b", "a~b", "a b", "주문", "%41"])
def test_escapes_of_a_reference_are_read(name: str) -> None:
    pointer = name.replace("%", "%25").replace("~", "~0").replace("/", "~1").replace(" ", "%20")

    assert read({"$ref": f"#/components/schemas/{pointer}"}, **{name: TEXT}) == TEXT
