"""The forms of issuers, of rules on their claims, and of a token that is tried."""

from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy as _

from access.allowed_tools import check_allowed_tools
from access.encryption import seal
from access.issuers.models import IssuerRule, TokenIssuer, check_bound, default_algorithms
from access.reader_language import in_language
from access.toolsets.models import Toolset
from core.bearer_tokens import ALGORITHMS
from core.errors import ConfigurationError
from core.grants import BuiltinGroup

_WIDGETS: dict[type[forms.Widget], str] = {
    forms.TextInput: "input",
    forms.PasswordInput: "input",
    forms.NumberInput: "input",
    forms.Select: "select",
    forms.Textarea: "textarea mono",
}


def dress(fields: dict[str, forms.Field]) -> None:
    """Give each widget the class of our components."""
    for field in fields.values():
        if kind := _WIDGETS.get(type(field.widget)):
            field.widget.attrs |= {"class": kind, "autocomplete": "off", "spellcheck": "false"}


class _Lines(forms.CharField):
    """A JSON list of names as lines, each name once."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 3})
        super().__init__(required=False, max_length=100_000, widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        words = str(super().to_python(value)).replace(",", "\n").splitlines()
        return list(dict.fromkeys(word.strip() for word in words if word.strip()))


class _Pairs(_Lines):
    """A JSON object of texts as lines `name = value`."""

    def prepare_value(self, value: Any) -> Any:
        pairs = value.items() if isinstance(value, dict) else None
        return value if pairs is None else "\n".join(f"{name} = {text}" for name, text in pairs)

    def to_python(self, value: Any) -> Any:
        lines = (line.partition("=") for line in super().to_python(value))
        return {name.strip(): text.strip() or name.strip() for name, _sign, text in lines}


class IssuerForm(forms.ModelForm[TokenIssuer]):
    """An issuer; a secret that is not typed again stays as it is."""

    algorithms = forms.MultipleChoiceField(
        label=_("Algorithms"),
        choices=[(name, name) for name in ALGORITHMS],
        initial=default_algorithms,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Tokens signed otherwise are refused."),
    )
    new_secret = forms.CharField(
        label=_("Client secret"),
        required=False,
        max_length=500,
        widget=forms.PasswordInput,
        help_text=_("Empty: the stored one stays. It is encrypted with FIELD_ENCRYPTION_KEYS."),
    )

    new_introspection_secret = forms.CharField(
        label=_("Client secret for introspection"),
        required=False,
        max_length=500,
        widget=forms.PasswordInput,
        help_text=_("Empty: the stored one stays. It is encrypted with FIELD_ENCRYPTION_KEYS."),
    )

    class Meta:
        model = TokenIssuer
        fields = [
            *("name", "url", "audience", "algorithms", "leeway_s", "scope", "name_claim"),
            *("is_active", "introspection_url", "introspection_client_id"),
            *("new_introspection_secret", "opaque_prefix"),
            *("client_id", "new_secret", "sign_in_scope"),
        ]
        labels = {
            "name": _("Name"),
            "url": _("Issuer (iss)"),
            "audience": _("Audience (aud)"),
            "leeway_s": _("Leeway, seconds"),
            "scope": _("Scope that is needed"),
            "name_claim": _("Claim with the name of people"),
            "is_active": _("Take its tokens"),
            "introspection_url": _("Introspection endpoint"),
            "introspection_client_id": _("Client id for introspection"),
            "opaque_prefix": _("Beginning of its opaque tokens"),
            "client_id": _("Client id"),
            "sign_in_scope": _("Scope of sign-ins"),
        }
        help_texts = {
            "name": _("Stands before the names of its people, as in corp:alice."),
            "url": _(
                "Exactly as its tokens have it, such as https://login.example.org/realms/corp."
            ),
            "audience": _("Empty: the address of the endpoint that is called, as it should be."),
            "leeway_s": _("How far its clock may be from ours."),
            "scope": _("Words that a token needs and that clients ask for; empty: none."),
            "name_claim": _("Empty: sub. Choose a claim that people cannot change themselves."),
            "introspection_url": _(
                "Where it says what a token is that is no JWT (RFC 7662); empty: such tokens are refused."
            ),
            "introspection_client_id": _("Of this server at the issuer, which lets it ask."),
            "opaque_prefix": _(
                "Such as ory_at_. Empty: all that no other issuer takes; each token is shown to one issuer alone."
            ),
            "is_active": _("Unticked, nobody signs in to the pages by it either."),
            "client_id": _("Of this application at the issuer; empty: nobody signs in by it."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stored = TokenIssuer(
            url=self.instance.url, introspection_url=self.instance.introspection_url
        )
        dress(self.fields)

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError for a secret of another address, and where none can be stored."""
        given = super().clean() or self.cleaned_data
        url, asked = given.get("url", ""), given.get("introspection_url", "")
        new, old = TokenIssuer(url=url, introspection_url=asked), self._stored
        if url:
            self._keep_secret(
                "client_secret", "new_secret", new.secret_identity, old.secret_identity
            )
        if asked:
            identities = (new.introspection_identity, old.introspection_identity)
            self._keep_secret("introspection_secret", "new_introspection_secret", *identities)
            if not given.get("introspection_client_id"):
                self.add_error("introspection_client_id", _("The endpoint needs it."))
            if not self.instance.introspection_secret:
                self.add_error("new_introspection_secret", _("The endpoint needs it."))
        elif "introspection_url" not in self.errors:
            self.instance.introspection_secret = ""
        return given

    def _keep_secret(self, column: str, field: str, identity: str, stored_identity: str) -> None:
        """Seal what was typed for its new identity, or ask for it where the stored one has another."""
        secret = self.cleaned_data.get(field)
        if secret:
            try:
                setattr(self.instance, column, seal(secret, identity))
            except ConfigurationError as error:
                self.add_error(field, in_language(error))
        elif getattr(self.instance, column) and identity != stored_identity:
            text = _("Enter the secret again: the stored one was meant for another address.")
            self.add_error(field, text)


