"""Keep the codes and values of stored sentences beside their English texts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0015_wait_for_a_connection"),
    ]

    operations = [
        migrations.AddField(
            model_name="catalogscan",
            name="error_message",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="catalogscan",
            name="warning_messages",
            field=models.JSONField(db_default=[], default=list, editable=False),
        ),
        migrations.AddField(
            model_name="catalogtable",
            name="sample_note_message",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="mcpserver",
            name="trouble_message",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="sourcecheck",
            name="refusal_message",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
