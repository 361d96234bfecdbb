"""Other MCP servers that an administrator registered, and their tools with what was accepted of each."""

import uuid

from django.contrib.postgres.functions import RandomUUID
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from access.encryption import EncryptedField
from catalog.sources.models import (
    SCOPE_HELP,
    TOKEN_URL_HELP,
    Authentication,
    between,
    bounded_integer,
    optional_text,
)
from core.ingest.remote_tools import MAX_NAMESPACE_CHARACTERS
from core.toolspec import DEFAULT_BYTE_LIMIT, DEFAULT_TIMEOUT_MS

_NAMESPACE = RegexValidator(
    rf"^[a-z][a-z0-9_-]{{0,{MAX_NAMESPACE_CHARACTERS - 1}}}\Z",
    _("A small letter, then small letters, digits, hyphens and underscores; at most 24 in all."),
)
_REFERENCE = RegexValidator(
    r"^(env|file):[A-Za-z0-9_.-]+\Z",
    _("Write env:NAME or file:NAME; a token itself goes into the token field."),
)

# The ways of authentication, and what each needs beside the token.
_NEEDED: dict[str, tuple[str, ...]] = {
    Authentication.BEARER: (),
    Authentication.HEADER: ("authentication_name",),
    Authentication.QUERY: ("authentication_name",),
    Authentication.CLIENT_CREDENTIALS: ("client_id", "token_url"),
}


class ServerState(models.TextChoices):
    """What is known of a server's health."""

    UNKNOWN = "", _("not checked yet")
    REACHABLE = "ok", _("reachable")
    UNREACHABLE = "down", _("not reachable")


class McpServer(models.Model):
    """Another MCP server; its accepted tools are served as `<name>_<tool>`.

    Every process that calls it writes the columns of its health; they change nothing that is served.
    """

    uid = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), unique=True, editable=False)
    name = models.CharField(
        _("name"),
        max_length=MAX_NAMESPACE_CHARACTERS,
        unique=True,
        validators=[_NAMESPACE],
        help_text=_("Stands before the names of its tools; it cannot be changed later."),
    )
    server_url = models.TextField(
        _("server URL"), help_text=_("As https://mcp.example.com/mcp; http only for allowed hosts.")
    )
    token_reference = optional_text(
        _("token reference"),
        validators=[_REFERENCE],
        help_text=_("env:NAME reads an environment variable, file:NAME a file of CREDENTIALS_DIR."),
    )
    token = EncryptedField(_("stored token"), default="", db_default="", blank=True)
    authentication = models.TextField(
        _("authentication"),
        choices=[(way.value, way.label) for way in Authentication if way in _NEEDED],
        default=Authentication.BEARER,
        db_default=Authentication.BEARER,
    )
    authentication_name = optional_text(
        _("header or parameter"),
        help_text=_("As X-API-Key, where the secret has a header or a parameter of its own."),
    )
    client_id = optional_text(
        _("client ID"), help_text=_("What is given as the token is its secret.")
    )
    token_url = optional_text(_("token URL"), help_text=TOKEN_URL_HELP)
    token_scope = optional_text(_("scope"), help_text=SCOPE_HELP)
    timeout_ms = bounded_integer(_("time-out, ms"), 3 * DEFAULT_TIMEOUT_MS, 100, 600_000)
    byte_limit = bounded_integer(
        _("byte ceiling of an answer"), DEFAULT_BYTE_LIMIT, 1_000, 50_000_000
    )
    max_calls = models.PositiveSmallIntegerField(
        _("calls at once per runtime"), default=16, db_default=16, validators=between(1, 1_000)
    )
    is_active = models.BooleanField(
        _("active"),
        default=True,
        db_default=True,
        help_text=_("Otherwise no tool of it is served."),
    )
    state = optional_text(_("state"), choices=ServerState, editable=False)
    trouble = optional_text(_("trouble"), editable=False)
    trouble_message = models.JSONField(null=True, editable=False)
    unreachable_since = models.DateTimeField(_("not reachable since"), null=True, editable=False)
    checked_at = models.DateTimeField(_("last met"), null=True, editable=False)
    read_at = models.DateTimeField(_("tools read"), null=True, editable=False)
    server_info = optional_text(_("server"), editable=False)
    protocol = optional_text(_("protocol"), editable=False)
    faults = models.JSONField(
        _("left out"), default=list, db_default=[], blank=True, editable=False
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True, db_default=Now())

    class Meta:
        db_table = "h_mcp_server"
        verbose_name = _("MCP server")
        verbose_name_plural = _("MCP servers")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def token_identity(self) -> str:
        """What the stored token is bound to: this row, and the address that may see it."""
        return f"h_mcp_server:{self.uid}:token:{self.server_url} {self.token_url}".rstrip()

    def clean(self) -> None:
        """Say when the token is given twice, and what its way needs."""
        if self.token and self.token_reference:
            raise ValidationError(
                {"token_reference": _("Remove the stored token to use a reference.")}
            )
        text = _("Name it, as the server's documentation does.")
        needed = _NEEDED.get(self.authentication, ())
        if missing := [name for name in needed if not getattr(self, name)]:
            raise ValidationError(dict.fromkeys(missing, text))


class McpToolQuerySet(models.QuerySet["McpTool"]):
    """Tools of other servers."""

    def served(self) -> "McpToolQuerySet":
        """Those that agents get: active, on an active server, and still there."""
        return self.filter(
            is_active=True, gone_at=None, server__is_active=True, accepted__isnull=False
        )

    def with_change(self) -> "McpToolQuerySet":
        """Those whose server says something else now than what was accepted."""
        return self.filter(gone_at=None, accepted__isnull=False).exclude(
            seen_digest=models.F("accepted_digest")
        )


class McpTool(models.Model):
    """One tool of another server. Agents get `accepted`; `seen` is what the server said last."""

    server = models.ForeignKey(
        McpServer, verbose_name=_("server"), related_name="tools", on_delete=models.CASCADE
    )
    name = models.TextField(_("name"))
    seen = models.JSONField(_("as the server says now"))
    seen_digest = models.TextField(editable=False)
    accepted = models.JSONField(_("as accepted"), null=True, blank=True)
    accepted_digest = models.TextField(default="", db_default="", editable=False)
    accepted_by = optional_text(_("accepted by"))
    accepted_at = models.DateTimeField(_("accepted"), null=True, blank=True)
    is_active = models.BooleanField(_("active"), default=False, db_default=False)
    gone_at = models.DateTimeField(_("gone"), null=True, blank=True)
    first_seen_at = models.DateTimeField(_("first seen"), auto_now_add=True, db_default=Now())

    objects = McpToolQuerySet.as_manager()

    class Meta:
        db_table = "h_mcp_server_tool"
        verbose_name = _("tool of an MCP server")
        verbose_name_plural = _("tools of MCP servers")
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["server", "name"], name="one_tool_of_a_name_per_server")
        ]

    def __str__(self) -> str:
        return f"{self.server_id}: {self.name}"

    @property
    def has_changed(self) -> bool:
        """Whether the server says something else now than what was accepted."""
        return self.accepted is not None and self.seen_digest != self.accepted_digest