class RuleForm(forms.ModelForm[IssuerRule]):
    """One rule: which tokens, and what they are granted."""

    toolsets = forms.MultipleChoiceField(
        label=_("Toolsets"), required=False, widget=forms.CheckboxSelectMultiple
    )
    builtin_groups = forms.MultipleChoiceField(
        label=_("Built-in groups"),
        required=False,
        choices=[(group.value, group.value) for group in BuiltinGroup],
        widget=forms.CheckboxSelectMultiple,
    )
    allowed_tools = _Lines(
        label=_("Single tools"),
        help_text=_("One name a line; * alone is every tool."),
        validators=[check_allowed_tools],
    )
    free_sql_sources = _Lines(
        label=_("SQL of its own on"),
        help_text=_("Data sources, one name a line; * alone is every one."),
    )
    bound = _Pairs(
        label=_("Facts for bound parameters"),
        help_text=_(
            "One a line, as in tenant = org_id: the fact and the claim that it is copied from."
        ),
        validators=[check_bound],
    )
    people_groups = forms.MultipleChoiceField(
        label=_("Groups of people who sign in"), required=False, widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = IssuerRule
        fields = [
            *("claim", "test", "value", "toolsets", "builtin_groups", "allowed_tools"),
            *("free_sql_sources", "bound", "people_groups"),
        ]
        labels = {"claim": _("Claim"), "test": _("Comparison"), "value": _("Value")}
        help_texts = {
            "claim": _("Its name, or a path such as realm_access.roles."),
            "test": _("Lists contain items and scope contains words; patterns have * and ?."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        dress(self.fields)
        names = {
            "toolsets": Toolset.objects.values_list("name", flat=True),
            "people_groups": Group.objects.order_by("name").values_list("name", flat=True),
        }
        for field, known in names.items():
            # One that was deleted stays chosen, until somebody takes it away.
            every = dict.fromkeys([*known, *(getattr(self.instance, field) or [])])
            self.fields[field].choices = [(name, name) for name in every]  # type: ignore[attr-defined]


class TokenForm(forms.Form):
    """A token to be tried at an endpoint; it is stored nowhere."""

    token = forms.CharField(
        label=_("Access token"),
        max_length=40_000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    toolset = forms.ChoiceField(label=_("Endpoint"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        dress(self.fields)
        names = Toolset.objects.values_list("name", flat=True)
        every = [("", "/mcp"), *((name, f"/mcp/{name}") for name in names)]
        self.fields["toolset"].choices = every  # type: ignore[attr-defined]
