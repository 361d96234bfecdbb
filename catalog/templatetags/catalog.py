"""What the catalogue's templates need beside Django's own: found words, labels, addresses."""

import re

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from access.list_addresses import ListState
from catalog.browsing.addresses import source_name_of
from catalog.browsing.listing import KINDS
from catalog.browsing.related import RELATION_LABELS
from catalog.exchange.plan import Value
from core.catalogue.entries import RelationType, TableKind

register = template.Library()

TEXT_LABELS = {
    "display_name": _("Display name"),
    "description": _("Description"),
    "tags": _("Tags"),
    "notes": _("Notes"),
    "masked": _("Masked in samples"),
}
_WORDS_MARKED = 16


@register.filter
def marked(text: str, query: str) -> SafeString:
    """The text, escaped, with the words of the query in <mark>."""
    words = [re.escape(word) for word in query.split()[:_WORDS_MARKED]]
    if not words:
        return conditional_escape(text)
    # The odd parts are what the one group of the pattern found.
    parts = re.split(f"({'|'.join(words)})", text, flags=re.IGNORECASE)
    pieces = [
        format_html("<mark>{}</mark>", part) if number % 2 else conditional_escape(part)
        for number, part in enumerate(parts)
    ]
    return format_html_join("", "{}", ((piece,) for piece in pieces))


@register.filter
def breakable(name: SafeString) -> SafeString:
    """The name, whose line is broken behind a _ where it has to be."""
    return SafeString(name.replace("_", "_<wbr>"))


@register.filter
def shortened(text: str, characters: int) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text[: 2 * characters].split())
    return line if len(line) <= characters else f"{line[:characters].rstrip()}…"


@register.simple_tag
def list_address(state: ListState, **changes: str | int) -> str:
    """The address of the list with these changes."""
    return state.address(**changes)


@register.filter
def kind_label(kind: str) -> str:
    """What people call a kind of table."""
    return str(KINDS[TableKind(kind)])


@register.filter
def relation_label(relation_type: str) -> str:
    """What people call a kind of relation."""
    return str(RELATION_LABELS[RelationType(relation_type)])


@register.filter
def text_label(name: str) -> str:
    """What people call a text of a table or column."""
    return str(TEXT_LABELS[name])


@register.filter
def is_there(value: Value) -> bool:
    """Whether a value of an import says anything; False does."""
    return value is False or bool(value)


@register.filter
def plain_value(value: Value) -> str:
    """A value of an import as people read it."""
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    return ", ".join(value) if isinstance(value, list) else value or ""


register.filter("source_label", source_name_of)
