"""The Django app that carries `deploy_check`; it has no models."""

from django.apps import AppConfig


class DeploymentConfig(AppConfig):
    """Registers the management command."""

    name = "config.deployment"
    label = "deployment"
    verbose_name = "Deployment"
