"""Where a $ref of a document leads: inside the same document only, never endless."""

from collections.abc import Mapping
from typing import Any

from core.errors import ToolboxError
from core.ingest.escapes import unescape
from core.ingest.texts import shown
from core.messages import message

_TEXTS = ("summary", "description")
_EMPTY: Mapping[str, Any] = {}


class ReferenceFaultError(ToolboxError):
    """A $ref that leads nowhere; the text names it."""


class References:
    """The targets of a document's references, each looked up once."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._targets: dict[str, Mapping[str, Any]] = {}

    def follow(self, node: object) -> Mapping[str, Any]:
        """The object that the node is or leads to; a summary or description beside a $ref wins.

        Raises ReferenceFaultError; what is no object counts as an empty one.
        """
        if not isinstance(node, Mapping):
            return _EMPTY
        texts: dict[str, Any] = {}
        seen: set[str] = set()
        while isinstance(reference := node.get("$ref"), str):
            texts = {key: node[key] for key in _TEXTS if key in node} | texts
            if reference in seen:
                raise ReferenceFaultError(
                    message(
                        "openapi.reference_loop",
                        "the reference {reference} leads to itself",
                        reference=shown(reference),
                    )
                )
            seen.add(reference)
            node = self.target(reference)
        return {**node, **texts} if texts else node

    def target(self, reference: str) -> Mapping[str, Any]:
        """The object one step behind the reference. Raises ReferenceFaultError."""
        if (known := self._targets.get(reference)) is not None:
            return known
        if not reference.startswith("#"):
            raise ReferenceFaultError(
                message(
                    "openapi.reference_outside",
                    "the reference {reference} leads out of the document; put its target under"
                    " components and refer to it as #/components/...",
                    reference=shown(reference),
                )
            )
        node: Any = self._document
        # A JSON pointer, RFC 6901, in a fragment of a URI.
        for part in unescape(reference[1:]).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping):
                node = node.get(key)
            else:
                is_index = isinstance(node, list) and key.isdecimal() and len(key) < 7
                node = node[int(key)] if is_index and int(key) < len(node) else None
        if not isinstance(node, Mapping):
            raise ReferenceFaultError(
                message(
                    "openapi.reference_nowhere",
                    "the reference {reference} leads to nothing in the document",
                    reference=shown(reference),
                )
            )
        self._targets[reference] = node
        return node
