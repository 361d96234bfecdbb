"""The documentation as pages of the application."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from config.web.navigation import PLACES
from toolbuilder.help.links import help_url
from toolbuilder.help.pages import DOCS, GROUPS, color_code, list_groups, list_names, read_page

NAMES = list_names()


@pytest.fixture
def reader(client: Client, db: None) -> Client:
    """Somebody who is signed in, without any right."""
    client.force_login(User.objects.create_user("ann"))
    return client


@pytest.fixture(scope="module")
def answering() -> set[str]:
    """Addresses that have answered: pages lead to each other, and need not all be read for each of them."""
    return set()


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_a_page_whose_links_lead_somewhere(
    reader: Client, answering: set[str], name: str
) -> None:
    page = reader.get(help_url(name)).text

    assert "<article" in page
    for address in {*re.findall(r'(?:href|src)="(/help/[^"#~]*)["#]', page)} - answering:
        assert reader.get(address).status_code == 200
        answering.add(address)


def test_links_to_headings_find_them() -> None:
    link = re.compile(r'href="/help/([\w/-]+)/#([\w-]+)"')
    bodies = {name: read_page(name, (DOCS / f"{name}.md").read_text()).body for name in NAMES}

    links = {found for body in bodies.values() for found in link.findall(body)}

    assert links
    assert [one for one in links if f'id="{one[1]}"' not in bodies[one[0]]] == []


def test_markdown_is_drawn_and_html_is_not() -> None:
    page = read_page(
        "reference/x",
        "# A `title`\n\n## What it does\n\n<script>alert(1)</script> [tools](../tools.md#limits)"
        " [code](../../config/env.py) [far](https://example.com/) [bad](javascript:alert(1))\n",
    )

    assert page.title == "A `title`"
    assert '<h2 id="what-it-does">What it does<a' in page.body
    assert "&lt;script&gt;" in page.body
    assert '<a href="/help/tools/#limits">tools</a>' in page.body
    assert "<span>code</span>" in page.body
    assert '<a href="https://example.com/">far</a>' in page.body
    assert 'href="javascript' not in page.body


@pytest.mark.parametrize("path", ["/help/nowhere/", "/help/../README/", "/help/images/none.png"])
def test_what_is_not_there_is_not_found(reader: Client, path: str) -> None:
    assert reader.get(path).status_code == 404


def test_help_is_for_people_who_are_signed_in(client: Client) -> None:
    assert client.get("/help/")["Location"] == "/sign-in/?next=/help/"


def test_every_place_has_its_page_of_the_documentation() -> None:
    assert [place.url_name for place in PLACES if not Path(DOCS, f"{place.help}.md").exists()] == []


def test_help_of_a_page_is_linked_on_it(reader: Client) -> None:
    User.objects.update(is_staff=True)

    assert 'href="/help/catalogue/"' in reader.get("/catalogue/").text
    assert 'href="/help/"' in reader.get("/help/tools/").text


def test_the_index_groups_every_page_once() -> None:
    listed = [name for group in list_groups() for name, _text in group.pages]

    assert [group.title for group in list_groups()] == [*GROUPS]
    assert sorted(listed) == [name for name in NAMES if name != "index"]


def test_a_section_is_what_stands_under_its_heading() -> None:
    page = read_page(
        "x", "# X\n\nFirst.\n\n## A `b`\n\nOf *a*.\n\n### C\n\n- Of c\n\n## A `b`\n\nLast.\n"
    )

    _first, a, c, _again = page.sections
    assert [(one.anchor, one.title, one.text) for one in page.sections] == [
        ("", "X", "First."), ("a-b", "A b", "Of a."), ("c", "C", "Of c"), ("a-b-1", "A b", "Last."),
    ]  # fmt: skip
    assert "Of c" in a.body
    assert "Last" not in a.body
    assert "C</h3>" not in c.body


def test_no_code_is_lost_by_its_colours() -> None:
    fence = re.compile(r"^```(\w*)\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
    blocks = [found for name in NAMES for found in fence.findall((DOCS / f"{name}.md").read_text())]

    assert blocks
    for language, text in blocks:
        drawn = unescape(re.sub(r"<[^>]*>", "", color_code(text, language)))
        assert drawn.rstrip("\n") == text


def test_code_has_colours_and_is_escaped() -> None:
    page = read_page(
        "x",
        '# X\n\n```json\n{"a": "<b>"}\n```\n\n    SELECT 1 -- <i>\n\n```mermaid\nA --> B\n```\n',
    )

    assert '<span class="code-text">&quot;&lt;b&gt;&quot;</span>' in page.body
    assert '<span class="code-keyword">SELECT</span>' in page.body
    assert '<span class="code-comment">-- &lt;i&gt;</span>' in page.body
    assert "A --&gt; B" in page.body
