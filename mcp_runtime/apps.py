"""The Django app that serves tools; it has no models."""

from django.apps import AppConfig


class McpRuntimeConfig(AppConfig):
    name = "mcp_runtime"
