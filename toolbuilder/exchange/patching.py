"""Documents as YAML, and written over a file so that people's comments and spellings stay where nothing changed."""

import re
from collections.abc import Iterator, Sequence

from core.toolspec import JsonValue
from toolbuilder.exchange.files import Document, dump
from toolbuilder.exchange.yaml_nodes import FileFault, YamlNode, read_documents

# By which the items of a list of mappings are known.
_ITEM_NAMES = ("param_name", "name")
_NO_BLOCK = re.compile(
    r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]"
)
_TRAILING_COMMENT = re.compile(r"\s+#[^'\"]*$")


def write_document(document: Document) -> str:
    """The document as YAML, a key after the other; texts of several lines are blocks."""
    return "".join(_write_key(name, value) for name, value in document.items())


def write_over(text: str, document: Document) -> str:
    """The document as YAML, with the lines of `text` wherever they say the same, and its comments.

    A file in which these cannot be told apart, such as one in flow style, is written anew.
    """
    faults: list[FileFault] = []
    documents = read_documents(text, "", faults)
    if faults or len(documents) != 1 or not isinstance(documents[0].value, dict):
        return write_document(document)
    if documents[0].plain() == document:
        return text
    lines = text.splitlines()
    patched = "\n".join(_Patch(lines).mapping(documents[0], document, 1, len(lines) + 1)) + "\n"
    # Whatever people have written in ways that are not known here.
    read = read_documents(patched, "", faults)
    is_right = not faults and len(read) == 1 and read[0].plain() == document
    return patched if is_right else write_document(document)


def _write_key(name: str, value: JsonValue) -> str:
    if not isinstance(value, str) or "\n" not in value or not _is_block(value):
        return dump({name: value})
    # YAML's own writer quotes texts with tabs, or with blanks at the end of a line.
    body = value.rstrip("\n")
    behind = len(value) - len(body)
    chomping = ("-", "", "+")[min(behind, 2)]
    lines = [f"  {line}" if line else "" for line in body.split("\n")] + [""] * (behind - 1)
    return "\n".join([f"{name}: |{chomping}", *lines]) + "\n"


def _is_block(text: str) -> bool:
    """Whether a literal block gives the text back, its indentation told by its first line."""
    lines = text.rstrip("\n").split("\n")
    return bool(lines[0].strip() and lines[-1].strip()) and not (
        text[0] in " \t" or _NO_BLOCK.search(text)
    )


class _Patch:
    """The lines of a file, and what becomes of them; lines count from 1, and `end` is behind the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def mapping(self, node: YamlNode, new: Document, start: int, end: int) -> Iterator[str]:
        """The lines of a block mapping that says `new`; kept keys in their order, new ones behind the key before."""
        indent = node.column - 1
        kept = [name for name in node.value if name in new]
        following = _place_new(kept, list(new))
        names = list(node.value)
        starts = [self._head(node.keys[name][0], start, indent) for name in names]
        ends = [*starts[1:], end]
        yield from self._slice(start, starts[0] if starts else end)
        for name, first, last in zip(names, starts, ends, strict=True):
            if name not in new:
                # Its comments go with it, but for those at the end of the file.
                continue
            value, line = node.value[name], node.keys[name][0]
            if value.plain() == new[name]:
                yield from self._slice(first, last)
            else:
                yield from self._slice(first, line)
                yield from self._changed(name, value, new[name], line=line, end=last, indent=indent)
            for added in following.get(name, ()):
                yield from _indented(_write_key(added, new[added]), indent)
        for added in following.get("", ()):
            yield from _indented(_write_key(added, new[added]), indent)

    def _changed(
        self, name: str, value: YamlNode, new: JsonValue, *, line: int, end: int, indent: int
    ) -> Iterator[str]:
        """The lines of a key with another value; what a list keeps stays as it is."""
        items = value.value
        if value.is_block and isinstance(items, list) and isinstance(new, list) and items and new:
            yield self._lines[line - 1]
            yield from self._items(value, new, line + 1, end)
            return
        tail = self._tail(value.line, end, indent)
        written = list(_indented(_write_key(name, new), indent))
        comment = _TRAILING_COMMENT.search(self._lines[line - 1])
        is_simple = not isinstance(items, dict | list) and value.line == line
        if comment and is_simple and (len(written) == 1 or value.is_block):
            written[0] += comment[0]
        yield from written
        yield from self._slice(tail, end)

    def _items(self, node: YamlNode, new: list[JsonValue], start: int, end: int) -> Iterator[str]:
        """The lines of a block list; items that are mappings are known by their name, others by their value."""
        indent = self._lines[node.value[0].line - 1].index("-")
        starts = [self._head(item.line, start, indent) for item in node.value]
        ends = [*starts[1:], end]
        spans: dict[str, tuple[YamlNode | None, int, int]] = {}
        for item, first, last in zip(node.value, starts, ends, strict=True):
            spans.setdefault(_key_of(item.plain()), (item, first, last))
        for value in new:
            item, first, last = spans.pop(_key_of(value), (None, 0, 0))
            if item is None:
                yield from _indented(dump([value]), indent)
            elif item.plain() == value:
                yield from self._slice(first, last)
            elif isinstance(value, dict) and isinstance(item.value, dict) and item.is_block:
                dash = self._lines[item.line - 1]
                yield from self._slice(first, item.line)
                inner = [*self._lines]
                inner[item.line - 1] = dash[:indent] + " " + dash[indent + 1 :]
                patched = list(_Patch(inner).mapping(item, value, item.line, last))
                yield patched[0][:indent] + "-" + patched[0][indent + 1 :]
                yield from patched[1:]
            else:
                yield from _indented(dump([value]), indent)

    def _slice(self, start: int, end: int) -> Sequence[str]:
        return self._lines[start - 1 : end - 1]

    def _head(self, line: int, start: int, indent: int) -> int:
        """The first line of the comments right before a line; deeper ones may be of a script."""
        while line > start and self._indent_of_comment(line - 1) <= indent:
            line -= 1
        return line

    def _tail(self, line: int, end: int, indent: int) -> int:
        """The first of the blank lines and comments before `end`, behind a line."""
        while end > line + 1 and (
            not self._lines[end - 2].strip() or self._indent_of_comment(end - 1) <= indent
        ):
            end -= 1
        return end

    def _indent_of_comment(self, line: int) -> int:
        """Of a line that is one; otherwise more than any."""
        text = self._lines[line - 1]
        bare = text.lstrip()
        return len(text) - len(bare) if bare.startswith("#") else len(text) + 1_000


def _key_of(value: JsonValue) -> str:
    names = (value.get(name) for name in _ITEM_NAMES) if isinstance(value, dict) else ()
    return str(next(filter(None, names), None) or value)


def _place_new(kept: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """New names by the kept one behind which they belong, '' before all."""
    places: dict[str, list[str]] = {}
    before = ""
    for name in names:
        if name in kept:
            before = name
        else:
            places.setdefault(before, []).append(name)
    return places


def _indented(text: str, indent: int) -> Iterator[str]:
    for line in text.splitlines():
        yield " " * indent + line if line else line
