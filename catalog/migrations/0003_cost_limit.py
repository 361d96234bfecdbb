"""The most that the planner may estimate for a query on a data source, and when it is asked."""

from django.core.validators import MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0002_audit_trail")]

    operations = [
        migrations.AddField(
            "datasource",
            "plan_cost_limit",
            models.PositiveIntegerField(
                blank=True,
                help_text=(
                    "In the unit of PostgreSQL's planner: a tool whose query is planned over it is"
                    " not published. Empty: none."
                ),
                null=True,
                validators=[MinValueValidator(1)],
                verbose_name="planned cost ceiling",
            ),
        ),
        migrations.AddField(
            "datasource",
            "checks_cost_at_call",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="One EXPLAIN more on the same connection; PostgreSQL alone.",
                verbose_name="check the planned cost before each call",
            ),
        ),
    ]
