"""Descriptions for agents in several languages, by language."""

from django.db import migrations, models

_HELP = 'By language, as in {"ko": "…", "ja": "…"}; AGENT_LANGUAGE says which one agents read.'


class Migration(migrations.Migration):
    dependencies = [("tools", "0011_cost_limit")]

    operations = [
        migrations.AddField(
            model,
            "descriptions",
            models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text=_HELP,
                verbose_name="descriptions in other languages",
            ),
        )
        for model in ("tooldefinition", "toolparameter")
    ]
