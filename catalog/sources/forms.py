"""The forms of a data source in the back office and on its page."""

import re
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from access.encryption import seal
from access.reader_language import in_language
from catalog.models import Authentication, DataSource, SourceCheck
from catalog.sources.checking import inspect_source, select_faults
from catalog.sources.connections import address_rules
from catalog.sources.models import unused_by
from catalog.sources.services import find_allowable_host
from core.errors import ConfigurationError
from gateways.check_report import ConnectionReport
from gateways.engine import SERVICE_COLUMNS
from gateways.engines import find_engine, find_kind

# What the variable says of a data source that it defines, and what only a row of a form has.
FROM_VARIABLE = ("name", "engine", "path", "host", "port", "database", "username", "options")
OF_SERVICES = (*SERVICE_COLUMNS, "allowed_hosts")
SECRETS = ("new_password", "clear_password", "password_reference")
# What + / and = become in an address: data.go.kr shows each key in both forms.
_ESCAPED = re.compile("%2[BF]|%3D", re.IGNORECASE)
# A change of one of these may make an unsafe source of a safe one.
_CHECKED = frozenset(
    {
        *("engine", "path", "host", "port", "database", "username", "password_reference"),
        *("options", "search_path", "pool_size", "new_password", "clear_password"),
        "caller_identity",
        *OF_SERVICES,
    }
)
_ONE_LINE = (
    *("path", "host", "database", "username", "password_reference", "search_path"),
    *("server_url", "authentication_name", "token_url", "token_scope", "allowed_hosts"),
)
_DESTINATION = ("engine", "host", "port", "username", "server_url", "token_url")
_CODE_FIELDS = frozenset(
    {
        *("host", "port", "database", "username", "path", "search_path", "options"),
        "caller_identity",
        *("password_reference", "name", "server_url", "authentication_name", "allowed_hosts"),
        *("token_url", "token_scope"),
    }
)
_LIMITS = (
    *("pool_size", "max_wait_ms", "row_limit", "byte_limit", "cell_limit"),
    *("timeout_ms", "lock_timeout_ms", "plan_cost_limit"),
)


