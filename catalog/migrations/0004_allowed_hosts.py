"""The hosts inside at which an HTTP service may be."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0003_cost_limit")]

    operations = [
        migrations.AddField(
            "datasource",
            "allowed_hosts",
            models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text=(
                    "Hosts inside that the service may be at, between commas, as crm.internal:8080;"
                    " each has to be within the operator's setting HTTP_ALLOWED_HOSTS."
                ),
                validators=[
                    django.core.validators.RegexValidator(
                        r"^[A-Za-z0-9.:_\[\]-]+(, *[A-Za-z0-9.:_\[\]-]+)*\Z",
                        "Write names of hosts between commas, as in crm.internal, 10.0.0.7:8080.",
                    )
                ],
                verbose_name="allowed hosts",
            ),
        ),
    ]
