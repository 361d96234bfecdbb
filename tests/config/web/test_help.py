"""The documentation as pages of the application."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from config.web.help import address_of, read_page
from config.web.navigation import PLACES

DOCS = settings.BASE_DIR / "docs"
NAMES = sorted(path.relative_to(DOCS).as_posix().removesuffix(".md") for path in DOCS.rglob("*.md"))


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
    page = reader.get(address_of(name)).text

    assert "<article" in page
    for address in {*re.findall(r'(?:href|src)="(/help/[^"#]*)', page)} - answering:
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
    assert '<h2 id="what-it-does">What it does</h2>' in page.body
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
