"""The documentation as pages: the Markdown files of docs/, which need no network and fit this version."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_GET
from markdown_it import MarkdownIt
from markdown_it.token import Token

INDEX = "index"
_NO_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class HelpPage:
    """A file of the documentation: its first heading, and all below as HTML."""

    title: str
    body: SafeString


@login_required
@require_GET
def help_page(request: HttpRequest, name: str = INDEX) -> HttpResponse:
    """A page of the documentation."""
    file = _files(".md").get(name)
    if file is None and name != INDEX:
        raise Http404
    page = read_page(name, file.read_text()) if file else None
    return render(request, "web/help.html", {"page": page, "is_index": name == INDEX})


@login_required
@require_GET
def help_image(request: HttpRequest, name: str) -> HttpResponse:
    """A picture of the documentation."""
    file = _files(".png").get(f"images/{name}")
    if file is None:
        raise Http404
    return HttpResponse(file.read_bytes(), content_type="image/png")


def address_of(name: str) -> str:
    """Where the page of that name is shown."""
    return reverse("help") if name == INDEX else reverse("help-page", args=[name])


def read_page(name: str, text: str) -> HelpPage:
    """The Markdown as a page; links among the files lead to their pages, those to other files nowhere."""
    # Raw HTML stays text, whoever wrote the file.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    title, body = "", tokens
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        title, body = tokens[1].content, tokens[3:]
    for index, token in enumerate(body):
        if token.type == "heading_open":
            # The anchor as links in Markdown write it.
            heading = _NO_SLUG.sub("", body[index + 1].content.lower())
            token.attrSet("id", heading.replace(" ", "-"))
        elif token.type == "table_open":
            token.attrSet("class", "table top")
        elif token.type == "inline":
            _lead_links(token.children or [], PurePosixPath(name).parent)
    return HelpPage(title, mark_safe(parser.renderer.render(body, parser.options, {})))  # noqa: S308 # html is off


@cache
def _files(ending: str) -> dict[str, Path]:
    """The files of that kind by their path in docs/, the ending of Markdown left out."""
    folder = settings.BASE_DIR / "docs"
    paths = {path.relative_to(folder): path for path in folder.rglob(f"*{ending}")}
    return {relative.as_posix().removesuffix(".md"): path for relative, path in paths.items()}


def _lead_links(tokens: Sequence[Token], folder: PurePosixPath) -> None:
    """Addresses of this server in place of paths; a link that leads nowhere here becomes plain text."""
    opened: list[Token] = []
    for token in tokens:
        if token.type == "image":
            path = normpath(folder / str(token.attrs["src"])).removeprefix("images/")
            token.attrs["src"] = reverse("help-image", args=[path])
        elif token.type == "link_open":
            opened.append(token)
            if href := _find_address(str(token.attrs["href"]), folder):
                token.attrs["href"] = href
            else:
                token.tag, token.attrs = "span", {}
        elif token.type == "link_close":
            token.tag = opened.pop().tag


def _find_address(href: str, folder: PurePosixPath) -> str:
    link = urlsplit(href)
    if link.scheme or not link.path:
        return href
    name = normpath(folder / link.path).removesuffix(".md")
    if not link.path.endswith(".md") or name not in _files(".md"):
        return ""
    return address_of(name) + (f"#{link.fragment}" if link.fragment else "")
