"""The back office of tools: every column, with the same checks that serving makes."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from access.reader_language import in_language, stored_text
from catalog.jobs import send_job
from catalog.sources.settings import read_sources
from catalog.visible_admin import VisibleAdmin
from core.errors import DataSourceError, DeadlineExceededError, DefinitionError, RedCasesError
from toolbuilder.cases.gate import require_green
from toolbuilder.editing.publishing import REFRESH_USES, set_all_active
from toolbuilder.exchange.ownership import is_owned_by_files
from toolbuilder.history.versions import OUTSIDE, VersionEntry, record_version
from toolbuilder.models import ToolCase, VersionOrigin
from toolbuilder.reviews.rules import explain_need, find_reviewing, tag_texts
from toolbuilder.search_lab.questions import rename_expected
from tools.aliases import rename_in_access
from tools.definitions import ToolDocument
from tools.models import QuarantinedTool, ToolDefinition, ToolParameter
from tools.running import check_tool
from tools.specs import build_spec
from tools.uses.usage import read_tables_used


class ParameterFormSet(
    BaseInlineFormSet[ToolParameter, ToolDefinition, forms.ModelForm[ToolParameter]]
):
    """Parameters are judged together with the tool's logic: neither is right without the other."""

    author: ClassVar[str] = ""
    unjudged: str = ""

    def clean(self) -> None:
        super().clean()
        if any(self.errors) or not self.instance.definition:
            return
        try:
            sources = read_sources()
            kept = (form for form in self.forms if not form.cleaned_data.get("DELETE"))
            rows = [form.instance for form in kept if form.cleaned_data]
            rows.sort(key=lambda row: row.position)
            spec = build_spec(self.instance, rows, sources.dialects)
            try:
                check_tool(spec, sources, self.author)
            except (DataSourceError, DeadlineExceededError) as error:
                self.unjudged = in_language(error)
            if self.instance.pk:
                cases = list(ToolCase.objects.of(self.instance, None))
                snapshot = ToolDocument.of_row(self.instance, rows)
                require_green(cases, snapshot, sources, self.author)
        except DefinitionError as error:
            raise ValidationError(in_language(error)) from error
        except RedCasesError as error:
            name = ToolDefinition.objects.values_list("name", flat=True).get(pk=self.instance.pk)
            way = format_html(
                '<a href="{}">{}</a>',
                reverse("tool", args=[name]),
                _("Only the editor publishes although a case is red, with a reason that stays."),
            )
            raise ValidationError([in_language(error), way]) from error


class ToolForm(forms.ModelForm[ToolDefinition]):
    """Widgets that fit what is written in them."""

    def clean(self) -> dict[str, Any]:
        """Refuse a tool whose changes are reviewed: what is saved here is served at once."""
        given = super().clean() or self.cleaned_data
        name, tags = given.get("name") or "", given.get("tags") or ()
        stored = self.instance if self.instance.pk else None
        toolsets = find_reviewing(stored, ToolDocument(name=name, tags=tuple(tag_texts(tags))))
        if toolsets:
            raise ValidationError(in_language(explain_need(toolsets)))
        return given

    class Meta:
        widgets = {
            "name": AdminTextInputWidget,
            "title": AdminTextInputWidget,
            "description_agent": AdminTextareaWidget({"rows": 4}),
            "description_user": AdminTextareaWidget({"rows": 2}),
            "definition": AdminTextareaWidget(
                {"rows": 14, "class": "logic", "spellcheck": "false"}
            ),
            "annotations": AdminTextareaWidget({"rows": 2}),
            "tags": AdminTextareaWidget({"rows": 2}),
        }


class ParameterForm(forms.ModelForm[ToolParameter]):
    """As ToolForm, for a parameter."""

    class Meta:
        widgets = {
            "param_name": AdminTextInputWidget,
            "description": AdminTextareaWidget({"rows": 2}),
            "default": AdminTextInputWidget,
            "example": AdminTextInputWidget,
            "allowed_values": AdminTextareaWidget({"rows": 2}),
            "minimum": AdminTextInputWidget({"class": "bound"}),
            "maximum": AdminTextInputWidget({"class": "bound"}),
            "pattern": AdminTextInputWidget,
            "bound_value": AdminTextInputWidget,
        }


class ParameterInline(admin.StackedInline[ToolParameter, ToolDefinition]):
    model = ToolParameter
    form = ParameterForm
    formset = ParameterFormSet
    extra = 0
    fieldsets = [
        (None, {"fields": [("param_name", "param_type", "is_required"), "description"]}),
        (
            _("More"),
            {
                "classes": ["collapse"],
                "fields": [
                    ("position", "nullable"),
                    ("default", "example"),
                    "allowed_values",
                    ("minimum", "maximum", "pattern"),
                    ("binding", "bound_value"),
                ],
            },
        ),
    ]

    def get_formset(self, *args: Any, **kwargs: Any) -> type[ParameterFormSet]:
        """A class of this request, which knows who saves."""
        request: HttpRequest = args[0]
        formset = super().get_formset(*args, **kwargs)
        return type("FormSet", (formset,), {"author": request.user.get_username()})


