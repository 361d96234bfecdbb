"""The glossary: what is shipped, what people wrote over it, and what cannot be written."""

from collections.abc import Callable
from typing import Any

import pytest

from catalog.glossary import concepts as glossary
from catalog.glossary.concepts import (
    GlossaryEntry,
    add_concept,
    clean_terms,
    edit_note,
    edit_terms,
    find_entry,
    read_concepts,
    read_glossary_revision,
    reset_concept,
    set_concept_active,
)
from catalog.models import GlossaryConcept
from core.errors import EditError, StaleEditError
from core.retrieval.glossary import Glossary
from core.retrieval.glossary_terms import CONCEPTS

pytestmark = pytest.mark.django_db
SHIPPED = {one.id: dict(one.terms) for one in CONCEPTS}


def get(key: str) -> GlossaryEntry:
    entry = find_entry(key)
    assert entry is not None
    return entry


def terms_of(key: str) -> dict[str, tuple[str, ...]]:
    return next(dict(one.terms) for one in read_concepts() if one.id == key)


def test_empty_table_is_the_shipped_list(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        concepts = read_concepts()

    assert {one.id: dict(one.terms) for one in concepts} == SHIPPED


def test_edited_terms_take_the_place_of_the_shipped_ones_of_that_language() -> None:
    edit_terms(get("order"), "ko", "주문, 오더용지 철", "ann")

    assert terms_of("order")["ko"] == ("주문", "오더용지 철")
    assert terms_of("order")["en"] == SHIPPED["order"]["en"]
    assert Glossary(read_concepts()).find("오더용지 철 목록")[:1] == ("order",)
    assert (get("order").is_changed, get("order").updated_by) == (True, "ann")


def test_concept_that_is_switched_off_is_not_read_and_comes_back() -> None:
    set_concept_active("order", "ann", is_active=False)
    assert "order" not in {one.id for one in read_concepts()}

    set_concept_active("order", "ann", is_active=True)

    assert terms_of("order") == SHIPPED["order"]


def test_reset_brings_back_what_is_shipped_and_deletes_what_was_added() -> None:
    edit_terms(get("order"), "ko", "오더장", "ann")
    add_concept("", {"en": "harbour crane", "ja": "港湾クレーン"}, "ann")

    assert reset_concept("order") == find_entry("order")
    assert reset_concept("harbour_crane") is None

    assert find_entry("harbour_crane") is None
    assert terms_of("order") == SHIPPED["order"]


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda: edit_note(get("order"), "of shops", "ann"), id="edited"),
        pytest.param(lambda: add_concept("hoist", {"en": "hoist"}, "ann"), id="added"),
        pytest.param(lambda: set_concept_active("crane", "ann", is_active=False), id="off"),
        pytest.param(lambda: reset_concept("crane"), id="deleted"),
    ],
)
def test_revision_changes_with_every_write(write: Callable[[], object]) -> None:
    add_concept("crane", {"en": "crane"}, "ann")
    before = read_glossary_revision()

    write()

    assert read_glossary_revision() != before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "a b, C-D ;ab、고객\n顧客", ("a b", "C-D", "ab", "고객", "顧客"), id="separators"
        ),
        pytest.param("  sales   order ,SALES ORDER", ("sales order",), id="once"),
        pytest.param(", ,", (), id="none"),
    ],
)
def test_terms_are_parted_and_kept_once(text: str, expected: tuple[str, ...]) -> None:
    assert clean_terms(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("x", "two letters", id="one letter"),
        pytest.param("고", "two letters", id="one syllable"),
        pytest.param("表", "two letters", id="one kanji"),
        pytest.param("a!", "two letters", id="one letter and a sign"),
        pytest.param("a" * 81, "at most 80 characters", id="long"),
        pytest.param(",".join(f"term {n}" for n in range(41)), "at most 40 terms", id="many"),
        pytest.param("or\x00der", "nobody sees", id="hidden character"),
        pytest.param("or\u200bder", "nobody sees", id="zero width"),
    ],
)
def test_term_that_would_do_harm_is_refused(text: str, reason: str) -> None:
    with pytest.raises(EditError, match=reason):
        edit_terms(get("order"), "en", text, "ann")

    assert not GlossaryConcept.objects.exists()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        pytest.param("en", "order, Customers", id="plural of another's"),
        pytest.param("ko", SHIPPED["customer"]["ko"][0], id="Korean"),
        pytest.param("ja", SHIPPED["customer"]["ja"][0], id="Japanese"),
    ],
)
def test_term_of_another_concept_is_told(language: str, text: str) -> None:
    with pytest.raises(EditError, match="is a term of customer already"):
        edit_terms(get("order"), language, text, "ann")


def test_term_of_a_concept_that_is_off_is_free_until_it_is_switched_on() -> None:
    set_concept_active("order", "ann", is_active=False)
    edit_terms(get("order"), "en", "gantry order", "ann")
    add_concept("crane", {"en": "gantry orders"}, "ann")

    with pytest.raises(EditError, match="gantry order is a term of crane already"):
        set_concept_active("order", "ann", is_active=True)


def test_same_word_may_be_of_another_concept_in_another_language() -> None:
    add_concept("crane", {"en": "Crane", "ja": "クレーン"}, "ann")

    assert add_concept("bird", {"ja": "crane"}, "ann").terms["ja"] == ("crane",)


@pytest.mark.parametrize(
    ("key", "terms", "reason"),
    [
        pytest.param("order", {"en": "x-ray"}, "already", id="taken"),
        pytest.param("a b", {"en": "x-ray"}, "small letters", id="blank"),
        pytest.param("a__b", {"en": "x-ray"}, "small letters", id="two underscores"),
        pytest.param("x" * 61, {"en": "x-ray"}, "small letters", id="long"),
        pytest.param("", {"ko": "엑스레이"}, "small letters", id="no key to be made"),
        pytest.param("x_ray", {"fr": "radio"}, "at least one term", id="no terms"),
    ],
)
def test_concept_that_cannot_be_kept_is_refused(
    key: str, terms: dict[str, str], reason: str
) -> None:
    with pytest.raises(EditError, match=reason):
        add_concept(key, terms, "ann")


def test_last_term_cannot_go() -> None:
    add_concept("crane", {"en": "crane"}, "ann")

    with pytest.raises(EditError, match="switch the concept off"):
        edit_terms(get("crane"), "en", " ", "ann")


def test_change_of_somebody_else_is_not_written_over() -> None:
    seen = get("order")
    edit_terms(seen, "ko", "오더용지", "ann")
    edit_terms(seen, "ja", "注文用箋", "bob")

    with pytest.raises(StaleEditError) as caught:
        edit_terms(seen, "ko", "오더 철", "bob")

    assert caught.value.current == {"terms": "오더용지"}
    assert terms_of("order")["ja"] == ("注文用箋",)


def test_too_many_concepts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glossary, "MAX_CONCEPTS", 1)
    add_concept("crane", {"en": "crane"}, "ann")

    with pytest.raises(EditError, match="at most 1 concepts"):
        add_concept("hoist", {"en": "hoist"}, "ann")


def test_rows_of_other_programs_are_read_as_far_as_they_can_be() -> None:
    GlossaryConcept.objects.create(
        key="odd", terms={"en": ["good", 1, " "], "ko": "x", "fr": ["y"]}
    )
    GlossaryConcept.objects.create(key="broken", terms=[1])

    assert terms_of("odd") == {"ko": (), "ja": (), "en": ("good",)}
    assert not any(terms_of("broken").values())
