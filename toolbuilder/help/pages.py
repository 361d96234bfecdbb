"""The pages of the documentation: the Markdown files of docs/, which need no network and fit this version."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_noop
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, String
from pygments.util import ClassNotFound

from toolbuilder.help.links import INDEX, help_url

DOCS: Path = settings.BASE_DIR / "docs"
# The headings of docs/index.md under which it lists the pages.
GROUPS = (
    gettext_noop("Using agents"),
    gettext_noop("Making tools"),
    gettext_noop("Administration"),
    gettext_noop("Running the server"),
    gettext_noop("Reference"),
    gettext_noop("Project"),
)
_NO_SLUG = re.compile(r"[^\w\- ]")
# Blocks that are indented name no language.
_LANGUAGE_SIGNS = (
    ("sql", re.compile(r"\s*(SELECT|WITH|INSERT|CREATE|GRANT|ALTER|REVOKE|VALUES)\b")),
    ("json", re.compile(r"\s*[{\[]")),
    ("bash", re.compile(r"\s*(\.venv/|make |curl |export |sudo |git |docker |[A-Z_]+=)")),
)
_COLOURS = ((Comment, "comment"), (Keyword, "keyword"), (Name.Tag, "keyword"), (String, "text"))


@dataclass(frozen=True, slots=True)
class HelpRow:
    """A row of a table as texts; `code` is the first code of its first cell, '' if there is none."""

    cells: tuple[str, ...]
    code: str


@dataclass(frozen=True)
class HelpSection:
    """A heading of a page with what stands under it, as far as the next heading of its kind or a higher one.

    `text` is what people read there as far as the next heading of any kind.
    """

    page: str
    anchor: str
    level: int
    title: str
    text: str
    tokens: Sequence[Token] = field(repr=False)

    @property
    def address(self) -> str:
        """Where it is shown."""
        return help_url(self.page, self.anchor)

    @cached_property
    def body(self) -> SafeString:
        """Its HTML."""
        return draw(self.tokens)

    @cached_property
    def rows(self) -> tuple[HelpRow, ...]:
        """The rows of its tables, without their heads."""
        rows: list[list[Token]] = []
        for token, after in pairwise(self.tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "td_open":
                rows[-1].append(after)
        return tuple(
            HelpRow(
                cells=tuple(_text_of([cell]) for cell in cells),
                code=next(
                    (one.content for one in cells[0].children or [] if one.type == "code_inline"),
                    "",
                ),
            )
            for cells in rows
            if cells
        )


@dataclass(frozen=True)
class HelpPage:
    """A file of the documentation: its first heading, and its parts in order.

    The first section is what stands before the first heading; it has no anchor.
    """

    name: str
    title: str
    sections: tuple[HelpSection, ...]
    tokens: Sequence[Token] = field(repr=False)

    @cached_property
    def body(self) -> SafeString:
        """All below its title as HTML."""
        return draw(self.tokens)

    @property
    def headings(self) -> list[HelpSection]:
        """What its list of contents shows."""
        return [section for section in self.sections if section.anchor and section.level <= 3]

    def section(self, anchor: str) -> HelpSection:
        """The section of that anchor. Raises KeyError if there is none."""
        return {section.anchor: section for section in self.sections}[anchor]


@dataclass(frozen=True, slots=True)
class HelpGroup:
    """Pages by a heading of the index, each with its name and what its link says."""

    title: str
    pages: tuple[tuple[str, str], ...]


@cache
def list_names() -> tuple[str, ...]:
    """The names of all pages, which are their paths in docs/ without the ending."""
    return tuple(
        sorted(path.relative_to(DOCS).as_posix().removesuffix(".md") for path in DOCS.rglob("*.md"))
    )


@cache
def find_page(name: str) -> HelpPage | None:
    """The page of that name; a file is read once for a process."""
    if name not in list_names():
        return None
    return read_page(name, (DOCS / f"{name}.md").read_text(encoding="utf-8"))


@cache
def list_groups() -> tuple[HelpGroup, ...]:
    """The pages as docs/index.md lists them under its headings."""
    path = DOCS / f"{INDEX}.md"
    parts = re.split(
        r"^## (.+)$", path.read_text(encoding="utf-8") if path.exists() else "", flags=re.MULTILINE
    )
    link = re.compile(r"^\| \[(.+?)\]\((.+?)\.md\)", re.MULTILINE)
    return tuple(
        HelpGroup(title, tuple((name, text) for text, name in link.findall(rows)))
        for title, rows in zip(parts[1::2], parts[2::2], strict=True)
    )


class HelpRenderer(RendererHTML):
    """HTML of Markdown with coloured code; it has no style and no script inside."""

    def fence(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: object) -> str:
        token = tokens[idx]
        return color_code(token.content, token.info.strip())

    def code_block(
        self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: object
    ) -> str:
        text = tokens[idx].content
        found = (language for language, sign in _LANGUAGE_SIGNS if sign.match(text))
        return color_code(text, next(found, ""))

    def heading_close(
        self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: object
    ) -> str:
        anchor, tag = tokens[idx - 2].attrGet("id"), tokens[idx].tag
        return format_html(
            '<a class="help-anchor" href="#{}" aria-hidden="true" tabindex="-1">#</a></{}>\n',
            anchor,
            tag,
        )


def color_code(text: str, language: str) -> SafeString:
    """HTML of a block of code with a class for each comment, text and keyword of a language that is known."""
    text, pieces = text.rstrip("\n"), []
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        pieces.append(conditional_escape(text))
    else:
        for kind, piece in lexer.get_tokens(text):
            colour = next((name for parent, name in _COLOURS if kind in parent), "")
            coloured = format_html('<span class="code-{}">{}</span>', colour, piece)
            pieces.append(coloured if colour else conditional_escape(piece))
    # The last line ends with the block.
    ended = re.sub(r"\n(</span>)?$", r"\1", "".join(pieces))
    code = mark_safe(ended)  # noqa: S308 - each piece is escaped above
    return format_html('<div class="help-code"><pre class="code-block">{}</pre></div>\n', code)


# Raw HTML stays text, whoever wrote the file.
_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=HelpRenderer).enable("table")


def draw(tokens: Sequence[Token]) -> SafeString:
    """HTML of a part of a page."""
    drawn: str = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return mark_safe(drawn)  # noqa: S308 - raw HTML is off


def read_page(name: str, text: str) -> HelpPage:
    """The Markdown as a page; links among the files lead to their pages, those to other files nowhere."""
    tokens = _PARSER.parse(text)
    title = ""
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        title, tokens = tokens[1].content, tokens[3:]
    anchors: Counter[str] = Counter()
    starts: list[tuple[int, int]] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            # The anchor as links in Markdown write it: the second of the same text has a number.
            anchor = _NO_SLUG.sub("", tokens[place + 1].content.lower()).replace(" ", "-")
            token.attrSet("id", f"{anchor}-{anchors[anchor]}" if anchors[anchor] else anchor)
            anchors[anchor] += 1
            starts.append((place, int(token.tag[1:])))
        elif token.type == "table_open":
            token.attrSet("class", "table top")
        elif token.type == "inline":
            _lead_links(token.children or [], name)
    ends = [*(start for start, _level in starts), len(tokens)]
    before = tokens[: ends[0]]
    sections = [HelpSection(name, "", 1, title, _text_of(before), before)]
    for number, (start, level) in enumerate(starts):
        # Behind the three tokens of the heading.
        begin = start + 3
        higher = (place for place, other in starts[number + 1 :] if other <= level)
        heading = _text_of(tokens[start:begin])
        part = tokens[begin : next(higher, len(tokens))]
        said = _text_of(tokens[begin : ends[number + 1]])
        anchor = str(tokens[start].attrGet("id"))
        sections.append(HelpSection(name, anchor, level, heading, said, part))
    return HelpPage(name, title, tuple(sections), tokens)


def _text_of(tokens: Sequence[Token]) -> str:
    """What people read there, in one line."""
    pieces = []
    for token in tokens:
        if token.type in ("fence", "code_block"):
            pieces.append(token.content)
        elif token.type == "inline":
            breaks = ("softbreak", "hardbreak")
            children = token.children or []
            pieces.append("".join(" " if one.type in breaks else one.content for one in children))
    return " ".join(" ".join(pieces).split())


def _lead_links(tokens: Sequence[Token], name: str) -> None:
    """Addresses of this server in place of paths; a link that leads nowhere here becomes plain text."""
    opened: list[Token] = []
    folder = PurePosixPath(name).parent
    for token in tokens:
        if token.type == "image":
            path = normpath(folder / str(token.attrs["src"])).removeprefix("images/")
            token.attrs |= {"src": reverse("help-image", args=[path]), "loading": "lazy"}
        elif token.type == "link_open":
            opened.append(token)
            link = urlsplit(str(token.attrs["href"]))
            page = normpath(folder / link.path).removesuffix(".md") if link.path else name
            if (
                not link.scheme
                and (not link.path or link.path.endswith(".md"))
                and page in list_names()
            ):
                token.attrs["href"] = help_url(page, link.fragment)
            elif not link.scheme:
                token.tag, token.attrs = "span", {}
        elif token.type == "link_close":
            token.tag = opened.pop().tag
