"""Services that are called at a host inside may go on being called there."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import migrations


def allow_hosts_in_use(apps: Any, _schema_editor: Any) -> None:
    """Give each HTTP service its own host, if the operator allows that one."""
    ceiling = {name.lower() for name in settings.HTTP_ALLOWED_HOSTS}
    sources = apps.get_model("catalog", "DataSource").objects.filter(engine="http")
    for source in sources.only("server_url"):
        try:
            url = urlsplit(source.server_url)
            port = url.port or {"https": 443, "http": 80}.get(url.scheme, 0)
        except ValueError:
            # No address at all; its page says so.
            continue
        host = (url.hostname or "").rstrip(".")
        if {host, f"{host}:{port}"} & ceiling:
            sources.filter(pk=source.pk).update(allowed_hosts=f"{host}:{port}")


class Migration(migrations.Migration):
    dependencies = [("catalog", "0004_allowed_hosts")]

    operations = [migrations.RunPython(allow_hosts_in_use, migrations.RunPython.noop)]
