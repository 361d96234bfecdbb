"""JSON as it is sent and stored."""

import pytest

from core.json_text import to_storable


@pytest.mark.parametrize(
    ("document", "stored"),
    [
        ({"a\0b": ["c\0", None, 1.5, True]}, {"ab": ["c", None, 1.5, True]}),
        # Six letters, and not the character that they stand for in JSON.
        (r"\u0000", r"\u0000"),
        ("half \ud83d", "half ?"),
        ((2**70, "x"), [2**70, "x"]),
    ],
)
def test_what_the_database_does_not_keep_is_left_out(document: object, stored: object) -> None:
    assert to_storable(document) == stored
