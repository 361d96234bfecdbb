"""The number of values in a JSON text, told without parsing it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_runtime.body_limit import ValueCounter, count_marks

PIECE_BYTES = 65_536

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30
)


def count_values(text: bytes) -> list[int]:
    """The counts after each piece."""
    counter = ValueCounter(text)
    pieces = range(0, len(text), PIECE_BYTES)
    return [counter.add(text[start : start + PIECE_BYTES]) for start in pieces]


def count(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(count, value.values()))
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1


def count_empty(value: Any) -> int:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return sum(map(count_empty, inner)) if value else 1
    return 0


@given(value=VALUES, is_ascii=st.booleans())
def test_count_is_of_all_values_and_one_more_for_what_is_empty(value: Any, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")

    assert count_values(text) == [count(value) + count_empty(value)]
    assert count_marks(text) >= count(value) - 1


@pytest.mark.parametrize("shift", range(6))
@pytest.mark.parametrize("piece", ['x,[{"', '\\"', "\\", "한,"], ids=str)
def test_strings_and_escapes_across_pieces_count_as_one(shift: int, piece: str) -> None:
    text = json.dumps(["y" * shift, piece * PIECE_BYTES, 3], ensure_ascii=False).encode()

    counts = count_values(text)

    assert len(counts) > 1
    assert counts[-1] == 4
    assert counts == sorted(counts)


def test_commas_in_a_text_are_suspected_and_acquitted() -> None:
    text = json.dumps(["a, b, c"]).encode()

    assert count_marks(text) == 3
    assert count_values(text) == [2]


def test_other_encodings_hide_nothing() -> None:
    # U+2222 has the byte of a quotation mark twice.
    text = ("[" + '"\u2222\u2221",1,' * 100 + "0]").encode("utf-16")

    assert count_values(text)[-1] >= 200
