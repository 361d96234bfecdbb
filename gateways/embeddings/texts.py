"""Texts as an embedding model can read them, and the requests that carry them."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import EmbeddingError
from core.json_text import encode_json, to_encodable
from core.messages import message
from gateways.embeddings.settings import EmbeddingSettings, TextRole

# A server that takes one request at a time makes every other caller wait for a whole batch.
BATCH_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class PreparedTexts:
    """Texts ready to send, and the indexes of those that were cut."""

    texts: list[str]
    truncated: tuple[int, ...]


def prepare_texts(texts: Sequence[str], max_characters: int) -> PreparedTexts:
    """The texts in composed form (NFC), without characters that end or break them, and cut.

    Raises EmbeddingError, with the position, for a text without content: its vector would be
    noise that is similar to something.
    """
    prepared, truncated = [], []
    for index, text in enumerate(texts):
        # Composing makes a text up to four times shorter; what lies beyond is cut off anyway.
        head = text.strip()[: 4 * max_characters + 1]
        # Models know Hangul as whole syllables: written as letters (NFD, as some file systems give it) a
        # text is as far from itself as from any other. U+0000 ends a text for servers written in C.
        composed = unicodedata.normalize("NFC", str(to_encodable(head)))
        clean = composed.replace("\0", " ").strip()
        if not clean:
            raise EmbeddingError(
                message(
                    "embedding.text_empty",
                    "text {number} of {count} is empty; leave it out, or give it words",
                    number=index + 1,
                    count=len(texts),
                )
            )
        if len(clean) > max_characters or len(head) > 4 * max_characters:
            truncated.append(index)
        prepared.append(clean[:max_characters])
    return PreparedTexts(prepared, tuple(truncated))


def make_batches(texts: Sequence[str], batch_size: int) -> Iterator[Sequence[str]]:
    """All texts in order: at most `batch_size` and BATCH_CHARACTERS in each, but at least one."""
    first, characters = 0, 0
    for index, text in enumerate(texts):
        is_full = index - first == batch_size or characters + len(text) > BATCH_CHARACTERS
        if is_full and index > first:
            yield texts[first:index]
            first, characters = index, 0
        characters += len(text)
    if first < len(texts):
        yield texts[first:]


def request_body(texts: Sequence[str], role: TextRole, settings: EmbeddingSettings) -> bytes:
    """The JSON that asks for the vectors of a batch."""
    prefix = f"{role}: " if settings.role_style == "prefix" else ""
    request: dict[str, Any] = {
        "model": settings.model,
        "input": [prefix + text for text in texts],
        "encoding_format": "float",
    }
    if settings.role_style == "input_type":
        request["input_type"] = role.value
    return encode_json(request)
