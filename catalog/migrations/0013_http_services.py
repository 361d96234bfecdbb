"""A data source may be an HTTP service."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0012_glossary"),
    ]

    operations = [
        migrations.AddField(
            model_name="datasource",
            name="authentication",
            field=models.TextField(
                blank=True,
                choices=[
                    ("", "nothing"),
                    ("bearer", "Authorization: Bearer"),
                    ("basic", "user and password (Basic)"),
                    ("header", "a header"),
                    ("query", "a parameter of the address"),
                ],
                db_default="",
                default="",
                help_text="How an HTTP service is told the password, which is its token or key.",
                verbose_name="authentication",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="authentication_name",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="As X-API-Key, where the secret has a header or a parameter of its own.",
                verbose_name="header or parameter",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="server_url",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Where the operations of an HTTP service are, as https://api.example.com/v1.",
                verbose_name="server URL",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="engine",
            field=models.TextField(
                choices=[("postgresql", "PostgreSQL"), ("sqlite", "SQLite"), ("http", "HTTP")],
                db_default="postgresql",
                default="postgresql",
                verbose_name="engine",
            ),
        ),
    ]
