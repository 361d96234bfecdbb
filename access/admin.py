"""The back office of people, keys, calls, runtimes and the audit trail; the last three can only be read."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from access.allowed_tools import every_tool
from access.audit import Actor, actor_of, describe_key, key_target, record_event
from access.keys import change_key, create_key, revoke_key, revoke_keys_of
from access.models import (
    ApiKey,
    AuditAction,
    AuditEvent,
    AuditPlace,
    CallRecord,
    RuntimeInstance,
)
from access.views.gates import user_of
from access.visibility import hidden_tools

admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(UserAdmin[User]):
    """Django's own; the keys of a deleted person are revoked."""

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        revoke_keys_of([obj], _actor(request))
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        revoke_keys_of(queryset, _actor(request))
        super().delete_queryset(request, queryset)


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
            revoke_key(key, _actor(request))
        self.message_user(request, _("The keys were revoked."), messages.SUCCESS)

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        if change:
            change_key(obj, _actor(request))
            return
        token = create_key(obj, _actor(request)).token
        text = _("The key's token, shown only now: {}")
        self.message_user(request, format_html("{}", str(text).format(token)), messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: ApiKey) -> None:
        self._record_deleted(request, [obj])
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        self._record_deleted(request, queryset.select_related("owner"))
        super().delete_queryset(request, queryset)

    def _record_deleted(self, request: HttpRequest, keys: Iterable[ApiKey]) -> None:
        for key in keys:
            event = AuditAction.KEY_DELETED, key_target(key), describe_key(key)
            record_event(_actor(request), *event)


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
        "last_seen_at",
    ]


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "action", "target_name", "target_id", "place", "address"]
    list_filter = ["action", "place", "at"]
    search_fields = ["actor", "target_name", "target_id"]
    show_full_result_count = False


def _actor(request: HttpRequest) -> Actor:
    return actor_of(request, AuditPlace.BACK_OFFICE)
