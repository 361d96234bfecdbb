"""Where a parameter's value comes from, and who saved a tool last."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0003_cascade_in_the_database")]

    operations = [
        migrations.AddField(
            model_name="toolparameter",
            name="binding",
            field=models.TextField(
                choices=[
                    ("AGENT", "the agent"),
                    ("FIXED", "a fixed value"),
                    ("KEY_OWNER", "the owner of the API key"),
                    ("KEY_ID", "the id of the API key"),
                    ("CLAIM", "a claim of the API key"),
                ],
                db_default="AGENT",
                default="AGENT",
                help_text="Who gives the value. All but the agent's are hidden from agents, always given, and refused when an agent sends them.",
                verbose_name="value from",
            ),
        ),
        migrations.AddField(
            model_name="toolparameter",
            name="bound_value",
            field=models.JSONField(
                blank=True,
                help_text='JSON; the fixed value, as in "KR" or 5, or the claim\'s name, as in "tenant". Empty for the others.',
                null=True,
                verbose_name="bound value",
            ),
        ),
        migrations.AddField(
            model_name="tooldefinition",
            name="updated_by",
            field=models.TextField(
                blank=True, db_default="", default="", verbose_name="updated by"
            ),
        ),
    ]
