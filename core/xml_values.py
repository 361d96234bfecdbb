"""XML as a JSON value, of which paths and expressions can keep a part."""

from itertools import chain
from xml.etree import ElementTree

from core.json_text import MAX_LEVELS
from core.toolspec import JsonValue

_TEXT, _ATTRIBUTE = "#text", "@"
# Each costs a microsecond or two and up to 100 bytes, of which the length of a text says little.
MAX_MARKS = 500_000
# Other threads run between pieces; of one long token, each piece is read again from the token's start.
_PIECE_CHARACTERS = 200_000


class _Builder(ElementTree.TreeBuilder):
    """Elements of a document without a DOCTYPE."""

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        # It could declare entities, of which a few lines make gigabytes.
        raise ValueError("a document type is not read")


def read_xml(text: str) -> JsonValue:
    """An object with the name of the root and what is in it. Raises ValueError with the reason.

    An element is an object of its attributes, as `@name`, and of the elements in it, those of one name a
    list; its own text is `#text`. One with neither is its text, and null if it is empty. Prefixes of
    namespaces are left out.
    """
    if text.count("<") + text.count("=") > MAX_MARKS:
        raise ValueError(f"it has more than {MAX_MARKS:,} tags and attributes")
    parser = ElementTree.XMLParser(target=_Builder())  # noqa: S314 - it declares no entities
    try:
        for start in range(0, len(text), _PIECE_CHARACTERS):
            parser.feed(text[start : start + _PIECE_CHARACTERS])
        root = parser.close()
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from error
    return {_local(root.tag): _to_value(root, MAX_LEVELS)}


def _to_value(element: ElementTree.Element, levels: int) -> JsonValue:
    if not levels:
        raise ValueError(f"it has more than {MAX_LEVELS} levels")
    value: dict[str, JsonValue] = {
        _ATTRIBUTE + _local(name): text for name, text in element.items()
    }
    lists: set[str] = set()
    for child in element:
        name, part = _local(child.tag), _to_value(child, levels - 1)
        if name in lists:
            value[name].append(part)
        elif name in value:
            value[name] = [value[name], part]
            lists.add(name)
        else:
            value[name] = part
    texts = chain([element.text], (child.tail for child in element))
    text = "".join(filter(None, texts)).strip()
    if not value:
        return text or None
    return {**value, _TEXT: text} if text else value


def _local(name: str) -> str:
    return name.rpartition("}")[2]
