"""Databases that an administrator registered."""

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from core.toolspec import DEFAULT_BYTE_LIMIT, DEFAULT_ROW_LIMIT, DEFAULT_TIMEOUT_MS

_REFERENCE = RegexValidator(
    r"^(env|file):[A-Za-z0-9_.-]+$",
    _("Write env:NAME or file:NAME; a password is never stored here."),
)


class Engine(models.TextChoices):
    """Kinds of database."""

    POSTGRESQL = "postgresql", "PostgreSQL"


class DataSource(models.Model):
    """A database that tools may read; its limits are ceilings for every tool on it."""

    name = models.SlugField(_("name"), max_length=63, unique=True)
    engine = models.TextField(
        _("engine"), choices=Engine, default=Engine.POSTGRESQL, db_default=Engine.POSTGRESQL
    )
    host = models.TextField(_("host"))
    port = models.PositiveIntegerField(
        _("port"),
        default=5432,
        db_default=5432,
        validators=[MinValueValidator(1), MaxValueValidator(65535)],
    )
    database = models.TextField(_("database"))
    username = models.TextField(_("role"), help_text=_("A role that can read and nothing else."))
    password_reference = models.TextField(
        _("password"),
        default="",
        db_default="",
        blank=True,
        validators=[_REFERENCE],
        help_text=_("env:NAME reads an environment variable, file:NAME a file of CREDENTIALS_DIR."),
    )
    search_path = models.TextField(_("search path"), default="public", db_default="public")
    pool_size = models.PositiveSmallIntegerField(
        _("connections per runtime"), default=4, db_default=4, validators=[MinValueValidator(1)]
    )
    row_limit = models.PositiveIntegerField(
        _("row ceiling"), default=10 * DEFAULT_ROW_LIMIT, db_default=10 * DEFAULT_ROW_LIMIT
    )
    byte_limit = models.PositiveIntegerField(
        _("byte ceiling"), default=10 * DEFAULT_BYTE_LIMIT, db_default=10 * DEFAULT_BYTE_LIMIT
    )
    timeout_ms = models.PositiveIntegerField(
        _("time-out ceiling, ms"), default=3 * DEFAULT_TIMEOUT_MS, db_default=3 * DEFAULT_TIMEOUT_MS
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
