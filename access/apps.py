"""The Django app that knows callers."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _


class AccessConfig(AppConfig):
    name = "access"
    verbose_name = _("Access and calls")

    def ready(self) -> None:
        from access.audit.actors import wrap_connection  # noqa: PLC0415 - imports models

        connection_created.connect(wrap_connection)
