"""The Django app that knows databases."""

from typing import Any

from django.apps import AppConfig
from django.apps import apps as global_apps
from django.apps.registry import Apps
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class CatalogConfig(AppConfig):
    name = "catalog"
    verbose_name = _("Data sources")

    def ready(self) -> None:
        post_migrate.connect(_write_environment_sources, sender=self)


def _write_environment_sources(*, apps: Apps = global_apps, **_options: Any) -> None:
    """Give the data sources of variables their rows, unless `migrate` stopped before the columns."""
    # Models can be imported only when all apps are there.
    from catalog.sources.environment import sync_environment_sources  # noqa: PLC0415

    if _columns(apps) == _columns(global_apps):
        sync_environment_sources()


def _columns(apps: Apps) -> set[str]:
    try:
        return {field.name for field in apps.get_model("catalog", "DataSource")._meta.fields}
    except LookupError:
        return set()
