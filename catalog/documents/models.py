"""Documents about the data, which agents read before they write SQL."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from catalog.sources.models import optional_text


class DocumentKind(models.TextChoices):
    """What a reference document is about."""

    TABLE = "table", _("table")
    COLUMN = "column", _("column")
    QUERY = "query", _("example query")
    TEXT = "text", _("text")


class ReferenceDocument(models.Model):
    """What agents read before they write SQL: a column, an example query or a free text.

    `content` is what the file said, `text` the form of it that is embedded and served. Its vector
    is up to date where `indexed_hash` equals `content_hash`; `indexed_with` is the collection, the
    model and the dimension.
    """

    key = models.TextField(_("key"), unique=True)
    kind = models.TextField(_("kind"), choices=DocumentKind)
    table_name = optional_text(_("table"))
    column_name = optional_text(_("column"))
    content = models.JSONField(_("content"), default=dict, db_default={}, blank=True)
    text = models.TextField(_("text"))
    metadata = models.JSONField(_("metadata"), default=dict, db_default={}, blank=True)
    content_hash = models.TextField(_("content hash"), default="", db_default="", editable=False)
    source = optional_text(_("source"))
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())
    indexed_hash = models.TextField(_("indexed hash"), default="", db_default="", editable=False)
    indexed_with = models.TextField(_("indexed with"), default="", db_default="", editable=False)
    indexed_at = models.DateTimeField(_("indexed"), null=True, editable=False)
    # Written among few others, as after an edit: its vector is made before those of a scan.
    is_urgent = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        db_table = "h_reference_document"
        verbose_name = _("reference document")
        verbose_name_plural = _("reference documents")
        ordering = ["key"]
        indexes = [
            models.Index(fields=["source"], name="h_reference_document_source"),
            models.Index(
                models.F("is_urgent").desc(),
                models.F("updated_at").desc(),
                condition=~models.Q(indexed_hash=models.F("content_hash")),
                name="h_reference_document_pending",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=DocumentKind.values), name="h_reference_document_kind"
            )
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def is_indexed(self) -> bool:
        """Whether its vector is up to date, as far as this row knows."""
        return bool(self.indexed_hash) and self.indexed_hash == self.content_hash


class RemovedDocument(models.Model):
    """A key whose document was deleted while its vector may still be found.

    A trigger writes it for every deletion; indexing takes it away together with the vector.
    """

    key = models.TextField()
    removed_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "h_removed_document"

    def __str__(self) -> str:
        return self.key
