"""What the caller of `manage.py up` has chosen."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

EVERY_ADDRESS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared, not bound
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Options:
    """The command's options; `outside` is the environment, whose variables win."""

    data_dir: Path
    host: str = "127.0.0.1"
    port_web: int = 3002
    port_mcp: int = 3003
    has_demo: bool = True
    outside: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def reachable_host(self) -> str:
        """The address to use from this machine, without brackets."""
        return "127.0.0.1" if self.host in EVERY_ADDRESS else self.host

    @property
    def web_url(self) -> str:
        """The web side."""
        return f"http://{self._host_in_url}:{self.port_web}"

    @property
    def mcp_url(self) -> str:
        """The MCP server."""
        return f"http://{self._host_in_url}:{self.port_mcp}/mcp"

    @property
    def _host_in_url(self) -> str:
        host = self.reachable_host
        return f"[{host}]" if ":" in host else host

    def is_set(self, variable: str) -> bool:
        """True if the environment has it, or its file; an empty value counts as unset, as in config/env.py."""
        return bool(self.outside.get(variable) or self.outside.get(f"{variable}_FILE"))
