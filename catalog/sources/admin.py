"""The back office of data sources, with their checks and users."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.forms import Media
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters

from access.reader_language import in_language
from catalog.changes import source_changed
from catalog.files.keeping import forget_source
from catalog.models import CheckState, DataSource, KeptCheck, SourceCheck
from catalog.sources.checking import check_sources, store_report
from catalog.sources.environment import find_names, variable_name
from catalog.sources.findings import read_findings, translate_summary
from catalog.sources.forms import FROM_VARIABLE, SECRETS, DataSourceForm
from catalog.sources.states import explain_origin
from catalog.visible_admin import VisibleAdmin
from gateways.engines import KINDS

# Signs beside the words, so that nobody has to tell colours apart.
SIGNS = {
    CheckState.OK: "✓",
    CheckState.WARNING: "!",
    CheckState.UNREACHABLE: "?",
    CheckState.REFUSED: "✕",
}
MESSAGE_LEVELS = {
    CheckState.OK: messages.SUCCESS,
    CheckState.WARNING: messages.WARNING,
    CheckState.UNREACHABLE: messages.WARNING,
    CheckState.REFUSED: messages.ERROR,
}


def _kinds_with(column: str) -> list[str]:
    """The classes, which admin.js reads, of kinds whose rows have this column."""
    return [f"engine-{kind.name}" for kind in KINDS.values() if column not in kind.left_out]


@admin.register(DataSource)
class DataSourceAdmin(VisibleAdmin[DataSource]):
    source_paths = ("pk",)
    form = DataSourceForm
    list_display = ["name", "state", "engine", "address", "username", "users"]
    list_filter = ["engine", "origin", "is_restricted", "last_check__state"]
    list_select_related = ["last_check"]
    search_fields = ["name", "host", "database", "path"]
    readonly_fields = ["state", "defined_by", "created_at", "updated_at"]
    autocomplete_fields = ["allowed_users", "allowed_groups"]
    actions = ["check_selected"]
    save_on_top = True
    change_form_template = "admin/catalog/datasource/change_form.html"
    fieldsets = [
        (None, {"fields": ["state", "defined_by", ("created_at", "updated_at")]}),
        (None, {"fields": [("name", "engine")]}),
        (
            _("Server"),
            {
                "classes": _kinds_with("host"),
                "fields": [("host", "port"), "database", "options"],
            },
        ),
        (
            _("PostgreSQL"),
            {
                "classes": _kinds_with("caller_identity"),
                "fields": ["search_path", "caller_identity"],
            },
        ),
        (
            _("HTTP service"),
            {
                "classes": _kinds_with("server_url"),
                "fields": [
                    "server_url",
                    "allowed_hosts",
                    ("authentication", "authentication_name"),
                    ("token_url", "token_scope"),
                ],
            },
        ),
        (
            _("Sign-in"),
            {
                "classes": _kinds_with("password_reference"),
                "fields": ["username", "new_password", "clear_password", "password_reference"],
            },
        ),
        (
            _("File"),
            {"classes": _kinds_with("path"), "fields": ["path"]},
        ),
        (
            _("Limits"),
            {
                "description": _("Ceilings: a tool may ask for less, never for more."),
                "fields": [
                    ("pool_size", "max_wait_ms"),
                    ("row_limit", "byte_limit", "cell_limit"),
                    ("timeout_ms", "lock_timeout_ms"),
                    ("plan_cost_limit", "checks_cost_at_call"),
                    "prepares_statements",
                ],
            },
        ),
        (_("Who may use it"), {"fields": ["is_restricted", "allowed_users", "allowed_groups"]}),
    ]

    @property
    def media(self) -> Media:
        own = Media(js=["catalog/sources/admin.js"], css={"all": ["catalog/sources/admin.css"]})
        return super().media + own

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.check_view)
        check: URLPattern = path("<int:source_id>/check/", view, name="catalog_datasource_check")
        return [check, *super().get_urls()]

    def get_fieldsets(self, request: HttpRequest, obj: DataSource | None = None) -> Any:
        """Without what the row has no use for: the dates of a new one, the password of a variable's."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None:
            return _without(fieldsets[1:], ["clear_password"])
        if not obj.is_from_environment:
            return _without(fieldsets, [] if obj.password else ["clear_password"])
        own = f"engine-{obj.engine}"
        kept = [entry for entry in fieldsets if own in entry[1].get("classes", (own,))]
        return _without(kept, SECRETS)

    def get_readonly_fields(self, request: HttpRequest, obj: DataSource | None = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return [*fields, *FROM_VARIABLE] if obj and obj.is_from_environment else fields

    def has_delete_permission(self, request: HttpRequest, obj: DataSource | None = None) -> bool:
        """A row of a variable would come back; it can be deleted once the variable is gone."""
        if obj and obj.is_from_environment and obj.name in find_names():
            return False
        return super().has_delete_permission(request, obj)

    @method_decorator(sensitive_post_parameters("new_password"))
    def changeform_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().changeform_view(*args, **kwargs)

    def save_model(self, request: HttpRequest, obj: DataSource, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if form.report is not None:
            self._tell(request, obj, store_report(obj, form.report))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        source_changed(form.instance)

    def delete_model(self, request: HttpRequest, obj: DataSource) -> None:
        with transaction.atomic():
            forget_source(obj)
            super().delete_model(request, obj)
            source_changed(None)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[DataSource]) -> None:
        with transaction.atomic():
            for source in queryset:
                forget_source(source)
            super().delete_queryset(request, queryset)
            source_changed(None)

    def check_view(self, request: HttpRequest, source_id: int) -> HttpResponse:
        """The last check's findings; a POST checks first."""
        source = get_object_or_404(self.get_queryset(request), pk=source_id)
        if request.method == "POST":
            self._check(request, [source])
            return HttpResponseRedirect(_check_url(source))
        if not self.has_view_permission(request, source):
            raise PermissionDenied
        check = SourceCheck.objects.filter(source=source).first()
        context = {
            **self.admin_site.each_context(request),
            "title": _("Connection of %s") % source.name,
            "opts": self.opts,
            "source": source,
            "check": check,
            "findings": [
                {"level": finding.level.value, "text": in_language(finding.message)}
                for finding in (read_findings(check) if check else [])
            ],
            "may_check": self.has_change_permission(request, source),
            "media": self.media,
        }
        return TemplateResponse(request, "admin/catalog/datasource/check.html", context)

    @admin.action(description=_("Check the connections"), permissions=["change"])
    def check_selected(self, request: HttpRequest, sources: QuerySet[DataSource]) -> None:
        rows = list(sources)
        for source, check in zip(rows, self._check(request, rows), strict=True):
            self._tell(request, source, check)

    @admin.display(description=_("address"), ordering="host")
    def address(self, source: DataSource) -> str:
        return source.address

    @admin.display(description=_("users"), ordering="is_restricted")
    def users(self, source: DataSource) -> str:
        return str(_("those named") if source.is_restricted else _("everybody"))

    @admin.display(description=_("defined by"))
    def defined_by(self, source: DataSource) -> str:
        """Where the connection is said, and which variable is ignored for it."""
        return explain_origin(source)

    @admin.display(description=_("last check"), ordering="last_check__state")
    def state(self, source: DataSource) -> str | SafeString:
        """What the last check found, as sign and word; or why there is nothing to check."""
        if source.is_from_environment and source.name not in find_names():
            text = str(_("the variable %s is not set")) % variable_name(source.name)
            return _mark(CheckState.REFUSED, text)
        check: SourceCheck | None = getattr(source, "last_check", None)
        if check is None:
            return str(_("not checked yet"))
        state = CheckState(check.state)
        link = format_html('<a href="{}">{}</a>', _check_url(source), state.label)
        return _mark(state, link, translate_summary(check))

    def _check(self, request: HttpRequest, sources: list[DataSource]) -> list[KeptCheck]:
        for source in sources:
            if not self.has_change_permission(request, source):
                raise PermissionDenied
        checks = check_sources(sources)
        for source, check in zip(sources, checks, strict=True):
            text = _("Checked the connection: %s.") % CheckState(check.state).label
            self.log_change(request, source, str(text))
        return checks

    def _tell(self, request: HttpRequest, source: DataSource, check: KeptCheck) -> None:
        state = CheckState(check.state)
        text = format_html(
            '<a href="{}">{}</a>: {}. {}',
            _check_url(source),
            source.name,
            state.label,
            "" if state is CheckState.OK else translate_summary(check),
        )
        self.message_user(request, text, MESSAGE_LEVELS[state])


def _check_url(source: DataSource) -> str:
    return reverse("admin:catalog_datasource_check", args=[source.pk])


def _mark(state: CheckState, text: str, title: str = "") -> SafeString:
    return format_html(
        '<span class="check {}" title="{}"><span aria-hidden="true">{}</span> {}</span>',
        state.value,
        title,
        SIGNS[state],
        text,
    )


def _without(fieldsets: Any, names: Any) -> Any:
    """The fieldsets without these fields, each of which has a row of its own."""
    return [
        (title, {**options, "fields": [field for field in options["fields"] if field not in names]})
        for title, options in fieldsets
    ]
