"""The form of a key: what it may use, chosen by ticking, from where and how long."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import formats, timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from access.allowed_tools import EVERY_TOOL, check_allowed_tools, every_tool
from access.claims import check_claims
from access.keys import IssuedKey, create_key
from access.models import ApiKey, Toolset
from access.networks import check_networks, read_networks
from access.tool_names import OfferedTool, offered_sources, offered_tools
from access.visibility import hidden_tools
from core.grants import DEFAULT_SOURCE, BuiltinGroup

EVERY, THESE = "every", "these"
AS_IT_IS = "same"
# Of a key, by people.
CHANGEABLE = (
    *("name", "owner", "expires_at", "claims", "allowed_tools", "toolsets", "builtin_groups"),
    *("free_sql_sources", "allowed_networks"),
)
_REACHES = ((EVERY, _("Every tool")), (THESE, _("These tools")))
_LIFETIMES = (
    ("90", _("90 days")),
    ("30", _("30 days")),
    ("365", _("1 year")),
    ("", _("no end")),
)
_GROUPS = (
    (BuiltinGroup.SEARCH.value, _("Search for tools")),
    (BuiltinGroup.CATALOGUE.value, _("Catalogue")),
    (BuiltinGroup.DATABASE.value, _("Database")),
    (BuiltinGroup.EMBEDDINGS.value, _("Embeddings")),
    (BuiltinGroup.UTILITIES.value, _("Utilities")),
)
_BAD_NETWORK = _("%(line)s is no address and no network; write one as 10.0.0.0/8 or 2001:db8::/32.")


class KeyForm(forms.Form):
    """A key's name, owner, lifetime, scopes, networks and claims; a new one without `key`.

    Without a choice it has the tools that are ticked, so that an incomplete form opens nothing.
    What of a key the person may not see stays as it is.
    """

    name = forms.CharField(label=_("name"), max_length=100)
    owner = forms.ModelChoiceField(
        label=_("owner"), queryset=User.objects.none(), required=False, to_field_name="username"
    )
    days = forms.ChoiceField(label=_("expires"), choices=_LIFETIMES, required=False)
    reach = forms.ChoiceField(label=_("allowed tools"), choices=_REACHES, required=False)
    toolsets = forms.MultipleChoiceField(label=_("toolsets"), required=False)
    builtin_groups = forms.MultipleChoiceField(
        label=_("built-in groups"), choices=_GROUPS, required=False
    )
    allowed_tools = forms.MultipleChoiceField(label=_("allowed tools"), required=False)
    sources = forms.MultipleChoiceField(label=_("SQL of its own on"), required=False)
    networks = forms.CharField(label=_("allowed networks"), required=False, max_length=10_000)
    claims = forms.JSONField(label=_("claims"), required=False, validators=[check_claims])

    def __init__(
        self, given: Any, user: User, key: ApiKey | None = None, toolset: str = ""
    ) -> None:
        self._user, self.key = user, key
        super().__init__(given, initial=self._read_initial(toolset))
        fields: dict[str, Any] = self.fields
        toolsets = {*Toolset.objects.values_list("name", flat=True), *self.initial["toolsets"]}
        fields["toolsets"].choices = _to_choices(toolsets)
        fields["sources"].choices = [
            (EVERY_TOOL, _("every data source")),
            (DEFAULT_SOURCE, _("the default one")),
            *_to_choices(offered_sources(user)),
        ]
        fields["allowed_tools"].choices = _to_choices(self.tools)
        if user.is_superuser:
            # The owner who is there is offered too: without one a suspended key would be good again.
            present = Q(is_active=True) | Q(pk=key.owner_id if key else None)
            fields["owner"].queryset = User.objects.filter(present).order_by("username")
        else:
            # A key acts for its owner: nobody lends themselves the rights of another one.
            del fields["owner"]
        if key is not None:
            end = formats.date_format(key.expires_at, "Y-m-d") if key.expires_at else _("no end")
            same = _("as it is: %(end)s") % {"end": end}
            fields["days"].choices = [(AS_IT_IS, same), *_LIFETIMES]

    @cached_property
    def tools(self) -> dict[str, OfferedTool]:
        """The tools to be ticked by name: those that the person sees, and others that the key names."""
        found = offered_tools(self._user)
        for name in self._named - found.keys() - hidden_tools(self._user):
            found[name] = OfferedTool(name=name, is_served=False)
        return dict(sorted(found.items()))

    @property
    def ticked_tools(self) -> list[str]:
        """The names that are ticked as the form is shown."""
        return list(self["allowed_tools"].value() or ())

    def clean_networks(self) -> list[str]:
        """The networks, each once; one a line or between commas."""
        words = self.cleaned_data["networks"].replace(",", "\n").split()
        networks = list(dict.fromkeys(words))
        for word in networks:
            if not read_networks([word]):
                raise forms.ValidationError(_BAD_NETWORK, params={"line": word[:100]})
        check_networks(networks)
        return networks

    def clean_sources(self) -> list[str]:
        """As the column has them, with those that the person may not see."""
        names: list[str] = self.cleaned_data["sources"]
        if EVERY_TOOL in names:
            return every_tool()
        offered = {name for name, _label in self.fields["sources"].choices}  # type: ignore[attr-defined]
        return [*names, *(name for name in self.initial["sources"] if name not in offered)]

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError for a key that would see nothing."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        if given.get("reach") == EVERY:
            return {**given, "allowed_tools": every_tool()}
        # What the person may not see cannot be ticked, nor is it taken away.
        names = [*given.get("allowed_tools", ()), *sorted(self._named - self.tools.keys())]
        if not (names or given.get("toolsets") or given.get("builtin_groups")) and not self.errors:
            self.add_error(
                "allowed_tools",
                _("Tick at least one toolset, group or tool, or choose every tool."),
            )
        check_allowed_tools(names)
        return {**given, "allowed_tools": names}

    def issue(self) -> IssuedKey:
        """The stored key of this valid form, and its token."""
        return create_key(self._fill(ApiKey(owner=self._user)))

    def change(self) -> ApiKey:
        """The form's key, stored as this valid form says."""
        key = self._fill(self.key or ApiKey())
        key.save(update_fields=CHANGEABLE)
        return key

    @cached_property
    def _named(self) -> frozenset[str]:
        return (self.key.tools if self.key else None) or frozenset()

    def _read_initial(self, toolset: str) -> dict[str, Any]:
        key = self.key
        if key is None:
            reach = THESE if toolset else EVERY
            chosen = [toolset] if toolset else []
            owner = self._user.get_username()
            return {
                "reach": reach, "toolsets": chosen, "sources": every_tool(), "owner": owner, "claims": None
            }  # fmt: skip
        grant = key.grant
        sources = [EVERY_TOOL] if grant.sources is None else grant.sources
        stored = key.allowed_networks
        networks = stored if isinstance(stored, list) else [stored]
        return {
            "name": key.name,
            "owner": key.owner.get_username() if key.owner else "",
            "days": AS_IT_IS,
            "reach": EVERY if grant.tools is None else THESE,
            "toolsets": sorted(grant.toolsets),
            "builtin_groups": sorted(grant.groups),
            "allowed_tools": sorted(grant.tools or ()),
            "sources": sorted(sources),
            "networks": "\n".join(map(str, networks)),
            "claims": key.claims or None,
        }

    def _fill(self, key: ApiKey) -> ApiKey:
        given = self.cleaned_data
        key.name, key.claims = given["name"], given["claims"] or {}
        key.allowed_tools, key.toolsets = given["allowed_tools"], given["toolsets"]
        key.builtin_groups, key.free_sql_sources = given["builtin_groups"], given["sources"]
        key.allowed_networks = given["networks"]
        if "owner" in given:
            key.owner = given["owner"]
        if (days := given["days"]) != AS_IT_IS:
            key.expires_at = timezone.now() + timedelta(days=int(days)) if days else None
        return key


def _to_choices(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in sorted(names)]
