"""Single sign-on: ourselves as a client of an issuer, and who of us its subjects are."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import access.encryption
from access.foreign_keys import on_delete


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0008_issuers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="issuerrule",
            name="people_groups",
            field=models.JSONField(
                blank=True, db_default=[], default=list, verbose_name="groups of people"
            ),
        ),
        migrations.AddField(
            model_name="tokenissuer",
            name="client_id",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=200, verbose_name="client id"
            ),
        ),
        migrations.AddField(
            model_name="tokenissuer",
            name="client_secret",
            field=access.encryption.EncryptedField(
                blank=True, db_default="", default="", editable=False, verbose_name="stored secret"
            ),
        ),
        migrations.AddField(
            model_name="tokenissuer",
            name="sign_in_scope",
            field=models.CharField(
                blank=True,
                db_default="openid profile email",
                default="openid profile email",
                max_length=500,
                verbose_name="scope of sign-ins",
            ),
        ),
        migrations.CreateModel(
            name="IssuerPerson",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=255, verbose_name="subject")),
                (
                    "last_sign_in_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="last sign-in"),
                ),
                (
                    "issuer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="people",
                        to="access.tokenissuer",
                        verbose_name="issuer",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "person of an issuer",
                "verbose_name_plural": "people of issuers",
                "db_table": "h_issuer_person",
                "ordering": ["issuer", "subject"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "subject"), name="h_issuer_person_once"
                    )
                ],
            },
        ),
        on_delete("CASCADE", "h_issuer_person", "issuer_id", "h_token_issuer"),
        on_delete("CASCADE", "h_issuer_person", "user_id", "auth_user"),
    ]
