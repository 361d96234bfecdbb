"""Who may call, what was called, and which runtimes serve."""

import uuid
from datetime import datetime

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now, Upper
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from access.allowed_tools import NO_TOOLS, check_allowed_tools, every_tool, read_allowed_tools
from access.audit.models import AuditAction, AuditEntry, AuditHead, AuditPlace
from access.claims import check_claims
from access.history.models import CallDay, CallerDay, DurationDay
from access.issuers.models import IssuerPerson, IssuerRule, TokenIssuer
from access.limits.models import LimitCount, LimitState, LimitTally, TargetType, ToolLimit
from access.networks import check_networks, is_within, read_networks
from access.roles.models import RoleGrant, RoleName
from access.toolsets.models import Toolset, ToolsetTool, read_names
from core.grants import EVERYTHING, Grant

__all__ = [
    "ApiKey",
    "AuditAction",
    "AuditEntry",
    "AuditHead",
    "AuditPlace",
    "CallDay",
    "CallRecord",
    "CallerDay",
    "DurationDay",
    "EndedSession",
    "IssuerPerson",
    "IssuerRule",
    "KnownClient",
    "LimitCount",
    "LimitState",
    "LimitTally",
    "Outcome",
    "RoleGrant",
    "RoleName",
    "RuntimeInstance",
    "SignInAttempt",
    "TargetType",
    "TokenIssuer",
    "ToolLimit",
    "Toolset",
    "ToolsetTool",
]


