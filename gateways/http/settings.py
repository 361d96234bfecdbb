"""How one HTTP service is reached."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import ConfigurationError, EditError
from core.ingest.addresses import AddressRules, WebAddress, parse_web_address
from core.ingest.openapi_parameters import HEADER_NAME
from core.messages import message
from gateways.fair_queue import DEFAULT_MAX_WAIT_MS

CONNECT_TIMEOUT_S = 5.0
SECRET_MISSING = message(
    "http.secret_missing",
    "the secret of the service is missing; give it as a password or a reference",
)
HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


@dataclass(frozen=True, kw_only=True)
class ClientCredentials:
    """Who asks for an access token (OAuth 2.0, RFC 6749), and where.

    What stands behind a ? of `token_url` goes into the form, as audience=... does.
    """

    token_url: str
    client_id: str
    secret: str = field(repr=False)
    scope: str = ""


@dataclass(frozen=True, kw_only=True)
class HttpSettings:
    """An address, what may be called, and credentials, which are sent nowhere else.

    `headers` and `query` go with every request and win over a tool's own; `named_secrets` are those that
    headers of a tool name; `secrets` are what must never stand in an answer. With `client` requests bear an access token, which is asked for at its
    URL, under the same rules. `byte_limit` and `timeout_ms` are ceilings for every tool. A caller waits at most `max_wait_ms` for a connection.
    """

    server_url: str
    rules: AddressRules = field(default_factory=AddressRules)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    named_secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    client: ClientCredentials | None = None
    pool_size: int = 4
    max_wait_ms: int = DEFAULT_MAX_WAIT_MS
    byte_limit: int = 10_000_000
    timeout_ms: int = 30_000

    @property
    def address(self) -> WebAddress:
        """The address in its parts. Raises ConfigurationError for one that may not be called."""
        try:
            found = parse_web_address(self.server_url, self.rules)
        except EditError as error:
            raise ConfigurationError(
                message(
                    "http.server_url",
                    "the service's address cannot be called: {reason}",
                    reason=error.message,
                )
            ) from error
        if "?" in found.target:
            raise ConfigurationError(
                message(
                    "http.server_url_query",
                    "the service's address has to end before a ? and what follows it; a key there is given as"
                    " the secret or token that goes into a parameter of the address",
                )
            )
        return found

    @property
    def of_tokens(self) -> "HttpSettings | None":
        """How the tokens are asked for. Raises ConfigurationError for an address that may not be called."""
        if self.client is None:
            return None
        found = HttpSettings(
            server_url=self.client.token_url.partition("?")[0],
            rules=self.rules,
            secrets=(self.client.secret,),
            pool_size=1,
        )
        try:
            _ = found.address
        except ConfigurationError as error:
            reason = error.message.values.get("reason", error.message)
            raise ConfigurationError(
                message("http.token_url", "the token URL cannot be called: {reason}", reason=reason)
            ) from error
        return found

    def check(self) -> None:
        """Raise ConfigurationError, which holds no secret, where a request could not be made."""
        _ = self.address, self.of_tokens
        if self.client and not self.client.secret:
            raise ConfigurationError(SECRET_MISSING)
        for name, value in (*self.headers, *self.named_secrets.items()):
            if not HEADER_NAME.fullmatch(name):
                raise ConfigurationError(
                    message(
                        "http.header_form",
                        "{name} is no name of a header, as X-API-Key is",
                        name=f"{name!r:.60}",
                    )
                )
            if not HEADER_VALUE.fullmatch(value):
                raise ConfigurationError(
                    message(
                        "http.secret_form",
                        "the secret cannot be sent: it has to be printable ASCII on one line",
                    )
                )
