"""Databases and HTTP services that an administrator registered, with their last check."""

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.postgres.functions import RandomUUID
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from access.encryption import EncryptedField
from catalog.connection_options import (
    check_engine_options,
    check_identity,
    check_options,
    check_search_path,
)
from catalog.sources.check_models import DefaultSourceCheck
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.toolspec import DEFAULT_BYTE_LIMIT, DEFAULT_ROW_LIMIT, DEFAULT_TIMEOUT_MS
from gateways.engine import SourceKind
from gateways.engines import DEFAULT, KINDS, UPLOADED, find_kind
from gateways.fair_queue import DEFAULT_MAX_WAIT_MS
from gateways.http.kind import HTTP

SECRET_NAME = RegexValidator(
    r"^[a-z][a-z0-9_]{0,62}\Z", _("Write small letters, digits and _, beginning with a letter.")
)
_REFERENCE = RegexValidator(
    r"^(env|file):[A-Za-z0-9_.-]+\Z",
    _("Write env:NAME or file:NAME; a password itself goes into the password field."),
)
_ABSOLUTE_PATH = RegexValidator(
    r"^/[^\x00]*[^/\x00]\Z", _("Write an absolute path, as in /data/shop.db.")
)
_HOSTS = RegexValidator(
    r"^[A-Za-z0-9.:_\[\]-]+(, *[A-Za-z0-9.:_\[\]-]+)*\Z",
    _("Write names of hosts between commas, as in crm.internal, 10.0.0.7:8080."),
)
_MAX_TIMEOUT_MS = 3_600_000
_MAX_BYTES = 1_000_000_000


TOKEN_URL_HELP = _(
    "Where an access token is asked for, as https://login.example.com/oauth2/token. What a server wants"
    " beside the scope stands behind a ?, as audience=orders."
)
SCOPE_HELP = _("What the token is for, as orders.read; several between blanks.")


def list_kinds() -> list[tuple[str, Any]]:
    """Names and labels of the kinds of data source."""
    return [(kind.name, _(kind.label)) for kind in KINDS.values()]


class Authentication(models.TextChoices):
    """How an HTTP service learns who calls; the secret is the row's password."""

    NONE = "", _("nothing")
    BEARER = "bearer", _("Authorization: Bearer")
    BASIC = "basic", _("user and password (Basic)")
    HEADER = "header", _("a header")
    QUERY = "query", _("a parameter of the address")
    CLIENT_CREDENTIALS = "client_credentials", _("an access token (OAuth 2.0 client credentials)")


class Origin(models.TextChoices):
    """Who says where the database is."""

    ROW = "row", _("this form")
    ENVIRONMENT = "environment", _("environment variable")


# What each way of authentication needs of the row, beside the secret.
_NEEDED_BY_AUTHENTICATION: dict[str, tuple[str, ...]] = {
    Authentication.BASIC: ("username",),
    Authentication.HEADER: ("authentication_name",),
    Authentication.QUERY: ("authentication_name",),
    Authentication.CLIENT_CREDENTIALS: ("username", "token_url"),
}


def unused_by(authentication: str) -> frozenset[str]:
    """The fields of a service or a server that its way of authentication leaves empty."""
    unused = {"authentication_name", "client_id", "token_url", "token_scope"}
    if authentication == Authentication.CLIENT_CREDENTIALS:
        unused = {"authentication_name"}
    elif authentication in {Authentication.HEADER, Authentication.QUERY}:
        unused.remove("authentication_name")
    return frozenset(unused)


def optional_text(label: Any, **options: Any) -> "models.TextField[str, str]":
    """A text that may be '', here and for other programs that insert rows."""
    return models.TextField(label, default="", db_default="", blank=True, **options)


def between(low: int, high: int) -> list[MinValueValidator | MaxValueValidator]:
    """Validators of a number within these bounds."""
    return [MinValueValidator(low), MaxValueValidator(high)]


def bounded_integer(
    label: Any, default: int, low: int, high: int, **options: Any
) -> "models.PositiveIntegerField[int, int]":
    """A number within these bounds, with a default for other programs that insert rows too."""
    return models.PositiveIntegerField(
        label, default=default, db_default=default, validators=between(low, high), **options
    )


