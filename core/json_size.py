"""How many values a JSON text holds, counted without parsing it."""

from json import detect_encoding

# Each value but the first of the whole text comes after one of these.
_MARKS = (b",", b"[", b"{")


def count_marks(piece: bytes) -> int:
    """No less than the number of values that begin in a piece of a text. Fast; counts strings' commas too."""
    return sum(map(piece.count, _MARKS))


class ValueCounter:
    """Counts the values of a text that comes in pieces; the text's first bytes say its encoding.

    Keys and values of an object count as one, and so does an empty list or object, once more. What
    is in strings does not count, unless the text is not in UTF-8.
    """

    def __init__(self, beginning: bytes) -> None:
        self.count = 1
        self._is_utf8 = detect_encoding(beginning[:4]).startswith("utf-8")
        self._quotes = 0
        self._rest = b""

    def add(self, piece: bytes) -> int:
        """An upper bound of the values until here. A piece of 64 KiB takes about half a millisecond."""
        if self._is_utf8:
            piece = (self._rest + piece).replace(rb"\\", b"")
            self._rest = b"\\" if piece.endswith(b"\\") else b""
            parts = piece.replace(rb"\"", b"").split(b'"')
            piece = b"".join(parts[self._quotes % 2 :: 2])
            self._quotes += len(parts) - 1
        self.count += count_marks(piece)
        return self.count
