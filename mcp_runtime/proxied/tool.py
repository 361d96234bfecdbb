"""A tool of another MCP server as the runtime serves it: the same surface as a compiled tool."""

from collections.abc import Mapping
from typing import Any

from core.bindings import NOBODY, CallerFacts
from core.execution import QuerySources
from core.proxied import ProxiedAnswer, ProxiedChecks, ProxiedSpec
from mcp_runtime.proxied.servers import ProxiedServers


class ProxiedTool:
    """One accepted tool of another server."""

    __slots__ = ("_checks", "_servers", "spec")

    def __init__(self, spec: ProxiedSpec, servers: ProxiedServers) -> None:
        """Raises DefinitionError for a tool that could not be served."""
        self.spec = spec
        self._checks = ProxiedChecks(spec)
        self._servers = servers

    @property
    def input_schema(self) -> dict[str, Any]:
        """As it was accepted."""
        return self.spec.accepted.input_schema

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """As it was accepted; None where the tool promises no structured content."""
        return self.spec.accepted.output_schema

    def validate(
        self, arguments: Mapping[str, object], _facts: CallerFacts = NOBODY
    ) -> Mapping[str, object]:
        """The arguments, unchanged. Raises ArgumentsError."""
        return self._checks.check_arguments(arguments)

    async def run(
        self,
        values: Mapping[str, object],
        _sources: QuerySources,
        caller: str = "",
    ) -> ProxiedAnswer:
        """The server's answer. Raises ToolboxError with a text for the agent."""
        link = self._servers.get(self.spec.server)
        return self._checks.read_answer(await link.call(self.spec, values, caller))
