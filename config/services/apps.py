"""The Django app that carries the `up` and `bootstrap` commands; it has no models."""

from django.apps import AppConfig


class ServicesConfig(AppConfig):
    """Registers the management commands of the embedded services."""

    name = "config.services"
    label = "services"
    verbose_name = "Embedded services"
