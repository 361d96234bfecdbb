"""What people may write of tables and columns: one form of each text, and its bounds."""

import re
import unicodedata
from collections.abc import Collection

from core.errors import EditError
from core.messages import message

# Characters of each text.
LIMITS = {
    "display_name": 200,
    "description": 5_000,
    "notes": 20_000,
    "join_condition": 2_000,
    "tag": 50,
}
MAX_TAGS = 50
_ONE_LINE = frozenset({"display_name", "join_condition", "tag"})
_LINE_END = re.compile(r"\r\n?|[\x85\u2028\u2029]")
# What parts tags in files.
_TAG_SEPARATOR = re.compile(r"[;|]")
_SPACES = re.compile(r"\s+")
# PostgreSQL keeps no U+0000, half a surrogate has no UTF-8, and nobody sees the others.
_BROKEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def clean_text(field: str, text: str) -> str:
    """The text as it is kept: NFC, line ends as LF, no white space at either end.

    Names and join conditions become one line. Raises EditError for what is too long, and for
    characters that cannot be kept.
    """
    if broken := _BROKEN.search(text):
        raise EditError(
            message(
                "edit.character",
                "{field} holds the character U+{code}, which cannot be kept; leave it out",
                field=field,
                code=f"{ord(broken.group()):04X}",
            )
        )
    cleaned = normal_form(field, text)
    if len(cleaned) > LIMITS[field]:
        raise EditError(
            message(
                "edit.too_long",
                "{field} has {count} characters; at most {limit} are kept",
                field=field,
                count=len(cleaned),
                limit=LIMITS[field],
            )
        )
    return cleaned


def normal_form(field: str, text: str) -> str:
    """The form in which `clean_text` keeps a text, whatever it holds."""
    cleaned = unicodedata.normalize("NFC", _LINE_END.sub("\n", text)).strip()
    return _SPACES.sub(" ", cleaned) if field in _ONE_LINE else cleaned


def clean_tags(names: Collection[str]) -> list[str]:
    """The tags in their order, without empty ones and those that differ only in case.

    Raises EditError as `clean_text` does, for ; and | in a tag, and for more than 50 tags.
    """
    cleaned = (clean_text("tag", name) for name in names)
    tags = {fold_tag(name): name for name in reversed(list(filter(None, cleaned)))}
    if parted := [name for name in tags.values() if _TAG_SEPARATOR.search(name)]:
        raise EditError(
            message("edit.tag_marks", "a tag holds no ; and no |: {tag}", tag=parted[0])
        )
    if len(tags) > MAX_TAGS:
        raise EditError(
            message(
                "edit.too_many_tags",
                "a table has at most {limit} tags, not {count}",
                limit=MAX_TAGS,
                count=len(tags),
            )
        )
    return list(reversed(tags.values()))


def fold_tag(name: str) -> str:
    """What two spellings of the same tag have in common."""
    return unicodedata.normalize("NFKC", name).casefold()
