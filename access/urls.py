"""Addresses of the pages of calls and keys."""

from django.urls import path

from access.views import calls, keys

urlpatterns = [
    path("calls/", calls.call_list, name="calls"),
    path("calls/export/", calls.call_export, name="calls-export"),
    path("calls/<int:call_id>/", calls.call_page, name="call"),
    path("keys/", keys.key_list, name="keys"),
    path("keys/new/", keys.key_new, name="key-new"),
    path("keys/<int:key_pk>/revoke/", keys.key_revoke, name="key-revoke"),
]
