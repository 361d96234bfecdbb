"""Addresses of what all pages share."""

from django.urls import include, path
from django.views.generic import RedirectView

from config.web.settings_page import settings_page, settings_password, settings_person
from config.web.sign_in import session_state, sign_in
from config.web.sign_on import sign_on, sign_on_callback, sign_out
from config.web.theme import set_theme
from toolbuilder.help import views as help_views

urlpatterns = [
    path("sign-in/", sign_in, name="sign-in"),
    path("sign-in/<slug:name>/", sign_on, name="sign-on"),
    path("sign-in/<slug:name>/callback/", sign_on_callback, name="sign-on-callback"),
    path("session/", session_state, name="session"),
    path("sign-out/", sign_out, name="sign-out"),
    # One door, with one limit of attempts; the way out is one, too.
    path("admin/login/", RedirectView.as_view(pattern_name="sign-in", query_string=True)),
    path("admin/logout/", sign_out),
    path("settings/", settings_page, name="settings"),
    path("settings/person/", settings_person, name="settings-person"),
    path("settings/password/", settings_password, name="settings-password"),
    path("help/", help_views.help_page, name="help"),
    # No page of docs/ is called "~".
    path("help/~/search/", help_views.help_search, name="help-search"),
    path("help/~/panes/<str:name>/", help_views.help_pane, name="help-pane"),
    path("help/~/reference/", help_views.help_reference, name="help-reference"),
    path("help/~/keys/", help_views.help_keys, name="help-keys"),
    path("help/~/tour/", help_views.help_tour, name="help-tour"),
    path("help/images/<str:name>", help_views.help_image, name="help-image"),
    path("help/<path:name>/", help_views.help_page, name="help-page"),
    path("theme/", set_theme, name="set-theme"),
    path("language/", include("django.conf.urls.i18n")),
]
