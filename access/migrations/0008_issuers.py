"""Issuers of access tokens, and the rules on their claims."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import access.allowed_tools
import access.issuers.models
from access.audit.triggers import audited
from access.foreign_keys import on_delete


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0007_call_origin"),
    ]

    operations = [
        migrations.CreateModel(
            name="TokenIssuer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        max_length=32,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]{0,31}$", "Use small letters, digits and dashes."
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "url",
                    models.CharField(
                        max_length=500,
                        unique=True,
                        validators=[access.issuers.models.check_issuer_url],
                        verbose_name="issuer",
                    ),
                ),
                (
                    "audience",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=500,
                        verbose_name="audience",
                    ),
                ),
                (
                    "algorithms",
                    models.JSONField(
                        db_default=["RS256", "ES256"],
                        default=access.issuers.models.default_algorithms,
                        verbose_name="algorithms",
                    ),
                ),
                (
                    "leeway_s",
                    models.PositiveSmallIntegerField(
                        db_default=30,
                        default=30,
                        validators=[django.core.validators.MaxValueValidator(300)],
                        verbose_name="leeway, s",
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=500, verbose_name="scope"
                    ),
                ),
                (
                    "name_claim",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=100,
                        verbose_name="name of people",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=True, default=True, verbose_name="active"),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="created",
                    ),
                ),
            ],
            options={
                "verbose_name": "issuer",
                "verbose_name_plural": "issuers",
                "db_table": "h_token_issuer",
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z0-9][a-z0-9-]{0,31}$")),
                        name="h_token_issuer_name",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="IssuerRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("claim", models.CharField(max_length=200, verbose_name="claim")),
                (
                    "test",
                    models.CharField(
                        choices=[
                            ("equals", "equals"),
                            ("contains", "contains"),
                            ("matches", "matches"),
                        ],
                        max_length=20,
                        verbose_name="comparison",
                    ),
                ),
                ("value", models.CharField(max_length=500, verbose_name="value")),
                (
                    "allowed_tools",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        validators=[access.allowed_tools.check_allowed_tools],
                        verbose_name="allowed tools",
                    ),
                ),
                (
                    "toolsets",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="toolsets"
                    ),
                ),
                (
                    "builtin_groups",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="built-in groups"
                    ),
                ),
                (
                    "free_sql_sources",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="SQL of its own on"
                    ),
                ),
                (
                    "bound",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        validators=[access.issuers.models.check_bound],
                        verbose_name="facts",
                    ),
                ),
                (
                    "issuer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rules",
                        to="access.tokenissuer",
                        verbose_name="issuer",
                    ),
                ),
            ],
            options={
                "verbose_name": "claim rule",
                "verbose_name_plural": "claim rules",
                "db_table": "h_claim_rule",
                "ordering": ["id"],
            },
        ),
        on_delete("CASCADE", "h_claim_rule", "issuer_id", "h_token_issuer"),
        audited("h_token_issuer"),
        audited("h_claim_rule", "concat_ws(' ', $1->>'claim', $1->>'value')"),
    ]
