"""Addresses of the dashboard and of the pages of tools."""

from django.urls import path

from toolbuilder.views import dashboard, tools

# No tool can be called "~", so no tool's page has the address of a form.
urlpatterns = [
    path("", dashboard.dashboard, name="home"),
    path("tools/", tools.tool_list, name="tools"),
    path("tools/~/active/", tools.tools_active, name="tools-active"),
    path("tools/~/<int:tool_id>/active/", tools.tool_active, name="tool-active"),
    path("tools/<str:name>/", tools.tool_page, name="tool"),
]
