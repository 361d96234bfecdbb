"""SQLite beside PostgreSQL, stored passwords, connection options and further limits."""

import uuid

import django.contrib.postgres.functions
import django.core.validators
from django.db import migrations, models

import catalog.connection_options
import catalog.encryption


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="datasource",
            name="cell_limit",
            field=models.PositiveIntegerField(
                db_default=8192,
                default=8192,
                help_text="Longer texts are cut, and the answer says so.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(10000000),
                ],
                verbose_name="cell ceiling, characters",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="lock_timeout_ms",
            field=models.PositiveIntegerField(
                db_default=2000,
                default=2000,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(3600000),
                ],
                verbose_name="longest wait for a lock, ms",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="max_waiting",
            field=models.PositiveSmallIntegerField(
                db_default=16,
                default=16,
                help_text="For a free connection; further calls are told at once to retry.",
                validators=[django.core.validators.MaxValueValidator(10000)],
                verbose_name="calls that may wait",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="options",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text='Keywords of libpq, as in {"sslmode": "verify-full", "sslrootcert": "ca.pem"}; certificates are files of CREDENTIALS_DIR.',
                validators=[catalog.connection_options.check_options],
                verbose_name="connection options",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="origin",
            field=models.TextField(
                choices=[("row", "this form"), ("environment", "environment variable")],
                db_default="row",
                default="row",
                editable=False,
                verbose_name="defined by",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="password",
            field=catalog.encryption.EncryptedField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                verbose_name="stored password",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="path",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Absolute path of the database file; it is only read.",
                validators=[
                    django.core.validators.RegexValidator(
                        "^/[^\\x00]*[^/\\x00]\\Z", "Write an absolute path, as in /data/shop.db."
                    )
                ],
                verbose_name="file",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="uid",
            field=models.UUIDField(
                db_default=django.contrib.postgres.functions.RandomUUID(),
                default=uuid.uuid4,
                editable=False,
                unique=True,
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="byte_limit",
            field=models.PositiveIntegerField(
                db_default=10000000,
                default=10000000,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(1000000000),
                ],
                verbose_name="byte ceiling",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="database",
            field=models.TextField(blank=True, db_default="", default="", verbose_name="database"),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="engine",
            field=models.TextField(
                choices=[("postgresql", "PostgreSQL"), ("sqlite", "SQLite")],
                db_default="postgresql",
                default="postgresql",
                verbose_name="engine",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="host",
            field=models.TextField(blank=True, db_default="", default="", verbose_name="host"),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="name",
            field=models.SlugField(
                help_text="How tools refer to it: letters, digits, hyphens and underscores.",
                max_length=63,
                unique=True,
                verbose_name="name",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="password_reference",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="env:NAME reads an environment variable, file:NAME a file of CREDENTIALS_DIR.",
                validators=[
                    django.core.validators.RegexValidator(
                        "^(env|file):[A-Za-z0-9_.-]+\\Z",
                        "Write env:NAME or file:NAME; a password itself goes into the password field.",
                    )
                ],
                verbose_name="password reference",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="pool_size",
            field=models.PositiveSmallIntegerField(
                db_default=4,
                default=4,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(200),
                ],
                verbose_name="connections per runtime",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="row_limit",
            field=models.PositiveIntegerField(
                db_default=10000,
                default=10000,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(10000000),
                ],
                verbose_name="row ceiling",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="search_path",
            field=models.TextField(
                db_default="public",
                default="public",
                help_text="Schemas in which names without a schema are looked up, between commas.",
                validators=[catalog.connection_options.check_search_path],
                verbose_name="search path",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="timeout_ms",
            field=models.PositiveIntegerField(
                db_default=30000,
                default=30000,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(3600000),
                ],
                verbose_name="time-out ceiling, ms",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="username",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="A role that can read and nothing else.",
                verbose_name="role",
            ),
        ),
    ]
