"""The form of a new key."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from access.allowed_tools import EVERY_TOOL, check_allowed_tools, every_tool
from access.audit import Actor
from access.claims import check_claims
from access.keys import IssuedKey, create_key
from access.models import ApiKey

EVERY, THESE = "every", "these"
_REACHES = ((EVERY, _("Every tool")), (THESE, _("These tools")))
_LIFETIMES = (
    ("90", _("90 days")),
    ("30", _("30 days")),
    ("365", _("1 year")),
    ("", _("no end")),
)


class KeyForm(forms.Form):
    """Name, lifetime, tools and claims of a key that belongs to the person who makes it.

    Without a choice it has the tools that are named, so that an incomplete form opens nothing.
    """

    name = forms.CharField(label=_("name"), max_length=100)
    days = forms.TypedChoiceField(
        label=_("expires"), choices=_LIFETIMES, coerce=int, empty_value=None, required=False
    )
    reach = forms.ChoiceField(
        label=_("allowed tools"), choices=_REACHES, initial=EVERY, required=False
    )
    allowed_tools = forms.CharField(label=_("allowed tools"), required=False, max_length=100_000)
    claims = forms.JSONField(label=_("claims"), required=False, validators=[check_claims])

    def clean_allowed_tools(self) -> list[str]:
        """The names, each once, from lines or between commas; of every tool the mark for it."""
        if self.cleaned_data.get("reach") == EVERY:
            return every_tool()
        words = self.cleaned_data["allowed_tools"].replace(",", "\n").splitlines()
        names = list(dict.fromkeys(word.strip() for word in words if word.strip()))
        if not names or EVERY_TOOL in names:
            raise forms.ValidationError(_("Name at least one tool, or choose every tool."))
        check_allowed_tools(names)
        return names

    def issue(self, owner: User, by: Actor) -> IssuedKey:
        """The stored key of this valid form, and its token."""
        given: dict[str, Any] = self.cleaned_data
        days = given["days"]
        expires_at = timezone.now() + timedelta(days=days) if days else None
        key = ApiKey(
            name=given["name"],
            owner=owner,
            expires_at=expires_at,
            allowed_tools=given["allowed_tools"],
            claims=given["claims"] or {},
        )
        return create_key(key, by)
