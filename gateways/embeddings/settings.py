"""How an embedding server is reached and how its model wants texts."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import httpx

from core.errors import ConfigurationError
from core.messages import message

RoleStyle = Literal["auto", "input_type", "prefix", "none"]

_E5 = re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])", re.IGNORECASE)
_VERSION = re.compile(r"v\d+[a-z0-9]*", re.IGNORECASE)


# What a server must embed in a second. The embedded model does 380 (English and Korean alike) on two cores
# that 14 programs share, and 126 of emoji, each of which is a token.
SLOWEST_CHARACTERS_PER_S = 200
# A question of this length is embedded within the time of any request.
FREE_CHARACTERS = 500


class TextRole(StrEnum):
    """What a text is for; some models embed a question and what answers it differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """One model on one server. `url` is a base URL, `.../v1` or the full `.../embeddings`.

    Without url or model there is no server, and every call says so. `role_style` is never "auto"
    afterwards: see `choose_role_style`. `dimension` None takes what the server gives. One request
    carries at most `batch_size` texts; of each text the first `max_characters` are embedded. A
    request may take, with its repetitions, `timeout_s` and, beyond FREE_CHARACTERS,
    `timeout_per_1000_characters_s`; a whole call, its waiting included, `total_timeout_s`. At most
    `max_requests` of each role are under way. Raises ConfigurationError for a URL that is none and
    for a key that cannot be sent.
    """

    # Either may hold a password.
    url: str = field(repr=False)
    model: str
    api_key: str = field(default="", repr=False)
    role_style: RoleStyle = "auto"
    dimension: int | None = None
    batch_size: int = 32
    max_characters: int = 1_000
    connect_timeout_s: float = 1.5
    timeout_s: float = 2.0
    timeout_per_1000_characters_s: float = 1_000 / SLOWEST_CHARACTERS_PER_S
    total_timeout_s: float = 60.0
    max_requests: int = 4

    def __post_init__(self) -> None:
        if self.url:
            object.__setattr__(self, "url", complete_url(self.url))
        # Without the blanks and line ends that come with pasting or with a file.
        key = self.api_key.strip()
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError(
                message(
                    "embedding.key_characters",
                    "TEXT_EMBEDDING_API_KEY has characters that no key has; enter it again",
                )
            )
        object.__setattr__(self, "api_key", key)
        for name in ("batch_size", "max_characters", "timeout_s"):
            if getattr(self, name) <= 0:
                raise ConfigurationError(
                    message(
                        "embedding.setting_positive",
                        "TEXT_EMBEDDING_{name} must be above 0",
                        name=name.upper(),
                    )
                )
        if self.role_style == "auto":
            object.__setattr__(self, "role_style", choose_role_style(self.model))

    def request_timeout_s(self, characters: int) -> float:
        """Seconds that one request with texts of so many characters may take."""
        thousands = max(0, characters - FREE_CHARACTERS) / 1_000
        return self.timeout_s + self.timeout_per_1000_characters_s * thousands

    @property
    def is_complete(self) -> bool:
        """Whether there is a server to ask."""
        return bool(self.url and self.model)


def complete_url(url: str) -> str:
    """The address that texts are posted to, from any of the forms people paste.

    A path that ends with `/embeddings` is kept, one that ends with a version gets `/embeddings`,
    any other `/v1/embeddings`; a query string stays. Raises ConfigurationError for no HTTP URL.
    """
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ConfigurationError(
            message(
                "embedding.address",
                "TEXT_EMBEDDING_MODEL_URL must be the http:// or https:// address of an"
                " OpenAI-compatible server, as in http://localhost:8080/v1/embeddings",
            )
        )
    path = parsed.path.rstrip("/")
    last = path.rpartition("/")[2]
    if last != "embeddings":
        path += "/embeddings" if _VERSION.fullmatch(last) else "/v1/embeddings"
    return str(parsed.copy_with(path=path, fragment=None))


def choose_role_style(model: str) -> Literal["prefix", "none"]:
    """How a model of this name learns the role of a text from a server that knows no roles itself.

    E5 models were trained with "query: " and "passage: " before each text; their "instruct"
    variants, BGE-M3 and OpenAI's were not.
    """
    is_plain_e5 = _E5.search(model) and "instruct" not in model.lower()
    return "prefix" if is_plain_e5 else "none"
