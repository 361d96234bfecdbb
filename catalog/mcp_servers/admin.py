"""The back office of other MCP servers: how they are reached and what they are; their tools have a page."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters

from catalog.mcp_servers.forms import LIMITS, SIGN_IN, McpServerForm
from catalog.models import McpServer, McpTool, ServerState

_SIGNS = {ServerState.REACHABLE: "✓", ServerState.UNREACHABLE: "✕", ServerState.UNKNOWN: "?"}


@admin.register(McpServer)
class McpServerAdmin(admin.ModelAdmin[McpServer]):
    """How a server is reached; its health is shown as last seen, without a request."""

    form = McpServerForm
    list_display = ["name", "health", "server_url", "is_active", "unreachable_since", "read_at"]
    list_filter = ["state", "is_active"]
    search_fields = ["name", "server_url"]
    readonly_fields = ["health", "unreachable_since", "checked_at", "read_at", "server_info"]

    def get_fieldsets(self, request: HttpRequest, obj: McpServer | None = None) -> Any:
        """Without the health of a new one, and without the removal of a token that is not there."""
        token = ["new_token", *(["clear_token"] if obj and obj.token else []), *SIGN_IN]
        fieldsets: list[Any] = [
            (None, {"fields": ["name", "server_url", "is_active"]}),
            (_("Sign-in"), {"fields": token}),
            (_("Limits"), {"fields": [LIMITS]}),
        ]
        return [(None, {"fields": self.readonly_fields}), *fieldsets] if obj else fieldsets

    @method_decorator(sensitive_post_parameters("new_token"))
    def changeform_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().changeform_view(*args, **kwargs)

    @admin.display(description=_("state"), ordering="state")
    def health(self, server: McpServer) -> SafeString:
        """A sign and a word, and what is wrong."""
        state = ServerState(server.state)
        return format_html(
            '<span title="{}"><span aria-hidden="true">{}</span> {}</span>',
            server.trouble,
            _SIGNS[state],
            state.label,
        )


@admin.register(McpTool)
class McpToolAdmin(admin.ModelAdmin[McpTool]):
    """To look at; tools are accepted and switched on their server's page."""

    list_display = ["name", "server", "is_active", "is_changed", "gone_at", "accepted_by"]
    list_filter = ["server", "is_active"]
    list_select_related = ["server"]
    search_fields = ["name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[McpTool]:
        return super().get_queryset(request).select_related("server")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: McpTool | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: McpTool | None = None) -> bool:
        """Only with the server."""
        return request.resolver_match is not None and "mcpserver" in str(
            request.resolver_match.url_name
        )

    @admin.display(description=_("changed"), boolean=True)
    def is_changed(self, tool: McpTool) -> bool:
        return tool.has_changed