class DataSource(models.Model):
    """A database or an HTTP service that tools may use; its limits are ceilings for every tool on it.

    Of a row of origin ENVIRONMENT the connection is read from its variable; the columns only show it.
    """

    uid = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), unique=True, editable=False)
    name = models.SlugField(
        _("name"),
        max_length=63,
        unique=True,
        help_text=_("How tools refer to it: letters, digits, hyphens and underscores."),
    )
    engine = models.TextField(
        _("engine"),
        choices=list_kinds,
        default=DEFAULT.name,
        db_default=DEFAULT.name,
    )
    origin = models.TextField(
        _("defined by"), choices=Origin, default=Origin.ROW, db_default=Origin.ROW, editable=False
    )
    path = optional_text(
        _("file"),
        validators=[_ABSOLUTE_PATH],
        help_text=_(
            "Absolute path of the database file, or of the folder of files; it is only read. A source"
            " of kind Files without a path takes files that are uploaded here."
        ),
    )
    host = optional_text(_("host"))
    port = bounded_integer(_("port"), 5432, 1, 65535)
    database = optional_text(_("database"))
    username = optional_text(
        _("role"),
        help_text=_(
            "A role that can read and nothing else; of an HTTP service the user or the client ID, whose"
            " secret is the password."
        ),
    )
    password_reference = optional_text(
        _("password reference"),
        validators=[_REFERENCE],
        help_text=_("env:NAME reads an environment variable, file:NAME a file of CREDENTIALS_DIR."),
    )
    password = EncryptedField(_("stored password"), default="", db_default="", blank=True)
    options = models.JSONField(
        _("connection options"),
        default=dict,
        db_default={},
        blank=True,
        validators=[check_options],
        help_text=_(
            'Keywords of libpq, as in {"sslmode": "verify-full", "sslrootcert": "ca.pem"};'
            " certificates are files of CREDENTIALS_DIR."
        ),
    )
    server_url = optional_text(
        _("server URL"),
        help_text=_("Where the operations of an HTTP service are, as https://api.example.com/v1."),
    )
    authentication = models.TextField(
        _("authentication"),
        choices=Authentication,
        default=Authentication.NONE,
        db_default=Authentication.NONE,
        blank=True,
        help_text=_("How an HTTP service is told the password, which is its token or key."),
    )
    authentication_name = optional_text(
        _("header or parameter"),
        help_text=_("As X-API-Key, where the secret has a header or a parameter of its own."),
    )
    token_url = optional_text(_("token URL"), help_text=TOKEN_URL_HELP)
    token_scope = optional_text(_("scope"), help_text=SCOPE_HELP)
    allowed_hosts = optional_text(
        _("allowed hosts"),
        validators=[_HOSTS],
        help_text=_(
            "Hosts inside that the service may be at, between commas, as crm.internal:8080; each has to"
            " be within the operator's setting HTTP_ALLOWED_HOSTS."
        ),
    )
    search_path = models.TextField(
        _("search path"),
        default="public",
        db_default="public",
        validators=[check_search_path],
        help_text=_("Schemas in which names without a schema are looked up, between commas."),
    )
    pool_size = models.PositiveSmallIntegerField(
        _("connections per runtime"),
        default=4,
        db_default=4,
        validators=between(1, 200),
        help_text=_("If there are several, a key with slow calls leaves one free for other keys."),
    )
    max_wait_ms = bounded_integer(
        _("longest wait for a connection, ms"),
        DEFAULT_MAX_WAIT_MS,
        1,
        _MAX_TIMEOUT_MS,
        help_text=_(
            "Callers take turns; then they are told to retry. It counts as time of the tool."
        ),
    )
    prepares_statements = models.BooleanField(
        _("keep queries parsed"),
        default=True,
        db_default=True,
        help_text=_("Off for a connection pooler in transaction mode; PostgreSQL alone."),
    )
    row_limit = bounded_integer(_("row ceiling"), 10 * DEFAULT_ROW_LIMIT, 1, 10_000_000)
    byte_limit = bounded_integer(_("byte ceiling"), 10 * DEFAULT_BYTE_LIMIT, 1, _MAX_BYTES)
    cell_limit = bounded_integer(
        _("cell ceiling, characters"),
        8_192,
        1,
        10_000_000,
        help_text=_("Longer texts are cut, and the answer says so."),
    )
    timeout_ms = bounded_integer(
        _("time-out ceiling, ms"), 3 * DEFAULT_TIMEOUT_MS, 1, _MAX_TIMEOUT_MS
    )
    lock_timeout_ms = bounded_integer(_("longest wait for a lock, ms"), 2_000, 1, _MAX_TIMEOUT_MS)
    plan_cost_limit = models.PositiveIntegerField(
        _("planned cost ceiling"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_(
            "In the unit of PostgreSQL's planner: a tool whose query is planned over it is not"
            " published. Empty: none."
        ),
    )
    checks_cost_at_call = models.BooleanField(
        _("check the planned cost before each call"),
        default=False,
        db_default=False,
        help_text=_("One EXPLAIN more on the same connection; PostgreSQL alone."),
    )
    caller_identity = optional_text(
        _("identity of the caller"),
        validators=[check_identity],
        help_text=_(
            "For row-level security, in each query's transaction, one a line: app.tenant = claim:tenant,"
            " app.person = owner, or role = claim:team of kr_reader, jp_reader. PostgreSQL alone."
        ),
    )
    is_restricted = models.BooleanField(
        _("restricted"),
        default=False,
        db_default=False,
        help_text=_("Only superusers and those named here may have tools on it."),
    )
    allowed_users = models.ManyToManyField(
        settings.AUTH_USER_MODEL, verbose_name=_("allowed users"), blank=True, related_name="+"
    )
    allowed_groups = models.ManyToManyField(
        "auth.Group", verbose_name=_("allowed groups"), blank=True, related_name="+"
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True, db_default=Now())
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())

    class Meta:
        db_table = "h_data_source"
        verbose_name = _("data source")
        verbose_name_plural = _("data sources")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_default(self) -> bool:
        """Whether it shows the database of the POSTGRESQL_DB_* variables, which has no row."""
        return not self.pk and self.name == DEFAULT_SOURCE_NAME

    @cached_property
    def default_check(self) -> DefaultSourceCheck | None:
        """The last check of the database of these variables."""
        return DefaultSourceCheck.objects.first()

    @property
    def is_from_environment(self) -> bool:
        return self.origin == Origin.ENVIRONMENT

    @property
    def files_folder(self) -> str:
        """The folder whose files are tables: its path, or where those that are uploaded are kept."""
        return self.path or str(Path(settings.FILES_DIR) / self.uid.hex)

    @property
    def takes_uploads(self) -> bool:
        """Whether its tables are files that people upload."""
        return self.engine == UPLOADED.name and not self.path

    @property
    def kind(self) -> SourceKind:
        """What is known of its kind."""
        return find_kind(self.engine)

    @property
    def address(self) -> str:
        """Where the database is, without the role."""
        return self.kind.address.format(row=self)

    @property
    def allowed_host_names(self) -> frozenset[str]:
        """The hosts inside that it may be at, in small letters."""
        return frozenset(filter(None, map(str.strip, self.allowed_hosts.lower().split(","))))

    @property
    def is_service(self) -> bool:
        """Whether it is an HTTP service, which answers no queries."""
        return self.engine == HTTP.name

    @property
    def has_password(self) -> bool:
        """Whether its kind takes a password or another secret."""
        return "password_reference" not in self.kind.unused

    @property
    def secret_identity(self) -> str:
        """What its secrets are bound to: this row, and the server and role that may see them."""
        where = f"{self.username}@{self.host}:{self.port}"
        if self.is_service:
            where = f"{self.username}@{self.server_url}"
        return f"h_data_source:{self.uid}:password:{where}"

    def password_identity(self) -> str:
        """What the stored password is bound to; of a client also where it asks for tokens."""
        return f"{self.secret_identity} {self.token_url}".rstrip()

    def clean(self) -> None:
        """Say which field its engine needs or has no use for; a variable is judged where it is read."""
        if self.name == DEFAULT_SOURCE_NAME:
            raise ValidationError(
                {"name": _("The database of the POSTGRESQL_DB_* variables has this name.")}
            )
        kind = self.kind
        if self.caller_identity and "caller_identity" in kind.unused:
            # A source that took no notice of it would show every row to everybody.
            text = _("%s has no use for this; leave it empty.") % self.get_engine_display()
            raise ValidationError({"caller_identity": text})
        if self.is_from_environment:
            return
        required = [*kind.needed]
        useless = [*kind.unused]
        if self.is_service:
            required += _NEEDED_BY_AUTHENTICATION.get(self.authentication, ())
            if self.authentication != Authentication.CLIENT_CREDENTIALS:
                useless += ["token_url", "token_scope"]
        needed = [name for name in required if not getattr(self, name)]
        unused = [name for name in useless if getattr(self, name)]
        label = self.get_engine_display()
        errors = {
            **{name: _("%s needs this.") % label for name in needed},
            **{name: _("%s has no use for this; leave it empty.") % label for name in unused},
        }
        if errors:
            raise ValidationError(errors)
        try:
            check_engine_options(self.engine, self.options)
        except ValidationError as error:
            raise ValidationError({"options": error}) from error


