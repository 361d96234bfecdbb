"""What the drawer shows beside a page: texts of panes, the reference, keys and the tour."""

import json
import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver

from core.expression import FUNCTIONS
from core.scripts.functions import SCRIPT_METHODS
from tests.factories import make_tool
from toolbuilder.editing.drafts import open_draft
from toolbuilder.help.pages import find_page
from toolbuilder.help.panes import PANES
from toolbuilder.help.reference import list_reference
from toolbuilder.help.shortcuts import SHORTCUTS
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import VersionOrigin

FRAGMENT = {"HX-Request": "true"}


@pytest.fixture
def author(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("ann"))
    return client


def written_keys() -> dict[str, dict[str, str]]:
    """What static/web/shortcuts.js has, which is JSON."""
    text = (settings.BASE_DIR / "static/web/shortcuts.js").read_text()
    found = re.search(r"^const SHORTCUTS = (\{.*?^\});", text, re.DOTALL | re.MULTILINE)
    assert found
    keys: dict[str, dict[str, str]] = json.loads(found[1])
    return keys


@pytest.mark.parametrize("name", PANES)
def test_a_pane_has_its_text_from_the_documentation(author: Client, name: str) -> None:
    topic = PANES[name].topic

    part = author.get(f"/help/~/panes/{name}/", headers=FRAGMENT).text

    page = find_page(topic.page)
    assert page
    words = page.section(topic.anchor).body
    assert len(words) > 150
    assert words in part
    assert f'href="{topic.address}"' in part
    assert author.get(f"/help/~/panes/{name}/")["Location"] == topic.address


def test_every_pane_is_somewhere() -> None:
    templates = "".join(
        path.read_text() for path in (settings.BASE_DIR / "templates").rglob("*.html")
    )
    buttons = set(re.findall(r"""\{% help_button ["']([\w-]+)["']""", templates))

    assert buttons <= set(PANES)
    assert [name for name, pane in PANES.items() if not pane.pages and name not in buttons] == []


def test_pages_of_panes_are_there() -> None:
    addresses = get_resolver().reverse_dict

    assert [page for pane in PANES.values() for page in pane.pages if page not in addresses] == []


def test_a_page_offers_its_text_at_its_heading(author: Client) -> None:
    assert 'data-help="/help/~/panes/limits/"' in author.get("/limits/").text
    assert 'data-help="/help/~/panes/tools/"' in author.get("/tools/").text
    assert author.get("/help/~/panes/nothing/").status_code == 404


def test_the_reference_has_every_function_of_the_evaluator() -> None:
    inserted = {entry.insert for group in list_reference("PYTHON") for entry in group.entries}

    assert {f"{name}()" for name in FUNCTIONS} <= inserted
    assert {f".{name}()" for methods in SCRIPT_METHODS.values() for name in methods} <= inserted


def test_the_reference_of_sql_has_the_forms_of_its_page(author: Client) -> None:
    entries = {
        str(group.title): [entry.insert for entry in group.entries]
        for group in list_reference("SQL")
    }

    assert ":name" in entries["Parameters"]
    assert "[[ AND city = :city ]]" in entries["Optional clauses"]
    assert "id IN (:ids)" in entries["Lists"]
    assert not any(entries["What is refused"])
    part = author.get("/help/~/reference/?kind=PYTHON", headers=FRAGMENT).text
    assert 'data-insert="round()"' in part
    assert author.get("/help/~/reference/?kind=HTTP")["Location"] == "/help/http-tools/"


def test_every_key_that_handlers_read_has_its_words() -> None:
    assert {part: [*keys] for part, keys in written_keys().items()} == {
        part: [*group.keys] for part, group in SHORTCUTS.items()
    }


def test_the_sheet_has_all_keys_for_the_page_to_choose_from(author: Client) -> None:
    part = author.get("/help/~/keys/", headers=FRAGMENT).text

    assert 'data-keys="editor"' in part
    assert 'data-key="publish"' in part


def test_the_tour_is_offered_until_it_was_had(author: Client) -> None:
    address = f"/tools/~/drafts/{open_draft(None, 'ann').uid}/"
    assert "data-tour-offer" in author.get(address).text

    author.post("/preferences/layout/", {"name": "tour", "value": "1"})

    assert "data-tour-offer" not in author.get(address).text


def test_the_tour_is_not_offered_to_who_has_published(author: Client) -> None:
    tool = make_tool(name="sales")

    record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED, author="ann"))

    assert "data-tour-offer" not in author.get("/tools/sales/").text


def test_the_tour_has_its_steps(author: Client) -> None:
    part = author.get("/help/~/tour/", headers=FRAGMENT).text

    assert part.count("<template data-target=") == 6
    assert 'data-over="/preferences/layout/"' in part
