"""The arguments of a call as words of a command line: `region=KR`, `limit=5`, `ids:=[1, 2]`."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable

from core.errors import ArgumentsError
from core.toolspec import JsonValue, ParameterSpec


def read_arguments(
    words: Iterable[str], parameters: Iterable[ParameterSpec]
) -> dict[str, JsonValue]:
    """The arguments by name. Raises ArgumentsError for a word that is none.

    `name=value` is text where the parameter is, else JSON if it can be read so; `name:=value` is JSON.
    """
    texts = {spec.name for spec in parameters if "string" in spec.type.kind.json_types}
    return dict(_read_argument(word, texts) for word in words)


def read_claims(words: Iterable[str]) -> dict[str, JsonValue]:
    """Claims of a key, written as arguments are; `name=value` is text."""
    pairs = [word.partition("=")[0].removesuffix(":") for word in words]
    return dict(_read_argument(word, set(pairs)) for word in words)


def _read_argument(word: str, texts: set[str]) -> tuple[str, JsonValue]:
    name, sign, value = word.partition("=")
    if not sign or not name.removesuffix(":"):
        raise ArgumentsError(f"write arguments as name=value or name:=JSON (got {word[:80]!r})")
    is_json = name.endswith(":")
    if name in texts:
        return name, value
    try:
        return name.removesuffix(":"), json.loads(value)
    except ValueError as error:
        if not is_json:
            return name, value
        raise ArgumentsError(f"{name}= must be followed by JSON (got {value[:80]!r})") from error


def add_without_review(parser: ArgumentParser) -> None:
    """Declare the operator's way past a review."""
    parser.add_argument(
        "--without-review",
        default="",
        metavar="REASON",
        help="publish also what somebody else should approve; the reason is kept with each version",
    )
