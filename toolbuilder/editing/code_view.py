"""A tool's logic as coloured text; parameters stand out, nothing is left unescaped."""

import keyword
import re
from collections.abc import Collection

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from core.statements.keywords import RESERVED
from tools.models import ToolType

_SQL = (
    r"(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<text>'(?:[^']|'')*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)"
)
_PYTHON = r"""(?P<comment>\#[^\n]*)|(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
_KINDS = ("comment", "text", "parameter", "keyword")


def color_logic(text: str, tool_type: str, names: Collection[str]) -> SafeString:
    """HTML of the text with a class for each comment, text, parameter of these names and keyword."""
    pattern = _compile(tool_type, names)
    pieces: list[str] = []
    copied = 0
    for match in pattern.finditer(text):
        kind = next(kind for kind in _KINDS if match[kind] is not None)
        piece = format_html('<span class="code-{}">{}</span>', kind, match[0])
        pieces += conditional_escape(text[copied : match.start()]), piece
        copied = match.end()
    pieces.append(conditional_escape(text[copied:]))
    return mark_safe("".join(pieces))  # noqa: S308 - each piece is escaped above


def _compile(tool_type: str, names: Collection[str]) -> re.Pattern[str]:
    # The longest first: no name is taken for a shorter one that it begins with.
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"(?!)"
    if tool_type == ToolType.SQL:
        parameter = rf"(?<![:\w]):(?:{known})\b|\{{\{{\s*(?:{known})\s*\}}\}}"
        words, flags, start = RESERVED, re.DOTALL | re.IGNORECASE, _SQL
    else:
        parameter = rf"(?<![\w.])(?:{known})\b"
        words, flags, start = frozenset(keyword.kwlist), re.DOTALL, _PYTHON
    listed = "|".join(sorted(words))
    return re.compile(rf"{start}|(?P<parameter>{parameter})|(?P<keyword>\b(?:{listed})\b)", flags)
