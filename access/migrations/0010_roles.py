"""Roles of people and groups, over all or by toolset; a DELETE by any program takes them along."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from access.audit.triggers import audited
from access.foreign_keys import on_delete

_USER = "(SELECT username FROM auth_user WHERE id = ($1->>'user_id')::integer)"
_GROUP = "(SELECT name FROM auth_group WHERE id = ($1->>'group_id')::integer)"
_TOOLSET = "(SELECT name FROM h_mcp_toolset WHERE id = ($1->>'toolset_id')::bigint)"


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0009_sign_on"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RoleGrant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "viewer"),
                            ("author", "author"),
                            ("reviewer", "reviewer"),
                            ("auditor", "auditor"),
                            ("administrator", "administrator"),
                        ],
                        max_length=20,
                        verbose_name="role",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="created",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="role_grants",
                        to="auth.group",
                        verbose_name="group",
                    ),
                ),
                (
                    "toolset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="role_grants",
                        to="access.toolset",
                        verbose_name="toolset",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="role_grants",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "role of a person or group",
                "verbose_name_plural": "roles",
                "db_table": "h_role_grant",
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("group__isnull", False), ("user", None)),
                            models.Q(("group", None), ("user__isnull", False)),
                            _connector="OR",
                        ),
                        name="h_role_grant_of_one",
                        violation_error_message="Choose one user or one group.",
                    ),
                    models.UniqueConstraint(
                        fields=("user", "group", "role", "toolset"),
                        name="h_role_grant_once",
                        nulls_distinct=False,
                        violation_error_message="They have this role already.",
                    ),
                ],
            },
        ),
        on_delete("CASCADE", "h_role_grant", "user_id", "auth_user"),
        on_delete("CASCADE", "h_role_grant", "group_id", "auth_group"),
        on_delete("CASCADE", "h_role_grant", "toolset_id", "h_mcp_toolset"),
        audited("h_role_grant", f"concat_ws(' · ', {_USER}, {_GROUP}, $1->>'role', {_TOOLSET})"),
    ]
