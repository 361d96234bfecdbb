"""Tools say what the call log keeps of their arguments."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tools", "0006_audit_trail"),
    ]

    operations = [
        migrations.AddField(
            model_name="tooldefinition",
            name="record_arguments",
            field=models.TextField(
                choices=[
                    ("full", "names and values"),
                    ("hash", "names, and hashes of the values"),
                    ("names", "names only"),
                    ("none", "nothing"),
                ],
                db_default="full",
                default="full",
                help_text="What is kept of a call's arguments; CALL_LOG_ARGUMENTS may keep less of all tools.",
                verbose_name="arguments in the call log",
            ),
        ),
    ]
