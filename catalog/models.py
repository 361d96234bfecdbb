"""The catalogue: tables and columns of data sources, what people wrote of them, and scans.

What a scan writes and what people write are different columns, so that neither overwrites the other.
Data sources, MCP servers and documents have their models in their rooms.
"""

from collections.abc import Collection, Iterable
from typing import Any

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from catalog.documents.models import DocumentKind, ReferenceDocument, RemovedDocument
from catalog.mcp_servers.models import McpServer, McpTool, ServerState
from catalog.sources.check_models import CheckState, DefaultSourceCheck, KeptCheck, SourceCheck
from catalog.sources.models import (
    Authentication,
    DataSource,
    Origin,
    ServiceOperation,
    ServiceSecret,
    optional_text,
)
from core.catalogue.entries import RelationType, TableKind
from core.catalogue.masking import MASK, is_sensitive
from core.toolspec import Dialect
from gateways.engines import find_engine

__all__ = [
    "ACTIVE_STATES",
    "Authentication",
    "CatalogColumn",
    "CatalogQuery",
    "CatalogScan",
    "CatalogTable",
    "CheckState",
    "DataSource",
    "DefaultSourceCheck",
    "DocumentKind",
    "GlossaryConcept",
    "KeptCheck",
    "McpServer",
    "McpTool",
    "Origin",
    "ReferenceDocument",
    "RemovedDocument",
    "ScanPhase",
    "ScanState",
    "SchemaState",
    "ServerState",
    "ServiceOperation",
    "ServiceSecret",
    "SourceCheck",
    "TableRelation",
    "Tag",
]


class Tag(models.Model):
    """A word under which tables are found."""

    name = models.TextField(_("name"), unique=True)

    class Meta:
        db_table = "h_catalog_tag"
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class CatalogTableQuerySet(models.QuerySet["CatalogTable"]):
    """Reads of tables."""

    def present(self) -> "CatalogTableQuerySet":
        """Tables that the last scan of their data source found."""
        return self.filter(gone_at=None)

    def served(self) -> "CatalogTableQuerySet":
        """Tables that agents may see, whatever their data source."""
        return self.present().filter(is_hidden=False)


class CatalogTable(models.Model):
    """A table or view as the last scan found it, and what people wrote of it.

    `source` NULL is the default data source. People own display_name, description, notes, tags and
    is_hidden; scans own the rest. Where `description` is empty, `source_comment` is shown.
    """

    source = models.ForeignKey(
        DataSource,
        verbose_name=_("data source"),
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="tables",
    )
    schema = optional_text(_("schema"))
    name = models.TextField(_("name"))
    kind = models.TextField(
        _("kind"),
        choices=[(kind.value, kind.value) for kind in TableKind],
        default=TableKind.TABLE.value,
        db_default=TableKind.TABLE.value,
    )
    source_comment = optional_text(_("comment in the database"))
    row_estimate = models.BigIntegerField(_("rows, estimated"), null=True, blank=True)
    # {"columns": [...], "rows": [[...], ...]}; NULL where none was read, sample_note says why.
    sample = models.JSONField(_("sample"), null=True, blank=True)
    sample_note = optional_text(_("about the sample"))
    sample_note_message = models.JSONField(null=True, editable=False)
    shape_hash = models.TextField(default="", db_default="", editable=False)
    scanned_at = models.DateTimeField(_("scanned"), null=True, editable=False)
    changed_at = models.DateTimeField(_("changed in the database"), null=True, editable=False)
    gone_at = models.DateTimeField(_("gone since"), null=True, editable=False)

    display_name = optional_text(_("display name"))
    description = optional_text(_("description"))
    notes = optional_text(
        _("notes"),
        help_text=_("What one must know before querying it: filters, size, update times."),
    )
    tags = models.ManyToManyField(Tag, verbose_name=_("tags"), blank=True, related_name="tables")
    is_hidden = models.BooleanField(
        _("hidden from agents"), default=False, db_default=False, help_text=_("Not served.")
    )
    # All its words, and those of its columns, in one place: catalog.searching.search writes and reads it.
    search_text = models.TextField(default="", db_default="", editable=False)
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())
    updated_by = optional_text(_("updated by"))

    objects = CatalogTableQuerySet.as_manager()

    class Meta:
        db_table = "h_catalog_table"
        verbose_name = _("catalogue table")
        verbose_name_plural = _("catalogue tables")
        ordering = ["schema", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "schema", "name"],
                name="h_catalog_table_name",
                nulls_distinct=False,
            )
        ]
        indexes = [
            GinIndex(
                fields=["search_text"], opclasses=["gin_trgm_ops"], name="h_catalog_table_search"
            )
        ]

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name

    @property
    def dialect(self) -> Dialect:
        """The SQL of its data source, which should be loaded."""
        return find_engine(self.source.engine if self.source else None).dialect

    @property
    def shown_description(self) -> str:
        """What people wrote, or else the comment in the database."""
        return self.description or self.source_comment

    def find_masked(self, columns: "Iterable[CatalogColumn]") -> set[str]:
        """Columns of its sample whose values are masked now: the rules may be stricter than at the scan."""
        by_name = {column.name: column for column in columns}
        names: list[str] = self.sample["columns"] if self.sample else []
        found = {name: by_name.get(name) or CatalogColumn(name=name) for name in names}
        return {name for name, column in found.items() if column.masks_samples(self)}

    def mask_sample(self, masked: Collection[str]) -> list[list[Any]]:
        """The rows of its sample with values of these columns masked; NULL stays NULL."""
        sample: Any = self.sample
        hidden = [name in masked for name in sample["columns"]]
        return [
            [
                MASK if is_hidden and cell is not None else cell
                for cell, is_hidden in zip(row, hidden, strict=False)
            ]
            for row in sample["rows"]
        ]


