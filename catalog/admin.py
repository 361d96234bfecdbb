"""The back office of data sources."""

from django.contrib import admin

from catalog.models import DataSource


@admin.register(DataSource)
class DataSourceAdmin(admin.ModelAdmin[DataSource]):
    list_display = ["name", "engine", "host", "database", "username", "updated_at"]
    search_fields = ["name", "host", "database"]
