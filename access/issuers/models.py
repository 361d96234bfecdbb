"""The rows of issuers and of the rules on their claims, which other programs write too."""

import logging
import re
from dataclasses import replace

from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from access.allowed_tools import check_allowed_tools, read_allowed_tools
from access.encryption import EncryptedField, unseal
from access.toolsets.models import read_names
from core.bearer_tokens import ALGORITHMS, LEEWAY_S, Introspection, Issuer
from core.bindings import is_claim_name
from core.claim_rules import ClaimRule, ClaimTest
from core.errors import ConfigurationError
from core.grants import Grant
from gateways.issuers import is_issuer_url

logger = logging.getLogger(__name__)

NAME_PATTERN = r"^[a-z0-9][a-z0-9-]{0,31}$"
MAX_LEEWAY_S = 300
MAX_BOUND = 50
# RFC 6749, 3.3.
_SCOPE_WORD = re.compile(r"[!#-\[\]-~]+")
SIGN_IN_SCOPE = "openid profile email"


def default_algorithms() -> list[str]:
    """What most issuers sign with."""
    return ["RS256", "ES256"]


def check_issuer_url(url: str) -> None:
    """Raise ValidationError unless an issuer may be there."""
    if not is_issuer_url(url):
        raise ValidationError(
            _(
                "Write an address with https:// and nothing after the path; http:// on this machine alone."
            )
        )


def check_bound(stored: object) -> None:
    """Raise ValidationError unless `stored` maps names of facts to claims."""
    is_map = isinstance(stored, dict) and len(stored) <= MAX_BOUND
    if (
        not isinstance(stored, dict)
        or not is_map
        or not all(is_claim_name(name) for pair in stored.items() for name in pair)
    ):
        raise ValidationError(
            _('Write facts with the claims they come from, as in {"tenant": "org_id"}.')
        )


class TokenIssuer(models.Model):
    """Who issues access tokens that are good at our endpoints; its name stands before those of its people."""

    name = models.CharField(
        _("name"),
        max_length=32,
        unique=True,
        validators=[RegexValidator(NAME_PATTERN, _("Use small letters, digits and dashes."))],
    )
    url = models.CharField(_("issuer"), max_length=500, unique=True, validators=[check_issuer_url])
    audience = models.CharField(
        _("audience"), max_length=500, blank=True, default="", db_default=""
    )
    algorithms = models.JSONField(
        _("algorithms"), default=default_algorithms, db_default=["RS256", "ES256"]
    )
    leeway_s = models.PositiveSmallIntegerField(
        _("leeway, s"),
        default=LEEWAY_S,
        db_default=LEEWAY_S,
        validators=[MaxValueValidator(MAX_LEEWAY_S)],
    )
    scope = models.CharField(_("scope"), max_length=500, blank=True, default="", db_default="")
    name_claim = models.CharField(
        _("name of people"), max_length=100, blank=True, default="", db_default=""
    )
    is_active = models.BooleanField(_("active"), default=True, db_default=True)
    # Of ourselves at the issuer, where people sign in to the pages by it.
    client_id = models.CharField(
        _("client id"), max_length=200, blank=True, default="", db_default=""
    )
    client_secret = EncryptedField(_("stored secret"), default="", db_default="", blank=True)
    sign_in_scope = models.CharField(
        _("scope of sign-ins"),
        max_length=500,
        blank=True,
        default=SIGN_IN_SCOPE,
        db_default=SIGN_IN_SCOPE,
    )
    # Of opaque tokens, which it alone can read; without an address there are none.
    introspection_url = models.CharField(
        _("introspection endpoint"),
        max_length=500,
        blank=True,
        default="",
        db_default="",
        validators=[check_issuer_url],
    )
    introspection_client_id = models.CharField(
        _("client id for introspection"), max_length=200, blank=True, default="", db_default=""
    )
    introspection_secret = EncryptedField(
        _("stored secret for introspection"), default="", db_default="", blank=True
    )
    opaque_prefix = models.CharField(
        _("beginning of opaque tokens"), max_length=100, blank=True, default="", db_default=""
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True, db_default=Now())

    class Meta:
        db_table = "h_token_issuer"
        verbose_name = _("issuer")
        verbose_name_plural = _("issuers")
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(name__regex=NAME_PATTERN), name="h_token_issuer_name"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def secret_identity(self) -> str:
        """For whom the secret is encrypted: at another address nobody can send it."""
        return f"issuer {self.url}"

    def read_secret(self) -> str:
        """Our secret at the issuer, '' for a public client. Raises ConfigurationError."""
        return unseal(self.client_secret, self.secret_identity) if self.client_secret else ""

    @property
    def introspection_identity(self) -> str:
        """For whom the secret of introspection is encrypted."""
        return f"introspection {self.introspection_url}"

    def read_introspection(self) -> Introspection | None:
        """Where it is asked about opaque tokens; None where that is not set up or not safe.

        Raises ConfigurationError where the secret cannot be read.
        """
        if not is_issuer_url(self.introspection_url):
            return None
        sealed, identity = self.introspection_secret, self.introspection_identity
        return Introspection(
            url=self.introspection_url,
            client_id=self.introspection_client_id,
            secret=unseal(sealed, identity) if sealed else "",
            prefix=self.opaque_prefix,
        )

    def to_issuer(self) -> Issuer:
        """The issuer with its rules. What another program wrote that is no list allows nothing."""
        names = read_names(self.algorithms) or frozenset()
        introspection = None
        try:
            introspection = self.read_introspection()
        except ConfigurationError as error:
            logger.warning("opaque tokens of issuer %s are refused: %s", self.pk, error)
        return Issuer(
            id=self.pk,
            name=self.name,
            url=self.url,
            audience=self.audience,
            algorithms=tuple(name for name in ALGORITHMS if name in names),
            leeway_s=min(self.leeway_s, MAX_LEEWAY_S),
            # It stands in a header.
            scope=" ".join(filter(_SCOPE_WORD.fullmatch, self.scope.split())),
            name_claim=self.name_claim,
            rules=tuple(
                rule.to_rule() for rule in self.rules.all() if rule.test in ClaimComparison.values
            ),
            introspection=introspection,
        )


