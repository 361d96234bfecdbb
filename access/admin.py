"""The back office of people, keys, calls and runtimes; the last two can only be read."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from access.allowed_tools import every_tool
from access.keys import create_key, revoke_key
from access.models import ApiKey, CallRecord, RuntimeInstance
from access.views.gates import user_of
from access.visibility import hidden_tools


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin[ApiKey]):
    list_display = ["name", "key_id", "owner", "valid", "expires_at", "last_used_at"]
    search_fields = ["name", "key_id"]
    list_select_related = ["owner"]
    readonly_fields = ["key_id", "created_at", "revoked_at", "last_used_at"]
    actions = ["revoke"]

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> Any:
        """A new key's read-only fields have no values yet; the database will fill them."""
        fields = super().get_fields(request, obj)
        return fields if obj else [name for name in fields if name not in self.readonly_fields]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"allowed_tools": every_tool(), **super().get_changeform_initial_data(request)}

    @admin.display(boolean=True, description=_("valid"))
    def valid(self, key: ApiKey) -> bool:
        return key.is_valid

    @admin.action(description=_("Revoke the selected keys"))
    def revoke(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        for key in keys:
            revoke_key(key)
        self.message_user(request, _("The keys were revoked."), messages.SUCCESS)

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        token = create_key(obj).token
        text = _("The key's token, shown only now: {}")
        self.message_user(request, format_html("{}", str(text).format(token)), messages.WARNING)


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """Rows with a life of their own: shown, never edited."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # There is nothing to select here, as Django's own title says.
        title = capfirst(self.opts.verbose_name_plural)
        return super().changelist_view(request, {"title": title, **(extra_context or {})})


@admin.register(CallRecord)
class CallRecordAdmin(ReadOnlyAdmin):
    list_display = ["at", "tool_name", "caller", "outcome", "row_count", "duration"]
    list_filter = ["outcome", "at"]
    search_fields = ["tool_name", "caller", "key_id"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[CallRecord]:
        hidden = hidden_tools(user_of(request))
        return super().get_queryset(request).exclude(tool_name__in=hidden)

    @admin.display(description=_("duration, ms"), ordering="duration_ms")
    def duration(self, call: CallRecord) -> str:
        return f"{call.duration_ms:.1f}"


@admin.register(RuntimeInstance)
class RuntimeInstanceAdmin(ReadOnlyAdmin):
    list_display = [
        "__str__",
        "version",
        "revision",
        "tool_count",
        "quarantined_count",
        "dropped_calls",
        "last_seen_at",
    ]
