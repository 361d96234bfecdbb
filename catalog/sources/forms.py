"""The form of a data source: its password can be written, never read, and it is checked before it is saved."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.utils.translation import gettext_lazy as _

from access.reader_language import in_language
from catalog.encryption import seal
from catalog.models import DataSource, Engine, SourceCheck
from catalog.sources.checking import inspect_source, select_faults
from catalog.sources.finding_texts import translate
from core.errors import ConfigurationError
from gateways.checks.report import ConnectionReport

# What the variable says of a data source that it defines, and what only a row of a form has.
FROM_VARIABLE = ("name", "engine", "path", "host", "port", "database", "username", "options")
OF_SERVICES = ("server_url", "authentication", "authentication_name")
SECRETS = ("new_password", "clear_password", "password_reference")
# A change of one of these may make an unsafe source of a safe one.
_CHECKED = frozenset(
    {
        *("engine", "path", "host", "port", "database", "username", "password_reference"),
        *("options", "search_path", "pool_size", "new_password", "clear_password"),
        *OF_SERVICES,
    }
)
_ONE_LINE = (
    *("path", "host", "database", "username", "password_reference", "search_path"),
    *("server_url", "authentication_name"),
)
_DESTINATION = ("engine", "host", "port", "username", "server_url")


class DataSourceForm(forms.ModelForm[DataSource]):
    """A row that its engine can use; `report` is what the database said, None if it was not asked."""

    new_password = forms.CharField(
        label=_("Password"),
        required=False,
        strip=False,
        max_length=1_000,
        widget=forms.PasswordInput(
            attrs={"autocomplete": "new-password", "class": "vTextField"}, render_value=False
        ),
    )
    clear_password = forms.BooleanField(label=_("Remove the stored password"), required=False)

    report: ConnectionReport | None = None

    class Meta:
        model = DataSource
        exclude: list[str] = []
        widgets = {
            **dict.fromkeys(_ONE_LINE, AdminTextInputWidget),
            "options": AdminTextareaWidget({"rows": 2, "spellcheck": "false"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._had_password = bool(self.instance.password)
        self._destination = self._read_destination()
        self.fields["new_password"].help_text = (
            _("A password is set. Empty keeps it; it cannot be read again.")
            if self._had_password
            else _("No password is set. It is stored encrypted and cannot be read again.")
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("new_password") and cleaned.get("clear_password"):
            self.add_error("clear_password", _("Either enter a password or remove it."))
        if cleaned.get("new_password") and cleaned.get("password_reference"):
            self.add_error("new_password", _("Give either a password or a reference, not both."))
        return cleaned

    def _post_clean(self) -> None:
        """Judge the row that the fields make, which is there only now."""
        super()._post_clean()  # type: ignore[misc]  # unknown to django-stubs
        if self.errors:
            return
        if not self.instance.is_from_environment:
            self._store_password()
        if not self.errors and self._needs_check():
            self._check()

    def _store_password(self) -> None:
        """Put the password into the row, or keep the stored one where it may be kept."""
        source = self.instance
        if self.cleaned_data.get("clear_password") or source.engine == Engine.SQLITE:
            source.password = ""
        elif secret := self.cleaned_data["new_password"]:
            self._seal(secret)
        elif self._had_password and source.password_reference:
            self.add_error(
                "password_reference", _("Remove the stored password to use a reference.")
            )
        elif self._had_password and self._read_destination() != self._destination:
            text = _("Enter the password again: the stored one was meant for another host or role.")
            self.add_error("new_password", text)

    def _seal(self, secret: str) -> None:
        try:
            self.instance.password = seal(secret, self.instance.password_identity())
        except ConfigurationError as error:
            self.add_error("new_password", in_language(error))

    def _needs_check(self) -> bool:
        if self.instance.pk is None or _CHECKED.intersection(self.changed_data):
            return True
        # A saved row may be unsafe all the same: other programs write rows too.
        last = SourceCheck.objects.filter(source=self.instance).first()
        return last is None or bool(last.refusal)

    def _check(self) -> None:
        self.report = inspect_source(self.instance)
        for fault in select_faults(self.report):
            self.add_error(None, translate(fault))

    def _read_destination(self) -> tuple[Any, ...]:
        return tuple(getattr(self.instance, name) for name in _DESTINATION)