@admin.register(ToolDefinition)
class ToolDefinitionAdmin(VisibleAdmin[ToolDefinition]):
    source_paths = ("data_source",)
    form = ToolForm
    list_display = ["name", "tool_type", "data_source", "active", "state", "updated_at"]
    list_filter = [
        "tool_type",
        ("is_active", admin.BooleanFieldListFilter),
        ("data_source", admin.RelatedOnlyFieldListFilter),
    ]
    search_fields = ["name", "description_agent", "description_user", "definition"]
    list_select_related = ["data_source", "quarantine"]
    readonly_fields = [
        "state",
        "uses",
        "version",
        "reg_dt",
        "created_by",
        "updated_at",
        "updated_by",
    ]
    save_on_top = True
    inlines = [ParameterInline]
    actions = ["activate", "deactivate"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "state",
                    "uses",
                    "version",
                    ("reg_dt", "created_by", "updated_at", "updated_by"),
                ]
            },
        ),
        (None, {"fields": [("name", "is_active"), "description_agent", "description_user"]}),
        (_("Logic"), {"fields": [("tool_type", "data_source"), "definition"]}),
        (_("Result"), {"fields": [("result_format", "row_limit", "byte_limit", "timeout_ms")]}),
        (_("Rest"), {"fields": [("breaker_errors", "breaker_minutes")]}),
        (_("Plan"), {"fields": ["plan_cost_limit"]}),
        (
            _("More"),
            {
                "classes": ["collapse"],
                "fields": ["title", "annotations", "tags", "record_arguments"],
            },
        ),
    ]

    def has_change_permission(
        self, request: HttpRequest, obj: ToolDefinition | None = None
    ) -> bool:
        """Not of a tool that is owned by files."""
        is_owned = obj is not None and is_owned_by_files(obj)
        return not is_owned and super().has_change_permission(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: ToolDefinition | None = None) -> Any:
        """A new tool has neither a state nor dates; the database will fill them."""
        fieldsets = super().get_fieldsets(request, obj)
        return fieldsets if obj else fieldsets[1:]

    @admin.display(boolean=True, description=_("active"), ordering="is_active")
    def active(self, tool: ToolDefinition) -> bool:
        return bool(tool.is_active)

    @admin.display(description=_("state"))
    def state(self, tool: ToolDefinition) -> str:
        """Why an active tool is not served, or that it is."""
        if not tool.is_active:
            return str(_("archived") if tool.archived_at else _("inactive"))
        try:
            return str(_("quarantined: %s")) % stored_text(tool.quarantine, "reason")
        except QuarantinedTool.DoesNotExist:
            return str(_("served"))

    @admin.display(description=_("uses"))
    def uses(self, tool: ToolDefinition) -> str:
        """Tables and columns that the statement names, and what of them is gone."""
        used = read_tables_used(tool)
        lines = [(f"{use.table}: {', '.join(use.columns)}".rstrip(": "),) for use in used]
        complaints = [(complaint,) for use in used for complaint in use.complaints]
        return format_html_join("", "<div>{}</div>", [*lines, *complaints]) or "–"

    @admin.action(description=_("Activate the selected tools"))
    def activate(self, request: HttpRequest, tools: QuerySet[ToolDefinition]) -> None:
        self._update(request, tools, is_active=True)

    @admin.action(description=_("Deactivate the selected tools"))
    def deactivate(self, request: HttpRequest, tools: QuerySet[ToolDefinition]) -> None:
        self._update(request, tools, is_active=False)

    def save_model(
        self, request: HttpRequest, obj: ToolDefinition, form: Any, change: bool
    ) -> None:
        obj.updated_by = request.user.get_username()
        if change:
            record_version(obj, OUTSIDE)
            if "name" in form.changed_data:
                rename_in_access(form.initial["name"], obj.name)
                rename_expected(form.initial["name"], obj.name)
        else:
            obj.created_by = obj.updated_by
        super().save_model(request, obj, form, change)

    def save_related(
        self, request: HttpRequest, form: Any, formsets: Iterable[Any], change: bool
    ) -> None:
        formsets = list(formsets)
        super().save_related(request, form, formsets, change)
        complaints = [getattr(formset, "unjudged", "") for formset in formsets]
        entry = VersionEntry(
            origin=VersionOrigin.SAVED,
            author=form.instance.updated_by,
            is_judged=not any(complaints),
        )
        record_version(form.instance, entry)
        transaction.on_commit(lambda: send_job(REFRESH_USES), robust=True)
        for unjudged in filter(None, complaints):
            text = _("Saved, but the statement was not checked: %s")
            self.message_user(request, str(text) % unjudged, messages.WARNING)

    def _update(
        self, request: HttpRequest, tools: QuerySet[ToolDefinition], *, is_active: bool
    ) -> None:
        ids = list(tools.values_list("pk", flat=True))
        username = request.user.get_username()
        count = len(set_all_active(ids, is_active=is_active, username=username))
        text = ngettext("%d tool was changed.", "%d tools were changed.", count)
        self.message_user(request, text % count, messages.SUCCESS)
