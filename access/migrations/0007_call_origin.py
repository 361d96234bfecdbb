"""Calls say from where they came: client, protocol, session, address, endpoint, trace; refused keys too."""

from django.db import migrations, models

_TEXTS = {
    "client_name": "client",
    "client_version": "client version",
    "endpoint": "endpoint",
}
_SHORT = {
    "protocol": ("protocol", 16),
    "session": ("session", 32),
    "address": ("address", 45),
    "trace_id": ("trace id", 32),
}


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0006_call_roll_up"),
    ]

    operations = [
        *(
            migrations.AddField(
                model_name="callrecord",
                name=name,
                field=models.TextField(db_default="", default="", verbose_name=label),
            )
            for name, label in _TEXTS.items()
        ),
        *(
            migrations.AddField(
                model_name="callrecord",
                name=name,
                field=models.CharField(
                    db_default="", default="", max_length=length, verbose_name=label
                ),
            )
            for name, (label, length) in _SHORT.items()
        ),
        migrations.AddField(
            model_name="callrecord",
            name="tool_version",
            field=models.IntegerField(null=True, verbose_name="tool version"),
        ),
        migrations.AlterField(
            model_name="callrecord",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("ok", "ok"),
                    ("invalid_arguments", "invalid arguments"),
                    ("unknown_tool", "unknown tool"),
                    ("tool_error", "tool error"),
                    ("timeout", "time-out"),
                    ("busy", "busy"),
                    ("unavailable", "data source unavailable"),
                    ("limited", "over a limit"),
                    ("refused", "key refused"),
                    ("cancelled", "cancelled"),
                    ("internal_error", "internal error"),
                ],
                max_length=20,
                verbose_name="outcome",
            ),
        ),
    ]