class ClaimComparison(models.TextChoices):
    """How a rule compares a claim."""

    EQUALS = ClaimTest.EQUALS.value, _("equals")
    CONTAINS = ClaimTest.CONTAINS.value, _("contains")
    MATCHES = ClaimTest.MATCHES.value, _("matches")


class IssuerRule(models.Model):
    """What tokens of an issuer are granted of which a claim passes a test."""

    issuer = models.ForeignKey(
        TokenIssuer, verbose_name=_("issuer"), on_delete=models.CASCADE, related_name="rules"
    )
    claim = models.CharField(_("claim"), max_length=200)
    test = models.CharField(_("comparison"), max_length=20, choices=ClaimComparison)
    value = models.CharField(_("value"), max_length=500)
    allowed_tools = models.JSONField(
        _("allowed tools"),
        default=list,
        db_default=[],
        blank=True,
        validators=[check_allowed_tools],
    )
    toolsets = models.JSONField(_("toolsets"), default=list, db_default=[], blank=True)
    builtin_groups = models.JSONField(_("built-in groups"), default=list, db_default=[], blank=True)
    free_sql_sources = models.JSONField(
        _("SQL of its own on"), default=list, db_default=[], blank=True
    )
    bound = models.JSONField(
        _("facts"), default=dict, db_default={}, blank=True, validators=[check_bound]
    )
    people_groups = models.JSONField(_("groups of people"), default=list, db_default=[], blank=True)

    class Meta:
        db_table = "h_claim_rule"
        verbose_name = _("claim rule")
        verbose_name_plural = _("claim rules")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.claim} {self.test} {self.value}"

    def to_rule(self) -> ClaimRule:
        """What it means; of a row with a known comparison."""
        bound = self.bound if isinstance(self.bound, dict) else {}
        return ClaimRule(
            id=self.pk,
            claim=self.claim,
            test=ClaimTest(self.test),
            value=self.value,
            grant=Grant(
                tools=read_allowed_tools(self.allowed_tools),
                toolsets=read_names(self.toolsets) or frozenset(),
                groups=read_names(self.builtin_groups) or frozenset(),
                sources=read_allowed_tools(self.free_sql_sources),
            ),
            bound=tuple(
                (name, path)
                for name, path in sorted(bound.items())
                if is_claim_name(name) and is_claim_name(path)
            ),
            people_groups=read_names(self.people_groups) or frozenset(),
        )


class IssuerPerson(models.Model):
    """Who of the pages a subject of an issuer is; made when somebody signs in by it for the first time."""

    issuer = models.ForeignKey(
        TokenIssuer, verbose_name=_("issuer"), on_delete=models.CASCADE, related_name="people"
    )
    subject = models.CharField(_("subject"), max_length=255)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("user"), on_delete=models.CASCADE
    )
    last_sign_in_at = models.DateTimeField(_("last sign-in"), null=True, editable=False)

    class Meta:
        db_table = "h_issuer_person"
        verbose_name = _("person of an issuer")
        verbose_name_plural = _("people of issuers")
        ordering = ["issuer", "subject"]
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="h_issuer_person_once")
        ]

    def __str__(self) -> str:
        return self.subject


def read_issuers() -> tuple[Issuer, ...]:
    """The issuers whose tokens are taken; one at an address that is not safe is named in the log."""
    issuers: list[Issuer] = []
    off = IssuerPerson.objects.filter(issuer=models.OuterRef("pk"), user__is_active=False)
    active = TokenIssuer.objects.filter(is_active=True).order_by("id").prefetch_related("rules")
    for row in active.annotate(switched_off=ArraySubquery(off.order_by().values("subject"))):
        if is_issuer_url(row.url):
            issuers.append(replace(row.to_issuer(), switched_off=frozenset(row.switched_off)))
        else:
            logger.warning(
                "issuer %s of h_token_issuer is ignored: its address is not safe", row.pk
            )
    return tuple(issuers)
