"""The rows that give roles to people and groups."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from access.toolsets.models import Toolset
from core.roles import Role


class RoleName(models.TextChoices):
    """The roles as people read them."""

    VIEWER = Role.VIEWER.value, _("viewer")
    AUTHOR = Role.AUTHOR.value, _("author")
    REVIEWER = Role.REVIEWER.value, _("reviewer")
    AUDITOR = Role.AUDITOR.value, _("auditor")
    ADMINISTRATOR = Role.ADMINISTRATOR.value, _("administrator")


class RoleGrant(models.Model):
    """A role of one person or one group; without a toolset it holds over all."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        null=True,
        blank=True,
        related_name="role_grants",
        on_delete=models.CASCADE,
    )
    group = models.ForeignKey(
        "auth.Group",
        verbose_name=_("group"),
        null=True,
        blank=True,
        related_name="role_grants",
        on_delete=models.CASCADE,
    )
    role = models.CharField(_("role"), max_length=20, choices=RoleName)
    toolset = models.ForeignKey(
        Toolset,
        verbose_name=_("toolset"),
        null=True,
        blank=True,
        related_name="role_grants",
        on_delete=models.CASCADE,
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True, db_default=Now())

    class Meta:
        db_table = "h_role_grant"
        verbose_name = _("role of a person or group")
        verbose_name_plural = _("roles")
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(user=None, group__isnull=False) | Q(user__isnull=False, group=None),
                name="h_role_grant_of_one",
                violation_error_message=_("Choose one user or one group."),
            ),
            models.UniqueConstraint(
                fields=["user", "group", "role", "toolset"],
                name="h_role_grant_once",
                nulls_distinct=False,
                violation_error_message=_("They have this role already."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user or self.group} {self.role} {self.toolset or '*'}"
