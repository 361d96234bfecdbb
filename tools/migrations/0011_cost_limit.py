"""The most that the planner may estimate for a tool's query."""

from django.core.validators import MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tools", "0010_aliases")]

    operations = [
        migrations.AddField(
            "tooldefinition",
            "plan_cost_limit",
            models.PositiveIntegerField(
                blank=True,
                help_text=(
                    "In the unit of PostgreSQL's planner: a query over it is not published. Empty:"
                    " as its data source says."
                ),
                null=True,
                validators=[MinValueValidator(1)],
                verbose_name="planned cost ceiling",
            ),
        ),
    ]
