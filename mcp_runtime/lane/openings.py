"""What the server says of itself, which is the same for everybody and written once for each version."""

from functools import cache
from typing import Any

from fastmcp.server.low_level import LowLevelServer
from mcp.server.connection import Connection
from mcp.server.runner import ServerRunner
from mcp_types import DiscoverResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from core.json_text import encode_json

_ABOUT: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "", "version": ""}}


class Openings:
    """The results of `initialize` and `server/discover`, as the SDK writes them."""

    def __init__(self, server: LowLevelServer) -> None:
        self._server = server
        self.initialize, self.discover = cache(self._initialize), cache(self._discover)

    def _initialize(self, version: str) -> bytes:
        runner = self._runner(version)
        result = runner._handle_initialize(_ABOUT | {"protocolVersion": version})
        return encode_json(runner._serialize("initialize", version, result))

    def _discover(self, version: str) -> bytes:
        result = DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=self._server.get_capabilities(protocol_version=version),
            instructions=self._server.instructions,
        )
        return encode_json(self._runner(version)._serialize("server/discover", version, result))

    def _runner(self, version: str) -> ServerRunner[Any]:
        return ServerRunner(self._server, Connection.from_envelope(version, None, None), None)
