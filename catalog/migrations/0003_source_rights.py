"""Who may have tools on a data source."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0002_connections"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="datasource",
            name="is_restricted",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Only superusers and those named here may have tools on it.",
                verbose_name="restricted",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="allowed_groups",
            field=models.ManyToManyField(
                blank=True, related_name="+", to="auth.group", verbose_name="allowed groups"
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="allowed_users",
            field=models.ManyToManyField(
                blank=True,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="allowed users",
            ),
        ),
    ]