class ServiceSecret(models.Model):
    """A secret of an HTTP service beside its credential, which headers of tools name.

    `secret` is sealed for the service's address, as its password is.
    """

    source = models.ForeignKey(
        DataSource,
        verbose_name=_("data source"),
        related_name="secrets",
        on_delete=models.CASCADE,
    )
    name = models.TextField(_("name"), validators=[SECRET_NAME])
    secret = EncryptedField(_("stored secret"))
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())

    class Meta:
        db_table = "h_data_source_secret"
        verbose_name = _("secret of a service")
        verbose_name_plural = _("secrets of services")
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["source", "name"], name="h_data_source_secret_once")
        ]

    def __str__(self) -> str:
        return f"{self.source_id}: {self.name}"

    def identity(self, source: DataSource) -> str:
        """What the secret is bound to: this name, of this service, at its address."""
        return f"{source.secret_identity}:{self.name}"


class ServiceOperation(models.Model):
    """An operation that the last document of an HTTP service had, for tools that are made of it.

    `tool` is the document of a tool that calls it.
    """

    source = models.ForeignKey(
        DataSource,
        verbose_name=_("data source"),
        related_name="operations",
        on_delete=models.CASCADE,
        editable=False,
    )
    position = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    method = models.TextField(editable=False)
    path = models.TextField(editable=False)
    summary = models.TextField(default="", db_default="", editable=False)
    tag = models.TextField(default="", db_default="", editable=False)
    tool = models.JSONField(default=dict, db_default={}, editable=False)

    class Meta:
        db_table = "h_data_source_operation"
        verbose_name = _("operation of a service")
        verbose_name_plural = _("operations of services")
        ordering = ["position"]
        indexes = [
            models.Index(fields=["source", "position"], name="h_data_source_operation_order")
        ]

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"
