"""The glossary taken to a spreadsheet and brought back."""

import pytest

from catalog.exchange.spreadsheets import MAX_FILE_BYTES, MAX_ROWS
from catalog.glossary.concepts import add_concept, find_entry, read_entries, set_concept_active
from catalog.glossary.files import export_glossary, import_glossary
from catalog.models import GlossaryConcept
from core.errors import EditError, ImportFileError

pytestmark = pytest.mark.django_db


def test_untouched_export_changes_nothing() -> None:
    add_concept("", {"en": "crane, hoist", "ko": "크레인"}, "ann")
    set_concept_active("order", "ann", is_active=False)
    before = read_entries()

    assert import_glossary(export_glossary().encode(), "kim") == 0
    assert read_entries() == before


def test_concepts_are_added_and_changed() -> None:
    data = (
        "key;ko;ja;en;note\n;크레인;クレーン;crane, hoist;부두\norder;주문;注文;order, ordering;\n"
    )

    assert import_glossary(data.encode("utf-16"), "kim") == 2
    crane, order = find_entry("crane"), find_entry("order")
    assert crane
    assert crane.terms["en"] == ("crane", "hoist")
    assert crane.note == "부두"
    assert order
    assert order.is_shipped
    assert order.terms["ko"] == ("주문",)


def test_missing_column_leaves_what_it_would_say() -> None:
    before = find_entry("order")

    import_glossary(b"key,note\norder,what customers buy\n", "kim")

    after = find_entry("order")
    assert before
    assert after
    assert (after.terms, after.note, after.is_active) == (before.terms, "what customers buy", True)


def test_term_moves_from_one_concept_to_another() -> None:
    add_concept("crane", {"en": "crane, hoist"}, "ann")
    add_concept("lift", {"en": "lift"}, "ann")

    assert import_glossary(b'key,en\nlift,"lift, hoist"\ncrane,crane\n', "kim") == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("key,en\ncrane,crane\nCrane,hoist", "line 3: crane stands", id="twice"),
        pytest.param("key,en\n\ncrane,", "line 3: write at least one term", id="no term"),
        pytest.param("key,en\ncrane,order", "order is a term of order already", id="taken"),
        pytest.param("key,en,in_use\ncrane,crane,maybe", "line 2: in_use is yes or no", id="use"),
        pytest.param("key,en\nc-r,crane", "line 2: a key has small letters", id="key"),
    ],
)
def test_bad_line_changes_nothing(text: str, reason: str) -> None:
    with pytest.raises(EditError, match=reason):
        import_glossary(f"{text}\nhoist,hoist".encode(), "kim")

    assert not GlossaryConcept.objects.exists()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "has to name the columns key", id="empty"),
        pytest.param(b"word,en\na,b", "has to name the columns key", id="other columns"),
        pytest.param(b'key\n"a', "no CSV file", id="open quote"),
        pytest.param(b"k" * (MAX_FILE_BYTES + 1), "more than 2 MB", id="large"),
        pytest.param(b"key\n" + b"k\n" * (MAX_ROWS + 1), "more than 50,000 rows", id="rows"),
    ],
)
def test_other_files_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ImportFileError, match=reason):
        import_glossary(data, "kim")
