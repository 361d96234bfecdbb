"""Who a caller is to a data source: settings for row-level security, and a role."""

from django.db import migrations, models

import catalog.connection_options


class Migration(migrations.Migration):
    dependencies = [("catalog", "0008_engines")]

    operations = [
        migrations.AddField(
            "DataSource",
            "caller_identity",
            models.TextField(
                "identity of the caller",
                blank=True,
                default="",
                db_default="",
                help_text=(
                    "For row-level security, in each query's transaction, one a line: app.tenant ="
                    " claim:tenant, app.person = owner, or role = claim:team of kr_reader, jp_reader."
                    " PostgreSQL alone."
                ),
                validators=[catalog.connection_options.check_identity],
            ),
        ),
    ]
