"""Access tokens of HTTP services: where they are asked for, and what for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0003_mcp_server_authentication"),
    ]

    operations = [
        migrations.AddField(
            model_name="datasource",
            name="token_scope",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="What the token is for, as orders.read; several between blanks.",
                verbose_name="scope",
            ),
        ),
        migrations.AddField(
            model_name="datasource",
            name="token_url",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Where an access token is asked for, as https://login.example.com/oauth2/token. The role is the client ID, the password its secret. What a server wants beside the scope stands behind a ?, as audience=orders.",
                verbose_name="token URL",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="authentication",
            field=models.TextField(
                blank=True,
                choices=[
                    ("", "nothing"),
                    ("bearer", "Authorization: Bearer"),
                    ("basic", "user and password (Basic)"),
                    ("header", "a header"),
                    ("query", "a parameter of the address"),
                    ("client_credentials", "an access token (OAuth 2.0 client credentials)"),
                ],
                db_default="",
                default="",
                help_text="How an HTTP service is told the password, which is its token or key.",
                verbose_name="authentication",
            ),
        ),
        migrations.AlterField(
            model_name="datasource",
            name="username",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="A role that can read and nothing else; of an HTTP service the user or the client ID.",
                verbose_name="role",
            ),
        ),
    ]
