"""Texts that are bound to a statement: what no engine can hold is refused, and named."""

from core.errors import ArgumentsError
from core.messages import message


def encode_text(name: str, text: str) -> bytes:
    """The value of the parameter `name` in UTF-8. Raises ArgumentsError for a text with NUL or half a character.

    Engines end a text at a NUL, so what follows one would be lost without a word.
    """
    if "\0" in text:
        raise ArgumentsError(
            message(
                "arguments.nul_character", "{name}: must not contain the NUL character", name=name
            )
        )
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentsError(
            message(
                "arguments.half_character",
                "{name}: must not contain half a character (a lone surrogate)",
                name=name,
            )
        ) from error
