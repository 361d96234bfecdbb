"""Two states of a tool's logic beside each other, line by line, with what changed inside a line marked."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from toolbuilder.editing.code_view import color_logic
from toolbuilder.history.differences import LineKind, TextLine, compare_lines
from toolbuilder.models import ReviewComment
from tools.definitions import ToolDocument

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
# A line of which less is the same is another line.
_ALIKE = 0.4


@dataclass(frozen=True, slots=True)
class SideLine:
    """A line of one side; `number` counts from 1."""

    number: int
    html: SafeString


@dataclass(slots=True)
class SideRow:
    """A line of each side, None where that side has none. `is_first` begins a run of changed rows."""

    old: SideLine | None
    new: SideLine | None
    is_changed: bool = False
    is_first: bool = False
    threads: list[ReviewComment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """All rows, and how many lines came and went."""

    rows: tuple[SideRow, ...]
    added: int
    removed: int

    @property
    def is_changed(self) -> bool:
        return bool(self.added or self.removed)


def lay_side_by_side(old: ToolDocument, new: ToolDocument) -> SideBySide:
    """The logic of both; a changed line stands beside the one that it was."""
    lines = tuple(compare_lines(old.definition, new.definition))
    painters = _Painter(old), _Painter(new)
    rows = tuple(_pair(lines, *painters))
    return SideBySide(
        rows=rows,
        added=sum(line.kind is LineKind.ADDED for line in lines),
        removed=sum(line.kind is LineKind.REMOVED for line in lines),
    )


class _Painter:
    """Colours lines of a tool's logic."""

    def __init__(self, tool: ToolDocument) -> None:
        self._kind = tool.tool_type
        self._names: Collection[str] = [row.param_name for row in tool.parameters]

    def color(self, text: str) -> SafeString:
        return color_logic(text, self._kind, self._names)

    def line(self, line: TextLine | None, number: int | None, other: str) -> SideLine | None:
        """The line, with the words marked that `other`, the line beside it, does not have."""
        if line is None or number is None:
            return None
        words, others = _WORD.findall(line.text), _WORD.findall(other)
        matcher = SequenceMatcher(None, others, words, autojunk=False)
        if not other or matcher.ratio() < _ALIKE:
            return SideLine(number, self.color(line.text))
        pieces = []
        for tag, _start, _end, start, end in matcher.get_opcodes():
            piece = self.color("".join(words[start:end]))
            pieces.append(piece if tag == "equal" else format_html("<mark>{}</mark>", piece))
        return SideLine(number, mark_safe("".join(pieces)))  # noqa: S308 - each piece is escaped


def _pair(lines: Sequence[TextLine], old: _Painter, new: _Painter) -> Iterator[SideRow]:
    """Removed lines beside the added ones that follow them."""
    removed: list[TextLine] = []
    added: list[TextLine] = []
    for line in [*lines, None]:
        if line is not None and line.kind is LineKind.REMOVED:
            removed.append(line)
        elif line is not None and line.kind is LineKind.ADDED:
            added.append(line)
        else:
            is_first = True
            for before, after in zip_longest(removed, added):
                yield SideRow(
                    old.line(
                        before, before.old_number if before else None, after.text if after else ""
                    ),
                    new.line(
                        after, after.new_number if after else None, before.text if before else ""
                    ),
                    is_changed=True,
                    is_first=is_first,
                )
                is_first = False
            removed, added = [], []
            if line is not None:
                text = new.color(line.text)
                yield SideRow(
                    SideLine(line.old_number or 0, text), SideLine(line.new_number or 0, text)
                )
