"""The form of a data source on its page: the back office's, with fields that need no script."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from catalog.sources.forms import FROM_VARIABLE, OF_SERVICES, SECRETS, DataSourceForm

_CODE_FIELDS = frozenset(
    {
        *("host", "port", "database", "username", "path", "search_path", "options"),
        *("password_reference", "name", "server_url", "authentication_name"),
    }
)
_LIMITS = (
    *("pool_size", "max_wait_ms", "row_limit", "byte_limit", "cell_limit"),
    *("timeout_ms", "lock_timeout_ms"),
)
_PLAIN_WIDGETS = (forms.CheckboxInput, forms.RadioSelect, forms.CheckboxSelectMultiple)


class NamesInput(forms.TextInput):
    """Names between commas, for a field of many."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        text = str(data.get(name, ""))
        return [part.strip() for part in text.replace("\0", "").split(",") if part.strip()]

    def format_value(self, value: Any) -> str:
        return ", ".join(map(str, value or []))


class SourcePageForm(DataSourceForm):
    """The row as `DataSourceForm` judges it; a trial always asks the database."""

    allowed_users = forms.ModelMultipleChoiceField(
        queryset=User.objects.order_by("username"),
        to_field_name="username",
        required=False,
        label=_("Allowed users"),
        help_text=_("User names between commas."),
        widget=NamesInput,
        error_messages={"invalid_choice": _("There is no user %(value)s.")},
    )

    class Meta(DataSourceForm.Meta):
        widgets = {
            **DataSourceForm.Meta.widgets,
            "engine": forms.RadioSelect,
            "allowed_groups": forms.CheckboxSelectMultiple,
        }

    def __init__(self, *args: Any, is_trial: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_trial = is_trial
        if self.instance.is_from_environment:
            self._drop((*FROM_VARIABLE, *SECRETS, *OF_SERVICES))
        elif not self.instance.password:
            self._drop(("clear_password",))
        for name, field in self.fields.items():
            _dress(name, field.widget)

    @property
    def limits_have_errors(self) -> bool:
        """Whether a field of the fold has to be seen."""
        return any(name in self.errors for name in _LIMITS)

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            self.fields.pop(name, None)

    def _needs_check(self) -> bool:
        return self._is_trial or super()._needs_check()


def _dress(name: str, widget: forms.Widget) -> None:
    """Give the widget the classes of these pages in place of the back office's."""
    classes: Mapping[type[forms.Widget], str] = {forms.Textarea: "textarea", forms.Select: "select"}
    if isinstance(widget, forms.RadioSelect):
        widget.attrs["class"] = "visually-hidden"
    elif not isinstance(widget, _PLAIN_WIDGETS):
        plain = next((css for kind, css in classes.items() if isinstance(widget, kind)), "input")
        widget.attrs["class"] = f"{plain} mono" if name in _CODE_FIELDS else plain
        widget.attrs |= {"autocomplete": "off"} | widget.attrs
        widget.attrs["spellcheck"] = "false"
