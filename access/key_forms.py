"""The form of a new key."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from access.claims import check_claims
from access.keys import IssuedKey, issue_key

MAX_TOOLS = 1_000
_LIFETIMES = (
    ("90", _("90 days")),
    ("30", _("30 days")),
    ("365", _("1 year")),
    ("", _("no end")),
)


class KeyForm(forms.Form):
    """Name, lifetime, tools and claims of a key that belongs to whoever makes it."""

    name = forms.CharField(label=_("name"), max_length=100)
    days = forms.TypedChoiceField(
        label=_("expires"), choices=_LIFETIMES, coerce=int, empty_value=None, required=False
    )
    allowed_tools = forms.CharField(label=_("allowed tools"), required=False, max_length=100_000)
    claims = forms.JSONField(label=_("claims"), required=False, validators=[check_claims])

    def clean_allowed_tools(self) -> list[str]:
        """The names, each once, from lines or between commas."""
        words = self.cleaned_data["allowed_tools"].replace(",", "\n").splitlines()
        names = list(dict.fromkeys(word.strip() for word in words if word.strip()))
        if len(names) > MAX_TOOLS:
            text = _("a key names at most %(limit)s tools; leave the field empty for all")
            raise forms.ValidationError(text, params={"limit": MAX_TOOLS})
        return names

    def issue(self, owner: User) -> IssuedKey:
        """The stored key of this valid form, and its token."""
        given: dict[str, Any] = self.cleaned_data
        days = given["days"]
        expires_at = timezone.now() + timedelta(days=days) if days else None
        with transaction.atomic():
            issued = issue_key(given["name"], owner, expires_at)
            issued.key.allowed_tools = given["allowed_tools"]
            issued.key.claims = given["claims"] or {}
            issued.key.save(update_fields=["allowed_tools", "claims"])
        return issued