class CatalogColumn(models.Model):
    """A column of a table; people own display_name, description and is_masked, scans the rest."""

    table = models.ForeignKey(
        CatalogTable, verbose_name=_("table"), on_delete=models.CASCADE, related_name="columns"
    )
    name = models.TextField(_("name"))
    position = models.IntegerField(_("position"), default=0, db_default=0)
    # As people write it, such as numeric(10,2).
    type_name = optional_text(_("type"))
    is_nullable = models.BooleanField(_("nullable"), default=True, db_default=True)
    is_primary_key = models.BooleanField(_("primary key"), default=False, db_default=False)
    source_comment = optional_text(_("comment in the database"))
    gone_at = models.DateTimeField(_("gone since"), null=True, editable=False)

    display_name = optional_text(_("display name"))
    description = optional_text(_("description"))
    is_masked = models.BooleanField(
        _("masked in samples"),
        null=True,
        blank=True,
        help_text=_("Unknown: the rule of names decides."),
    )
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())
    updated_by = optional_text(_("updated by"))

    class Meta:
        db_table = "h_catalog_column"
        verbose_name = _("catalogue column")
        verbose_name_plural = _("catalogue columns")
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["table", "name"], name="h_catalog_column_name")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_description(self) -> str:
        """What people wrote, or else the comment in the database."""
        return self.description or self.source_comment

    def masks_samples(self, table: CatalogTable) -> bool:
        """Whether samples of its table hide its values: as people decided, or by the rule of names."""
        if self.is_masked is not None:
            return self.is_masked
        return is_sensitive(self.name, self.source_comment, table.name)


class TableRelation(models.Model):
    """How rows of one table belong to rows of another.

    FOREIGN_KEY rows are the scans' (by constraint name; their description is people's), DERIVED
    and OWN ones are people's. `columns` and `target_columns` are paired by position.
    """

    table = models.ForeignKey(
        CatalogTable, verbose_name=_("table"), on_delete=models.CASCADE, related_name="relations"
    )
    target = models.ForeignKey(
        CatalogTable,
        verbose_name=_("related table"),
        on_delete=models.CASCADE,
        related_name="incoming_relations",
    )
    relation_type = models.TextField(
        _("kind"), choices=[(kind.value, kind.value) for kind in RelationType]
    )
    constraint_name = optional_text(_("constraint"), editable=False)
    columns = models.JSONField(_("columns"), default=list, db_default=[], blank=True)
    target_columns = models.JSONField(
        _("columns of the related table"), default=list, db_default=[], blank=True
    )
    join_condition = optional_text(
        _("join condition"), help_text=_("Empty: equality of the columns.")
    )
    description = optional_text(_("description"))
    gone_at = models.DateTimeField(_("gone since"), null=True, editable=False)

    class Meta:
        db_table = "h_catalog_relation"
        verbose_name = _("relation of tables")
        verbose_name_plural = _("relations of tables")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "constraint_name"],
                condition=~models.Q(constraint_name=""),
                name="h_catalog_relation_constraint",
            )
        ]

    def __str__(self) -> str:
        return f"{self.table_id} -> {self.target_id}"