class ApiKey(models.Model):
    """A bearer token of an agent; only its SHA-256 is kept."""

    key_id = models.CharField(_("key id"), max_length=8, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    name = models.CharField(_("name"), max_length=100, help_text=_("Who or what uses this key."))
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("owner"),
        null=True,
        blank=True,
        # The database ends the key and forgets the owner, whichever program deletes them.
        on_delete=models.DO_NOTHING,
    )
    allowed_tools = models.JSONField(
        _("allowed tools"),
        default=list,
        db_default=[],
        blank=True,
        validators=[check_allowed_tools],
        help_text=_(
            'Names of the tools this key sees, as in ["sales_by_region"]; ["*"] is every tool.'
        ),
    )
    toolsets = models.JSONField(
        _("toolsets"),
        default=list,
        db_default=[],
        blank=True,
        help_text=_("Names of the toolsets whose tools it sees."),
    )
    builtin_groups = models.JSONField(
        _("built-in groups"),
        default=list,
        db_default=[],
        blank=True,
        help_text=_(
            "Groups of built-in tools that it sees: embeddings, search, database, catalogue, utilities."
        ),
    )
    free_sql_sources = models.JSONField(
        _("SQL of its own on"),
        default=every_tool,
        db_default=[],
        blank=True,
        help_text=_(
            'Data sources on which it may run SQL that it has written, as in ["main"]; ["*"] is every'
            ' one, "" in the list the default one.'
        ),
    )
    allowed_networks = models.JSONField(
        _("allowed networks"),
        default=list,
        db_default=[],
        blank=True,
        validators=[check_networks],
        help_text=_('Addresses from which it may be used, as in ["10.0.0.0/8"]; [] is every one.'),
    )
    claims = models.JSONField(
        _("claims"),
        default=dict,
        db_default={},
        blank=True,
        validators=[check_claims],
        help_text=_(
            'Facts that bound parameters use, as in {"tenant": "KR", "level": 3}: texts, numbers,'
            " true or false, or lists of texts."
        ),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True, db_default=Now())
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)
    # Of the token before the last rotation, which is good until then.
    previous_digest = models.CharField(max_length=64, default="", db_default="", editable=False)
    previous_until = models.DateTimeField(_("former token ends"), null=True, editable=False)

    class Meta:
        db_table = "h_api_key"
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ["name", "key_id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.key_id})"

    def clean(self) -> None:
        """Raise ValidationError for a key that may use nothing."""
        if not (self.allowed_tools or self.toolsets or self.builtin_groups):
            raise ValidationError({"allowed_tools": NO_TOOLS})

    def is_allowed_from(self, address: str) -> bool:
        """Whether the key may be used from there; unreadable networks allow nothing."""
        networks = read_networks(self.allowed_networks)
        return networks is None or is_within(address, networks)

    def is_valid_at(self, moment: datetime) -> bool:
        """Whether the key is neither revoked nor expired then, nor its owner deactivated."""
        is_expired = self.expires_at is not None and self.expires_at <= moment
        return self.revoked_at is None and not is_expired and not self.is_suspended

    @property
    def is_valid(self) -> bool:
        return self.is_valid_at(timezone.now())

    @property
    def is_suspended(self) -> bool:
        """Whether the key has an owner who is deactivated."""
        return self.owner is not None and not self.owner.is_active

    @property
    def has_former_token(self) -> bool:
        """Whether the token before the last rotation is good yet."""
        return self.previous_until is not None and timezone.now() < self.previous_until

    @property
    def tools(self) -> frozenset[str] | None:
        """Names of the tools that the key sees beside those of its toolsets and groups; None is every tool."""
        return read_allowed_tools(self.allowed_tools)

    @property
    def grant(self) -> Grant:
        """All that the key may use. What another program wrote that is no list grants nothing."""
        grant = Grant(
            tools=self.tools,
            toolsets=read_names(self.toolsets) or frozenset(),
            groups=read_names(self.builtin_groups) or frozenset(),
            sources=read_allowed_tools(self.free_sql_sources),
        )
        # One object, since it is looked for at each call.
        return EVERYTHING if grant == EVERYTHING else grant


class Outcome(models.TextChoices):
    """How a call ended; everything but OK reached the caller as an error."""

    OK = "ok", _("ok")
    INVALID_ARGUMENTS = "invalid_arguments", _("invalid arguments")
    UNKNOWN_TOOL = "unknown_tool", _("unknown tool")
    TOOL_ERROR = "tool_error", _("tool error")
    TIMEOUT = "timeout", _("time-out")
    BUSY = "busy", _("busy")
    UNAVAILABLE = "unavailable", _("data source unavailable")
    LIMITED = "limited", _("over a limit")
    REFUSED = "refused", _("key refused")
    CANCELLED = "cancelled", _("cancelled")
    INTERNAL_ERROR = "internal_error", _("internal error")


class CallRecord(models.Model):
    """One call of a tool. Written in batches and never changed.

    The table has a partition for each month: `id` is unique beside `at` alone, and a row that is
    written again is known by its moment, too. Requests with a key that is not good are one record a
    minute (REFUSED), without a tool.
    """

    at = models.DateTimeField(_("at"), db_default=Now())
    tool_name = models.TextField(_("tool"))
    key_id = models.CharField(_("key id"), max_length=8, default="", db_default="")
    caller = models.TextField(_("caller"), default="", db_default="")
    arguments = models.JSONField(_("arguments"), null=True)
    outcome = models.CharField(_("outcome"), max_length=20, choices=Outcome)
    error = models.TextField(_("error"), default="", db_default="")
    error_message = models.JSONField(null=True, editable=False)
    row_count = models.IntegerField(_("rows"), null=True)
    truncated = models.BooleanField(_("truncated"), default=False, db_default=False)
    duration_ms = models.FloatField(_("duration, ms"))
    revision = models.BigIntegerField(_("registry revision"), default=0, db_default=0)
    runtime_id = models.UUIDField(_("runtime"), null=True)
    # As in the log and in the answer's X-Request-ID.
    request_id = models.CharField(_("request id"), max_length=128, default="", db_default="")
    # As the client calls itself.
    client_name = models.TextField(_("client"), default="", db_default="")
    client_version = models.TextField(_("client version"), default="", db_default="")
    protocol = models.CharField(_("protocol"), max_length=16, default="", db_default="")
    # Its number in the session's id; the rest of it is a signature.
    session = models.CharField(_("session"), max_length=32, default="", db_default="")
    address = models.CharField(_("address"), max_length=45, default="", db_default="")
    # A toolset's, '' that of all tools.
    endpoint = models.TextField(_("endpoint"), default="", db_default="")
    trace_id = models.CharField(_("trace id"), max_length=32, default="", db_default="")
    tool_version = models.IntegerField(_("tool version"), null=True)
    # The old names that it used, apart by blanks: the tool's, and with a colon before it a parameter's.
    called_as = models.TextField(_("called as"), default="", db_default="")
    # Tells a runtime's calls apart, so that none is recorded twice.
    number = models.BigIntegerField(null=True, editable=False)

    class Meta:
        db_table = "h_call_record"
        verbose_name = _("call")
        verbose_name_plural = _("calls")
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="call_record_at"),
            models.Index(fields=["tool_name", "-at"], name="call_record_tool"),
            # Failures are few: what looks for them reads nothing else.
            models.Index(
                fields=["-at", "-id", "outcome"],
                condition=~models.Q(outcome=Outcome.OK),
                name="call_record_failed",
            ),
            # Their texts by trigrams, as `icontains` asks for them.
            GinIndex(
                OpClass(Upper("error"), name="gin_trgm_ops"),
                condition=~models.Q(outcome=Outcome.OK),
                name="call_record_error_text",
            ),
            models.Index(
                fields=["tool_name", "-at"],
                condition=~models.Q(called_as=""),
                name="call_record_called_as",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["runtime_id", "number", "at"], name="call_record_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tool_name} {self.outcome}"


class RuntimeInstance(models.Model):
    """One serving process and what it last reported."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    host = models.TextField(_("host"))
    pid = models.IntegerField(_("process"))
    version = models.TextField(_("version"))
    revision = models.BigIntegerField(_("registry revision"), default=0, db_default=0)
    tool_count = models.IntegerField(_("tools served"), default=0, db_default=0)
    quarantined_count = models.IntegerField(_("quarantined"), default=0, db_default=0)
    # The database was away too long, or refused them.
    dropped_calls = models.IntegerField(_("calls not recorded"), default=0, db_default=0)
    started_at = models.DateTimeField(_("started"), db_default=Now())
    last_seen_at = models.DateTimeField(_("last seen"), db_default=Now())

    class Meta:
        db_table = "h_runtime_instance"
        verbose_name = _("runtime")
        verbose_name_plural = _("runtimes")
        ordering = ["-last_seen_at"]

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"


class EndedSession(models.Model):
    """A session of an agent that its client has ended; no runtime serves it any more."""

    number = models.UUIDField(primary_key=True, editable=False)
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        db_table = "h_ended_session"
        verbose_name = _("ended session")
        verbose_name_plural = _("ended sessions")
        indexes = [models.Index(fields=["at"], name="ended_session_at")]

    def __str__(self) -> str:
        return str(self.number)


class SignInAttempt(models.Model):
    """A sign-in of a person that has not succeeded, or not yet."""

    # As typed, in small letters: often no user's name at all.
    username = models.CharField(_("user name"), max_length=150)
    # Of IPv6 the network of 64 bits, which is one client's.
    address = models.CharField(_("address"), max_length=45)
    # The mark of a browser that is known for this name, '' for others.
    device = models.CharField(_("device"), max_length=64, default="", db_default="")
    at = models.DateTimeField(_("at"), db_default=Now())

    class Meta:
        db_table = "h_sign_in_attempt"
        verbose_name = _("sign-in attempt")
        verbose_name_plural = _("sign-in attempts")
        indexes = [models.Index(fields=["at"], name="sign_in_attempt_at")]

    def __str__(self) -> str:
        return f"{self.username} {self.address}"


class KnownClient(models.Model):
    """An address, or a browser, from which a person has signed in; `mark` is a hash of it."""

    username = models.CharField(_("user name"), max_length=150)
    mark = models.CharField(max_length=64, editable=False)
    at = models.DateTimeField(_("last sign-in"), db_default=Now())

    class Meta:
        db_table = "h_known_client"
        verbose_name = _("known client")
        verbose_name_plural = _("known clients")
        constraints = [
            models.UniqueConstraint(fields=["username", "mark"], name="h_known_client_once")
        ]

    def __str__(self) -> str:
        return f"{self.username} {self.mark[:8]}"
