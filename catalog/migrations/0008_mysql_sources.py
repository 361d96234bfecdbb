from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0007_service_operations")]

    operations = [
        migrations.AlterField(
            model_name="datasource",
            name="engine",
            field=models.TextField(
                choices=[
                    ("postgresql", "PostgreSQL"),
                    ("mysql", "MariaDB / MySQL"),
                    ("sqlite", "SQLite"),
                    ("http", "HTTP"),
                ],
                db_default="postgresql",
                default="postgresql",
                verbose_name="engine",
            ),
        ),
    ]
