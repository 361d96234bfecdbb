"""Every link to the documentation leads to a page and a heading that are there."""

import ast
import re
from collections.abc import Iterator

import pytest
from django.conf import settings

from toolbuilder.help.links import INDEX, HelpTopic, help_url
from toolbuilder.help.pages import find_page

FOLDERS = ("config", "toolbuilder")
# These take names from tables and files, which have tests of their own.
TAKES_NAMES = ("toolbuilder/help/", "config/web/navigation.py")
TAG = re.compile(r"\{%\s*help_url\b(.*?)%\}", re.DOTALL)
LITERAL = re.compile(r"""["']([^"']*)["']""")


def _links_of_templates() -> Iterator[tuple[str, list[str]]]:
    for path in (settings.BASE_DIR / "templates").rglob("*.html"):
        for arguments in TAG.findall(path.read_text()):
            yield str(path), LITERAL.findall(arguments.partition(" as ")[0])


def _links_of_modules() -> Iterator[tuple[str, list[str]]]:
    for folder in FOLDERS:
        for path in (settings.BASE_DIR / folder).rglob("*.py"):
            name = path.relative_to(settings.BASE_DIR).as_posix()
            text = path.read_text()
            if "help_url" in text or "HelpTopic" in text:
                yield from _links_of_module(name, ast.parse(text))


def _links_of_module(name: str, tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="help_url" | "HelpTopic")):
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                if all(isinstance(one, ast.Constant) for one in given):
                    yield name, [str(one.value) for one in given if isinstance(one, ast.Constant)]
                else:
                    assert name.startswith(TAKES_NAMES), (
                        f"{name}:{node.lineno}: name the page and the heading"
                    )


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    links = [*_links_of_templates(), *_links_of_modules()]

    assert len(links) > 5
    for place, arguments in links:
        name, anchor = (*arguments, "", "")[:2]
        page = find_page(name or INDEX)
        assert page is not None, f"{place}: no page {name}"
        if anchor:
            assert page.section(anchor), f"{place}: no heading {anchor} in {name}"


@pytest.mark.parametrize(
    ("topic", "address"),
    [
        (HelpTopic("index"), "/help/"),
        (HelpTopic("tools"), "/help/tools/"),
        (HelpTopic("reference/statements", "lists"), "/help/reference/statements/#lists"),
    ],
    ids=["index", "page", "heading"],
)
def test_a_topic_has_one_address(topic: HelpTopic, address: str) -> None:
    assert topic.address == address == help_url(topic.page, topic.anchor)
