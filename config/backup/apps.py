"""The Django app that carries `backup` and `restore`; it has no models."""

from django.apps import AppConfig


class BackupConfig(AppConfig):
    """Registers the management commands."""

    name = "config.backup"
    label = "backup"
    verbose_name = "Backup"
