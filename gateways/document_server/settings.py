"""How the server of a remote data catalogue is reached."""

from dataclasses import dataclass, field

import httpx

from core.errors import ConfigurationError
from core.messages import message


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentServerSettings:
    """One server. `url` is its address, with or without `/api`; `timeout_s` is for a whole call.

    Raises ConfigurationError for a URL that is none and for a token that cannot be sent.
    """

    # Either may hold a secret.
    url: str = field(repr=False)
    token: str = field(default="", repr=False)
    timeout_s: float = 5.0
    connect_timeout_s: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", _complete_url(self.url.strip()))
        token = self.token.strip()
        if not (token.isascii() and token.isprintable()):
            raise ConfigurationError(
                message(
                    "document_server.token_characters",
                    "DOCUMENT_SERVER_TOKEN has characters that no API key has; enter it again",
                )
            )
        object.__setattr__(self, "token", token)


def _complete_url(url: str) -> str:
    """The address of the API, without a slash at its end."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ConfigurationError(
            message(
                "document_server.address",
                "DOCUMENT_SERVER_URL must be the http:// or https:// address of a server"
                " with a data catalogue, as in http://localhost:3002",
            )
        )
    path = parsed.path.rstrip("/").removesuffix("/api")
    return str(parsed.copy_with(path=f"{path}/api", query=None, fragment=None))
