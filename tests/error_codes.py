"""The codes of every message in the source with their English texts; run, it writes their table."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("access", "catalog", "core", "gateways", "mcp_runtime", "toolbuilder", "tools")
PAGE = ROOT / "docs/reference/errors.md"
HEADING = "| code | text |\n|---|---|\n"


def calls_of(names: set[str], folders: tuple[str, ...] = FOLDERS) -> Iterator[tuple[str, ast.Call]]:
    """The calls of functions with these names, and where they are."""
    for place, call in _read_calls():
        if call.func.id in names and place.partition("/")[0] in folders:  # type: ignore[attr-defined]
            yield place, call


@cache
def _read_calls() -> list[tuple[str, ast.Call]]:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        (f"{path.relative_to(ROOT)}:{call.lineno}", call)
        for path in paths
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    ]


def templates_in(call: ast.Call) -> list[str]:
    """The template of a message, or its two for one and for many; none if it is not written out."""
    match call.args:
        case [_, ast.Constant(value=str(text)), *_]:
            return [text]
        case [_, ast.Call(args=[ast.Constant(value=str(one)), ast.Constant(value=str(many))]), *_]:
            return [one, many]
    return []


def read_codes() -> dict[str, set[str]]:
    """The English texts by code; more than one text for a code is a mistake."""
    found: dict[str, set[str]] = {}
    for _place, call in calls_of({"message"}):
        match call.args:
            case [ast.Constant(value=str(code)), *_]:
                found.setdefault(code, set()).add(templates_in(call)[-1])
    return found


def make_table() -> str:
    """The codes as the documentation lists them."""
    rows = (f"| `{code}` | {_cell(min(texts))} |\n" for code, texts in sorted(read_codes().items()))
    return HEADING + "".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


if __name__ == "__main__":
    page = PAGE.read_text()
    PAGE.write_text(page[: page.index(HEADING)] + make_table())
