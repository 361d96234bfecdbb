"""More kinds of data source: MariaDB and MySQL, DuckDB's databases, and folders of files."""

from django.core.validators import RegexValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0007_service_operations")]

    operations = [
        migrations.AlterField(
            "DataSource",
            "engine",
            models.TextField(
                "engine",
                choices=[
                    ("postgresql", "PostgreSQL"),
                    ("mysql", "MariaDB / MySQL"),
                    ("sqlite", "SQLite"),
                    ("duckdb", "DuckDB"),
                    ("files", "Files"),
                    ("http", "HTTP"),
                ],
                default="postgresql",
                db_default="postgresql",
            ),
        ),
        migrations.AlterField(
            "DataSource",
            "path",
            models.TextField(
                "file",
                blank=True,
                default="",
                db_default="",
                help_text=(
                    "Absolute path of the database file, or of the folder of files; it is only read. A"
                    " source of kind Files without a path takes files that are uploaded here."
                ),
                validators=[
                    RegexValidator(
                        "^/[^\\x00]*[^/\\x00]\\Z", "Write an absolute path, as in /data/shop.db."
                    )
                ],
            ),
        ),
    ]
