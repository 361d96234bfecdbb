"""Asking a service whether it is up, without any library."""

import http.client
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 2.0


def answers_http(host: str, port: int, path: str) -> bool:
    """True once the service answers, with anything but a fault of its own.

    A proxy in the environment is not asked. Being refused, for the host's name for example, is an
    answer.
    """
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", path, headers={"Host": "127.0.0.1"})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@dataclass
class LogWatch:
    """Whether a service has written `text` into its log since the mark."""

    log: Path
    text: str
    offset: int = 0

    def mark(self) -> None:
        """Forget what the log says until now."""
        self.offset = self.log.stat().st_size if self.log.exists() else 0

    def says(self) -> bool:
        """True once the text is there."""
        if not self.log.exists():
            return False
        with self.log.open("rb") as file:
            # A log that became too large was emptied meanwhile.
            file.seek(self.offset if self.offset <= self.log.stat().st_size else 0)
            return self.text.encode() in file.read()
