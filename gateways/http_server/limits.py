"""What the clients of one server may hold of it."""

from dataclasses import dataclass, fields
from typing import Self

from core.errors import ConfigurationError
from core.messages import message


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Limits of one server process. Raises ConfigurationError for one that is not above 0.

    `head_timeout_s` counts from the first byte of a request to the end of its head, `body_timeout_s`
    from there to its last byte, `idle_timeout_s` while nothing of a request has come. An answer may
    take as long as it takes. `max_head_bytes` is for the request line and all headers;
    `max_body_bytes` is for any address, which may take less.
    """

    head_timeout_s: int = 10
    body_timeout_s: int = 120
    idle_timeout_s: int = 30
    max_head_bytes: int = 65_536
    max_body_bytes: int = 67_108_864
    max_connections: int = 4_096

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise ConfigurationError(
                    message(
                        "http_server.limit_positive",
                        "HTTP_{name} must be above 0",
                        name=field.name.upper(),
                    )
                )

    @classmethod
    def read(cls, settings: object) -> Self:
        """From attributes `HTTP_HEAD_TIMEOUT_S` and so on."""
        return cls(**{f.name: getattr(settings, f"HTTP_{f.name.upper()}") for f in fields(cls)})
