"""Descriptions in several languages: which one a client wants, and which are missing."""

import pytest

from core.languages import languages_of, missing_languages, read_accepted_language, translate_spec
from core.toolspec import ExpressionLogic, ParameterSpec, ParameterType, ToolSpec

SPEC = ToolSpec(
    id=1,
    name="double",
    logic=ExpressionLogic("a * 2"),
    description="Doubles a number.",
    descriptions=(("ja", "数を二倍にします。"), ("ko", "수를 두 배로 합니다.")),
    parameters=(
        ParameterSpec(
            name="a",
            type=ParameterType.NUMBER,
            description="The number.",
            descriptions=(("ko", "두 배로 할 수"),),
        ),
    ),
)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", ""),
        ("*", ""),
        ("ko", "ko"),
        ("ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        ("en;q=0.2, ja", "ja"),
        ("en, ko", "en"),
        ("nonsense;;;", ""),
    ],
)
def test_client_wants_what_weighs_most(header: str, language: str) -> None:
    assert read_accepted_language(header) == language


def test_texts_are_replaced_where_there_are_some_in_the_language() -> None:
    korean, japanese = translate_spec(SPEC, "ko"), translate_spec(SPEC, "ja")

    assert (korean.description, korean.parameters[0].description) == (
        "수를 두 배로 합니다.",
        "두 배로 할 수",
    )
    assert (japanese.description, japanese.parameters[0].description) == (
        "数を二倍にします。",
        "The number.",
    )
    assert translate_spec(SPEC, "fr") is SPEC
    assert languages_of(SPEC) == {"ko", "ja"}


def test_missing_languages_are_named_with_what_lacks_them() -> None:
    assert missing_languages(SPEC, ["ko", "ja", "fr"]) == {"ja": ["a"], "fr": ["", "a"]}
