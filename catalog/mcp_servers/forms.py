"""The form of another MCP server: its token can be written, never read; its address is judged."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextInputWidget
from django.utils.translation import gettext_lazy as _

from access.encryption import seal
from access.reader_language import in_language
from catalog.mcp_servers.settings import to_mcp_settings
from catalog.models import McpServer
from catalog.sources.models import unused_by
from core.errors import ConfigurationError
from core.messages import Message

LIMITS = ("timeout_ms", "byte_limit", "max_calls")
SIGN_IN = (
    *("token_reference", "authentication", "authentication_name"),
    *("client_id", "token_url", "token_scope"),
)
_FIELDS = ("name", "server_url", *SIGN_IN, *LIMITS, "is_active")


class McpServerForm(forms.ModelForm[McpServer]):
    """A row that could be called; nothing is sent to the server."""

    new_token = forms.CharField(
        label=_("Token"),
        required=False,
        strip=False,
        max_length=4_000,
        widget=forms.PasswordInput(
            attrs={"autocomplete": "new-password", "class": "vTextField"}, render_value=False
        ),
    )
    clear_token = forms.BooleanField(label=_("Remove the stored token"), required=False)

    class Meta:
        model = McpServer
        fields = _FIELDS
        widgets = dict.fromkeys({"server_url", *SIGN_IN} - {"authentication"}, AdminTextInputWidget)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._had_token = bool(self.instance.token)
        self._identity = self.instance.token_identity()
        self.fields["name"].disabled = self.instance.pk is not None
        if not self._had_token:
            del self.fields["clear_token"]
        self.fields["new_token"].help_text = (
            _("A token is set. Empty keeps it; it cannot be read again.")
            if self._had_token
            else _("No token is set. It is stored encrypted and cannot be read again.")
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("new_token") and cleaned.get("clear_token"):
            self.add_error("clear_token", _("Either enter a token or remove it."))
        if cleaned.get("new_token") and cleaned.get("token_reference"):
            self.add_error("new_token", _("Give either a token or a reference, not both."))
        if cleaned.get("clear_token"):
            self.instance.token = ""
        # The page hides them.
        cleaned |= dict.fromkeys(unused_by(str(cleaned.get("authentication"))), "")
        return cleaned

    def _post_clean(self) -> None:
        """Judge the row that the fields make, which is there only now."""
        super()._post_clean()  # type: ignore[misc]  # unknown to django-stubs
        if self.errors:
            return
        row = self.instance
        if secret := self.cleaned_data.get("new_token"):
            try:
                row.token = seal(secret, row.token_identity())
            except ConfigurationError as error:
                self.add_error("new_token", in_language(error))
        elif row.token and row.token_identity() != self._identity:
            text = _("Enter the token again: the stored one was meant for another address.")
            self.add_error("new_token", text)
        if self.errors:
            return
        try:
            to_mcp_settings(row)
        except ConfigurationError as error:
            # What is wrong with the address is said beside it.
            reason = error.message.values.get("reason")
            if error.message.code == "http.server_url" and isinstance(reason, Message):
                self.add_error("server_url", in_language(reason))
            else:
                self.add_error(None, in_language(error))
