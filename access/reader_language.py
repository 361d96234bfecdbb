"""Messages in the language of the reader of the page; agents and programs take their English, `str()`."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.translation import gettext, ngettext, trans_real

from core.errors import ToolboxError
from core.messages import Message, from_json

register = template.Library()


@register.filter
def in_language(text: Message | ToolboxError | Mapping[str, object] | str) -> str:
    """The text in the active language, in English if it has no translation; a plain one as it is.

    A mapping is a stored message, as `to_json` made it.
    """
    match text:
        case ToolboxError():
            return text.message.render(_find_template)
        case Mapping():
            message = from_json(text)
            return message.render(_find_template) if message else ""
        case Message():
            return text.render(_find_template)
    return text


def to_columns(name: str, text: Message | None) -> dict[str, Any]:
    """The columns of a stored message: its English text, and the message itself for pages."""
    if text is None:
        return {name: "", f"{name}_message": None}
    return {name: str(text), f"{name}_message": None if text.is_foreign else text.to_json()}


@register.filter
def stored_text(row: object, name: str) -> str:
    """What `to_columns` stored in the row's columns, in the active language."""
    message = from_json(getattr(row, f"{name}_message"))
    return in_language(message) if message else str(getattr(row, name))


def templates_with(text: str) -> list[str]:
    """The English templates whose translation into the active language has the text, in any case of letters."""
    wanted = text.casefold()
    translations = trans_real.catalog()._catalog  # type: ignore[attr-defined]
    # The key of a plural is a pair.
    found = {
        key if isinstance(key, str) else key[0]
        for key, translated in translations.items()
        if wanted in translated.casefold()
    }
    return sorted(found)


def _find_template(text: Message) -> str:
    count = text.values.get("count")
    if text.plural and isinstance(count, int):
        return ngettext(text.template, text.plural, count)
    # Of an empty text gettext gives the head of its catalogue.
    return gettext(text.template) if text.template else ""
