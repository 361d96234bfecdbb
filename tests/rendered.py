"""What a page says, wherever the lines of its template break."""

from typing import Any


def text_of(response: Any) -> str:
    """The HTML of a response, with one space for every run of white space."""
    return " ".join(response.content.decode().split())
