"""What an HTTP service said to a test run, on which the part to keep is tried while somebody writes it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0005_files")]

    operations = [
        migrations.AddField(
            model_name="tooltrial",
            name="answer",
            field=models.TextField(db_default="", default="", editable=False),
        ),
    ]
