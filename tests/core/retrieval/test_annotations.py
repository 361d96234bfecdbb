"""Annotations are kept between our names and those of MCP."""

import pytest

from core.retrieval.model import MCPAnnotations

FULL = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


def test_nothing_is_said_unless_it_is_given() -> None:
    assert MCPAnnotations() == MCPAnnotations(None, None, None, None)


def test_annotations_are_written_under_the_keys_of_mcp() -> None:
    assert MCPAnnotations(True, False, True, False).to_dict() == FULL


def test_what_is_not_said_is_not_written() -> None:
    assert MCPAnnotations(read_only=True).to_dict() == {"readOnlyHint": True}


def test_annotations_are_read_from_the_keys_of_mcp() -> None:
    read = MCPAnnotations.from_dict(FULL)

    assert read == MCPAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=False
    )


def test_nothing_is_read_from_nothing() -> None:
    assert MCPAnnotations.from_dict({}) == MCPAnnotations()


@pytest.mark.parametrize(
    "annotations",
    [
        pytest.param(MCPAnnotations(), id="nothing"),
        pytest.param(MCPAnnotations(True, False, None, True), id="some"),
        pytest.param(MCPAnnotations(False, True, False, False), id="all"),
    ],
)
def test_annotations_survive_a_round_trip(annotations: MCPAnnotations) -> None:
    assert MCPAnnotations.from_dict(annotations.to_dict()) == annotations


def test_other_keys_are_passed_over() -> None:
    hints = {"title": "Users", "readOnlyHint": True, "read_only": False}

    assert MCPAnnotations.from_dict(hints) == MCPAnnotations(read_only=True)


@pytest.mark.parametrize("hint", ["true", 1, 0, None, [True]], ids=str)
def test_hint_that_is_no_boolean_says_nothing(hint: object) -> None:
    assert MCPAnnotations.from_dict({"readOnlyHint": hint}) == MCPAnnotations()
