"""Questions that a search should answer with certain tools."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class SearchQuestion(models.Model):
    """A question as an agent asks it, and the names of the tools of which one should be found."""

    text = models.TextField(_("question"), unique=True)
    language = models.CharField(_("language"), max_length=5, default="other", db_default="other")
    expected = models.JSONField(_("expected tools"), default=list, db_default=[], blank=True)
    created_by = models.TextField(_("created by"), default="", db_default="", blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        db_table = "h_search_question"
        verbose_name = _("search question")
        verbose_name_plural = _("search questions")
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.text[:80]
