"""What people wrote into the glossary: concepts of their own, and changes of the shipped ones."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class GlossaryConcept(models.Model):
    """One meaning with the words for it: {"ko": ["고객"], "ja": ["顧客"], "en": ["customer"]}.

    Takes the place of the shipped concept of that key, where there is one; shipped concepts that
    nobody has changed have no row.
    """

    key = models.SlugField(_("key"), max_length=60, unique=True)
    terms = models.JSONField(_("terms"), default=dict, db_default={}, blank=True)
    note = models.TextField(_("note"), default="", db_default="", blank=True)
    is_shipped = models.BooleanField(_("shipped"), default=False, db_default=False)
    is_active = models.BooleanField(_("in use"), default=True, db_default=True)
    updated_by = models.TextField(_("updated by"), default="", db_default="", blank=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())

    class Meta:
        db_table = "h_glossary_concept"
        verbose_name = _("concept")
        verbose_name_plural = _("glossary")
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key
