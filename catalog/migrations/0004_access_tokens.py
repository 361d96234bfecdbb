"""Access tokens of HTTP services and MCP servers: where they are asked for, and what for."""

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
                help_text="Where an access token is asked for, as https://login.example.com/oauth2/token. What a server wants beside the scope stands behind a ?, as audience=orders.",
                verbose_name="token URL",
            ),
        ),
        migrations.AddField(
            model_name="mcpserver",
            name="client_id",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="What is given as the token is its secret.",
                verbose_name="client ID",
            ),
        ),
        migrations.AddField(
            model_name="mcpserver",
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
            model_name="mcpserver",
            name="token_url",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Where an access token is asked for, as https://login.example.com/oauth2/token. What a server wants beside the scope stands behind a ?, as audience=orders.",
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
                help_text="A role that can read and nothing else; of an HTTP service the user or the client ID, whose secret is the password.",
                verbose_name="role",
            ),
        ),
        migrations.AlterField(
            model_name="mcpserver",
            name="authentication",
            field=models.TextField(
                choices=[
                    ("bearer", "Authorization: Bearer"),
                    ("header", "a header"),
                    ("query", "a parameter of the address"),
                    ("client_credentials", "an access token (OAuth 2.0 client credentials)"),
                ],
                db_default="bearer",
                default="bearer",
                verbose_name="authentication",
            ),
        ),
    ]