class ScanState(models.TextChoices):
    """Where a scan is."""

    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class ScanPhase(models.TextChoices):
    """What a scan is doing."""

    LISTING = "listing", _("listing tables")
    READING = "reading", _("reading columns and keys")
    RELATING = "relating", _("relating tables")
    SAMPLING = "sampling", _("reading samples")


# Of scans that are not over.
ACTIVE_STATES = (ScanState.QUEUED, ScanState.RUNNING)


class CatalogScan(models.Model):
    """One reading of a data source's schema, its progress and its outcome.

    `heartbeat_at` tells a scan that died from one that works; `warnings` are sentences.
    """

    source = models.ForeignKey(
        DataSource,
        verbose_name=_("data source"),
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="scans",
    )
    state = models.TextField(
        _("state"), choices=ScanState, default=ScanState.QUEUED, db_default=ScanState.QUEUED
    )
    phase = optional_text(_("phase"), choices=ScanPhase)
    table_name = optional_text(_("table"))
    done_count = models.IntegerField(_("done"), default=0, db_default=0)
    total_count = models.IntegerField(_("of"), default=0, db_default=0)
    new_count = models.IntegerField(_("new"), default=0, db_default=0)
    changed_count = models.IntegerField(_("changed"), default=0, db_default=0)
    gone_count = models.IntegerField(_("gone"), default=0, db_default=0)
    error = optional_text(_("error"))
    error_message = models.JSONField(null=True, editable=False)
    warnings = models.JSONField(_("warnings"), default=list, db_default=[], blank=True)
    warning_messages = models.JSONField(default=list, db_default=[], editable=False)
    is_cancel_wanted = models.BooleanField(default=False, db_default=False, editable=False)
    requested_by = optional_text(_("requested by"))
    requested_at = models.DateTimeField(_("requested"), auto_now_add=True, db_default=Now())
    started_at = models.DateTimeField(_("started"), null=True, editable=False)
    heartbeat_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(_("finished"), null=True, editable=False)

    class Meta:
        db_table = "h_catalog_scan"
        verbose_name = _("scan")
        verbose_name_plural = _("scans")
        ordering = ["-id"]
        constraints = [
            # One at a time for each data source.
            models.UniqueConstraint(
                fields=["source"],
                condition=models.Q(state__in=[ScanState.QUEUED, ScanState.RUNNING]),
                name="h_catalog_scan_active",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id}: {self.state}"

    @property
    def shown_warnings(self) -> list[Any]:
        """The warnings as their messages, or as the texts that they were before they had some."""
        texts, messages = list(self.warnings), list(self.warning_messages)
        return messages if len(messages) == len(texts) else texts

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE_STATES


class SchemaState(models.Model):
    """Counts what scans found changed in a data source; tools on it are checked again when it moves."""

    source = models.OneToOneField(
        DataSource, null=True, on_delete=models.CASCADE, related_name="schema_state"
    )
    revision = models.BigIntegerField(default=0, db_default=0)
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "h_catalog_schema_state"
        constraints = [
            # The default data source has one as well, and NULL is no value to a unique column.
            models.UniqueConstraint(
                fields=["source"], name="h_catalog_schema_state_source", nulls_distinct=False
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id}: {self.revision}"


class CatalogQuery(models.Model):
    """A search of the catalogue by a person or over the REST API, for those who improve its words."""

    at = models.DateTimeField(_("searched"), db_default=Now())
    surface = models.TextField(_("where"))
    query = optional_text(_("query"))
    result_count = models.IntegerField(_("results"), default=0, db_default=0)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    key_id = optional_text(_("API key"))

    class Meta:
        db_table = "h_catalog_query"
        verbose_name = _("search of the catalogue")
        verbose_name_plural = _("searches of the catalogue")
        ordering = ["-id"]
        indexes = [models.Index(fields=["at"], name="h_catalog_query_at")]

    def __str__(self) -> str:
        return self.query


class GlossaryConcept(models.Model):
    """One meaning with the words for it: {"ko": ["고객"], "ja": ["顧客"], "en": ["customer"]}.

    Takes the place of the shipped concept of that key, where there is one; shipped concepts that
    nobody has changed have no row.
    """

    key = models.SlugField(_("key"), max_length=60, unique=True)
    terms = models.JSONField(_("terms"), default=dict, db_default={}, blank=True)
    note = optional_text(_("note"))
    is_shipped = models.BooleanField(_("shipped"), default=False, db_default=False)
    is_active = models.BooleanField(_("in use"), default=True, db_default=True)
    updated_by = optional_text(_("updated by"))
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())

    class Meta:
        db_table = "h_glossary_concept"
        verbose_name = _("concept")
        verbose_name_plural = _("glossary")
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key
