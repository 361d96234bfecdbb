"""The back office of data sources."""

from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.db import models

from catalog.models import DataSource


@admin.register(DataSource)
class DataSourceAdmin(admin.ModelAdmin[DataSource]):
    list_display = ["name", "engine", "host", "database", "username", "updated_at"]
    formfield_overrides = {models.TextField: {"widget": AdminTextInputWidget}}
    search_fields = ["name", "host", "database"]