class DataSourceForm(forms.ModelForm[DataSource]):
    """A row that its engine can use; `report` is what the database said, None if it was not asked.

    `allowable_host` is the host inside that would have to be allowed for the service, '' if that is not it.
    """

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
    allowable_host = ""

    class Meta:
        model = DataSource
        exclude: list[str] = []
        widgets = {
            **dict.fromkeys(_ONE_LINE, AdminTextInputWidget),
            "options": AdminTextareaWidget({"rows": 2, "spellcheck": "false"}),
            "caller_identity": AdminTextareaWidget({"rows": 3, "spellcheck": "false"}),
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
        if "options" in self.fields:
            self.fields["options"].help_text = _(
                'As in {"sslmode": "verify-full", "sslrootcert": "ca.pem", "time_zone": "Asia/Seoul"}:'
                " keywords of libpq, with files of CREDENTIALS_DIR, and where days begin, otherwise in UTC."
            )
        if "search_path" in self.fields:
            self.fields["search_path"].help_text = _(
                "Schemas in which names without a schema are looked up, between commas; in double"
                " quotes where a name has capitals."
            )
        if "port" in self.fields:
            self.fields["port"].required = False
            self.fields["port"].help_text = _("Empty: the usual one of the engine.")
            if self.instance._state.adding:
                self.initial["port"] = None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("new_password") and cleaned.get("clear_password"):
            self.add_error("clear_password", _("Either enter a password or remove it."))
        if cleaned.get("new_password") and cleaned.get("password_reference"):
            self.add_error("new_password", _("Give either a password or a reference, not both."))
        # The page hides them.
        unused = unused_by(str(cleaned.get("authentication")))
        cleaned |= dict.fromkeys(unused & self.fields.keys(), "")
        is_in_address = cleaned.get("authentication") == Authentication.QUERY
        if is_in_address and _ESCAPED.search(str(cleaned.get("new_password") or "")):
            text = _(
                "This key is escaped already. Enter it with its + / and =; it is escaped when it is sent."
            )
            self.add_error("new_password", text)
        return cleaned

    def clean_port(self) -> int:
        """The port, where none is given the one at which servers of the chosen engine listen."""
        usual = find_engine(str(self.data.get("engine", ""))).default_port
        return int(self.cleaned_data["port"] or usual or self.instance.port)

    def clean_allowed_hosts(self) -> str:
        """The hosts, each one that the operator lets be allowed, or that was allowed before."""
        text = str(self.cleaned_data["allowed_hosts"])
        given = DataSource(allowed_hosts=text).allowed_host_names
        ceiling = address_rules().allowed_hosts
        above = {
            host
            for host in given - self.instance.allowed_host_names
            if ceiling.isdisjoint({host, host.rpartition(":")[0] or host})
        }
        if above:
            raise forms.ValidationError(
                _("%(hosts)s: not within the setting HTTP_ALLOWED_HOSTS, which the operator sets."),
                params={"hosts": ", ".join(sorted(above))},
            )
        return text

    def _post_clean(self) -> None:
        """Judge the row that the fields make, which is there only now."""
        super()._post_clean()  # type: ignore[misc]  # unknown to django-stubs
        if self.errors:
            return
        if not self.instance.is_from_environment:
            self._store_password()
        if not self.errors and self._needs_check():
            self.report = inspect_source(self.instance)
            for fault in select_faults(self.report):
                self.add_error(None, in_language(fault.message))
            if self.errors and self.instance.is_service:
                self.allowable_host = find_allowable_host(self.instance)

    def _store_password(self) -> None:
        """Put the password into the row, or keep the stored one where it may be kept."""
        source = self.instance
        if self.cleaned_data.get("clear_password") or not source.has_password:
            source.password = ""
        elif secret := self.cleaned_data["new_password"]:
            try:
                source.password = seal(secret, source.password_identity())
            except ConfigurationError as error:
                self.add_error("new_password", in_language(error))
        elif self._had_password and source.password_reference:
            self.add_error(
                "password_reference", _("Remove the stored password to use a reference.")
            )
        elif self._had_password and self._read_destination() != self._destination:
            text = _("Enter the password again: the stored one was meant for another host or role.")
            self.add_error("new_password", text)

    def _needs_check(self) -> bool:
        if self.instance.pk is None or _CHECKED.intersection(self.changed_data):
            return True
        # A saved row may be unsafe all the same: other programs write rows too.
        last = SourceCheck.objects.filter(source=self.instance).first()
        return last is None or bool(last.refusal)

    def _read_destination(self) -> tuple[Any, ...]:
        return tuple(getattr(self.instance, name) for name in _DESTINATION)


class NamesInput(forms.TextInput):
    """Names between commas, for a field of many."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        text = str(data.get(name, ""))
        return [part.strip() for part in text.replace("\0", "").split(",") if part.strip()]

    def format_value(self, value: Any) -> str:
        # A row gives them in no order.
        return ", ".join(sorted(map(str, value or [])))


class KindRadios(forms.RadioSelect):
    """Each kind with the columns that mean nothing for it; sources.css hides these."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        option["attrs"]["data-left-out"] = " ".join(sorted(find_kind(str(value)).left_out))
        return option


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
            "engine": KindRadios,
            "allowed_groups": forms.CheckboxSelectMultiple,
        }

    def __init__(self, *args: Any, is_trial: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_trial = is_trial
        unused: tuple[str, ...] = () if self.instance.password else ("clear_password",)
        if self.instance.is_from_environment:
            unused = (*FROM_VARIABLE, *SECRETS, *OF_SERVICES)
        for name in unused:
            self.fields.pop(name, None)
        for name, field in self.fields.items():
            _dress(name, field.widget)

    @property
    def limits_have_errors(self) -> bool:
        """Whether a field of the fold has to be seen."""
        return any(name in self.errors for name in _LIMITS)

    def _needs_check(self) -> bool:
        return self._is_trial or super()._needs_check()


def _dress(name: str, widget: forms.Widget) -> None:
    """Give the widget the classes of these pages in place of the back office's."""
    if isinstance(widget, forms.RadioSelect):
        widget.attrs["class"] = "visually-hidden"
    elif not isinstance(widget, forms.CheckboxInput | forms.CheckboxSelectMultiple):
        plain = "input"
        if isinstance(widget, forms.Textarea | forms.Select):
            plain = "textarea" if isinstance(widget, forms.Textarea) else "select"
        widget.attrs["class"] = f"{plain} mono" if name in _CODE_FIELDS else plain
        widget.attrs |= {"autocomplete": "off"} | widget.attrs
        widget.attrs["spellcheck"] = "false"
