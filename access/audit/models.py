"""The rows of the audit trail, which triggers write and nobody changes."""

from django.apps import apps
from django.db import models
from django.db.models import Value
from django.db.models.functions import Now
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _


class AuditAction(models.TextChoices):
    """What was done: to a row, or by a person at the door."""

    INSERT = "insert", _("made")
    UPDATE = "update", _("changed")
    DELETE = "delete", _("deleted")
    TRUNCATE = "truncate", _("emptied")
    SIGNED_IN = "signed_in", _("signed in")
    SIGN_IN_REFUSED = "sign_in_refused", _("sign-in refused")
    SIGNED_OUT = "signed_out", _("signed out")


class AuditPlace(models.TextChoices):
    """From where something was done."""

    PAGE = "page", _("page")
    BACK_OFFICE = "back_office", _("back office")
    COMMAND = "command", _("command line")
    WORKER = "worker", _("job")
    DATABASE = "database", _("database")


class AuditEntry(models.Model):
    """One entry: a change of a row, or an event. The database refuses that it is changed or deleted.

    `number` counts from 1 without a gap, and `hash` is that of the entry and of the one before it.
    Names are no references: the trail outlives people and what they changed. Of a changed row,
    `before` and `after` hold the columns that differ; a secret is only said to be there.
    """

    number = models.BigIntegerField(_("number"), primary_key=True, editable=False)
    at = models.DateTimeField(_("at"), editable=False)
    actor = models.TextField(_("who"), editable=False)
    place = models.TextField(_("from"), choices=AuditPlace, editable=False)
    address = models.TextField(_("address"), editable=False)
    db_role = models.TextField(_("database role"), editable=False)
    kind = models.TextField(_("table"), editable=False)
    action = models.TextField(_("what"), choices=AuditAction, editable=False)
    target_id = models.TextField(_("id"), editable=False)
    target_name = models.TextField(_("name"), editable=False)
    before = models.JSONField(_("before"), null=True, editable=False)
    after = models.JSONField(_("after"), null=True, editable=False)
    hash = models.BinaryField(editable=False)

    class Meta:
        db_table = "h_audit"
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit trail")
        ordering = ["-number"]
        indexes = [
            models.Index(fields=["kind", "-number"], name="h_audit_kind"),
            models.Index(fields=["actor", "-number"], name="h_audit_actor"),
            models.Index(fields=["at"], name="h_audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.actor} {self.action} {self.kind} {self.target_name}"

    @property
    def kind_label(self) -> str | Promise:
        """What a reader calls rows of that table."""
        return kind_label(self.kind)

    @property
    def changes(self) -> list[tuple[str, object, object]]:
        """Column, value before and value after; None where there is none."""
        before, after = self.before or {}, self.after or {}
        return [(name, before.get(name), after.get(name)) for name in {**before, **after}]


class AuditHead(models.Model):
    """One row: number and hash of the newest entry, so that a missing last entry shows."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    number = models.BigIntegerField(default=0, db_default=0)
    hash = models.BinaryField(default=b"", db_default=Value(b""))
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "h_audit_head"

    def __str__(self) -> str:
        return str(self.number)


def kind_label(table: str) -> str | Promise:
    """What a reader calls rows of that table: the name of its model, of both models of a link."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.db_table != table:
            continue
        if not model._meta.auto_created:
            return model._meta.verbose_name or table
        ends = [field.related_model for field in model._meta.fields if field.related_model]
        names = [end._meta.verbose_name for end in ends if not isinstance(end, str)]
        return format_lazy(" · ".join("{}" for _name in names), *names)
    return table
