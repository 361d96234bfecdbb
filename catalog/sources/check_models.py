"""What checks of data sources found, in tables of their own, so that checking changes no tool."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class CheckState(models.TextChoices):
    """What a check of a data source found."""

    OK = "ok", _("safe")
    WARNING = "warning", _("usable, with warnings")
    UNREACHABLE = "unreachable", _("not reached")
    REFUSED = "refused", _("refused")


class KeptCheck(models.Model):
    """What the last check of a data source said.

    `target` is what was checked: another one makes the check out of date. `refusal` is why the
    source may not be used, '' if it may; not reaching the database does not lift it.
    """

    checked_at = models.DateTimeField(_("checked"), db_default=Now())
    state = models.TextField(_("state"), choices=CheckState)
    summary = models.TextField(_("summary"), default="", db_default="")
    refusal = models.TextField(_("refusal"), default="", db_default="")
    refusal_message = models.JSONField(null=True, editable=False)
    target = models.TextField(_("target"), default="", db_default="", editable=False)
    report = models.JSONField(_("report"), default=dict, db_default={}, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.pk}: {self.state}"


class SourceCheck(KeptCheck):
    """The last check of a row."""

    source = models.OneToOneField(
        "catalog.DataSource",
        verbose_name=_("data source"),
        related_name="last_check",
        primary_key=True,
        on_delete=models.CASCADE,
    )

    class Meta:
        db_table = "h_data_source_check"
        verbose_name = _("check of a data source")
        verbose_name_plural = _("checks of data sources")


class DefaultSourceCheck(KeptCheck):
    """One row: the last check of the database of the POSTGRESQL_DB_* variables; its refusal takes no tool down."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)

    class Meta:
        db_table = "h_default_source_check"
        verbose_name = _("check of the default data source")
        verbose_name_plural = _("checks of the default data source")
