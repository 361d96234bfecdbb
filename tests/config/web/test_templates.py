"""What no template may do: name an icon that is not there, or need what the content policy refuses."""

import re

import pytest
from django.conf import settings
from django.template import Context, Template
from django.template.loader import render_to_string

ROOT = settings.BASE_DIR
TEMPLATES = sorted(
    path for path in (ROOT / "templates").rglob("*.html") if "admin" not in path.parts
)
SYMBOLS = set(re.findall(r'<symbol id="([^"]+)"', (ROOT / "static/web/icons.svg").read_text()))
NAMED_ICONS = re.compile(r'{% icon "([^"]+)"')
# Inline code and what htmx gives to eval.
REFUSED = re.compile(
    r"""\son[a-z]+="|\sstyle="|<style(?![^>]*nonce)|<script(?![^>]*(?:src|nonce)=)|hx-on|["']js:|hx-trigger="[^"]*\["""
)

# Dates and numbers have one form, of access/templatetags/formats.py.
OTHER_FORMS = re.compile(
    r"""\|(?:date|time|timesince|timeuntil|intcomma|localize|unlocalize)\b|\|floatformat:["']|\}\} m?s\b"""
)


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every template of ours by its path. One test looks at all: hundreds of tests would cost more than they do."""
    return {str(path.relative_to(ROOT)): path.read_text() for path in TEMPLATES}


def find_all(pattern: re.Pattern[str], texts: dict[str, str]) -> list[tuple[str, str]]:
    """What the pattern finds, each with the template that has it."""
    return [(name, found) for name, text in texts.items() for found in pattern.findall(text)]


def test_every_icon_is_in_the_sprite(texts: dict[str, str]) -> None:
    named = find_all(NAMED_ICONS, texts)

    assert len(named) > 100
    assert [(name, icon) for name, icon in named if icon not in SYMBOLS] == []


def test_nothing_needs_what_the_content_policy_refuses(texts: dict[str, str]) -> None:
    assert find_all(REFUSED, texts) == []


def test_dates_and_numbers_have_one_form(texts: dict[str, str]) -> None:
    assert find_all(OTHER_FORMS, texts) == []


def test_icon_is_hidden_from_screen_readers_and_escaped() -> None:
    drawn = Template("{% icon name %}").render(Context({"name": '"><script>'}))

    assert 'aria-hidden="true"' in drawn
    assert "<script>" not in drawn


def test_modules_of_the_pages_are_all_in_the_import_map() -> None:
    mapped = set(re.findall(r'"(web/\w+\.js)": "/static/', render_to_string("web/_scripts.html")))

    assert mapped == {f"web/{path.name}" for path in (ROOT / "static/web").glob("*.js")}
