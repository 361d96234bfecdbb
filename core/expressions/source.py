"""The text of an expression or a script: parsed within its limits, and the offsets of its nodes."""

import ast
import re
from typing import ClassVar

from core.errors import ExpressionError
from core.messages import Message, message
from core.toolspec import EXPRESSION

DEPTH_LIMIT = 90

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


class Source:
    """A text of one kind of logic; `logic` is its name in errors."""

    logic: ClassVar[Message] = EXPRESSION
    byte_limit = 4_096
    node_limit = 600

    def __init__(self, text: str) -> None:
        self.text = text
        self._margin = len(text) - len(text.lstrip())

    def parse(self) -> list[ast.stmt]:
        """The statements, however many; raises ExpressionError."""
        self._check_text()
        try:
            return self.read_body()
        except SyntaxError as error:
            reason = (error.msg or "invalid syntax").split(" (")[0]
            offset = self._line_start(error.lineno or 1) + max((error.offset or 1) - 1, 0)
            raise ExpressionError(
                message(
                    "logic.syntax",
                    "this is not a Python {logic}: {reason}",
                    logic=self.logic,
                    reason=reason,
                ),
                min(offset, len(self.text)),
            ) from None
        except (RecursionError, MemoryError):
            raise ExpressionError(
                message(
                    "logic.nested_too_deeply", "the {logic} is nested too deeply", logic=self.logic
                )
            ) from None
        except ValueError:
            raise ExpressionError(
                message(
                    "logic.unreadable", "the {logic} cannot be read as Python", logic=self.logic
                )
            ) from None

    def read_body(self) -> list[ast.stmt]:
        """What Python reads, whatever the text is indented by."""
        return ast.parse(self.text[self._margin :]).body

    def locate(self, node: ast.AST) -> int:
        """The 0-based offset of the node in the text."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        start = self._line_start(line)
        line_text = self.text[start:].encode()[:column].decode(errors="ignore")
        return start + len(line_text)

    def _line_start(self, line: int) -> int:
        offset = self._margin
        for _ in range(line - 1):
            found = _LINE.match(self.text, offset)
            offset = found.end() if found else offset
        return offset

    def _check_text(self) -> None:
        try:
            size = len(self.text.encode())
        except UnicodeEncodeError as error:
            raise ExpressionError(
                message(
                    "logic.half_character", "the {logic} holds half a character", logic=self.logic
                ),
                error.start,
            ) from error
        if size > self.byte_limit:
            raise ExpressionError(
                message(
                    "logic.too_long",
                    "the {logic} has {size} bytes; the limit is {limit}",
                    logic=self.logic,
                    size=size,
                    limit=self.byte_limit,
                )
            )
        if "\0" in self.text:
            raise ExpressionError(
                message("logic.nul", "the {logic} holds a NUL character", logic=self.logic),
                self.text.index("\0"),
            )

    def check_size(self, *nodes: ast.AST) -> None:
        """Raises ExpressionError if the trees are together too large, or one is too deep."""
        level: list[ast.AST] = [*nodes]
        count = depth = 0
        while level:
            count, depth = count + len(level), depth + 1
            if count > self.node_limit:
                raise ExpressionError(
                    message(
                        "logic.too_large",
                        "the {logic} is too large: more than {limit} parts",
                        logic=self.logic,
                        limit=self.node_limit,
                    )
                )
            if depth > DEPTH_LIMIT:
                raise ExpressionError(
                    message(
                        "logic.nested_too_deeply",
                        "the {logic} is nested too deeply",
                        logic=self.logic,
                    ),
                    self.locate(level[0]),
                )
            level = [child for node in level for child in ast.iter_child_nodes(node)]
