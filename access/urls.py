"""Addresses of the pages of calls and keys."""

from django.urls import path

from access.views import audit, calls, issuers, keys, limits, people, roles

urlpatterns = [
    path("audit/", audit.audit_list, name="audit"),
    path("audit/export/", audit.audit_export, name="audit-export"),
    path("audit/verify/", audit.audit_verify, name="audit-verify"),
    path("audit/<int:number>/", audit.audit_entry, name="audit-entry"),
    path("calls/", calls.call_list, name="calls"),
    path("calls/export/", calls.call_export, name="calls-export"),
    path("calls/<int:call_id>/", calls.call_page, name="call"),
    path("limits/", limits.limit_list, name="limits"),
    path("limits/export/", limits.limit_export, name="limits-export"),
    path("limits/new/", limits.limit_new, name="limit-new"),
    path("limits/<int:limit_pk>/", limits.limit_edit, name="limit"),
    path("limits/<int:limit_pk>/switch/", limits.limit_switch, name="limit-switch"),
    path("limits/<int:limit_pk>/delete/", limits.limit_delete, name="limit-delete"),
    path("access/issuers/", issuers.issuer_list, name="issuers"),
    path("access/issuers/try/", issuers.token_try, name="token-try"),
    path("access/issuers/new/", issuers.issuer_new, name="issuer-new"),
    path("access/issuers/<int:issuer_pk>/", issuers.issuer_edit, name="issuer"),
    path("access/issuers/<int:issuer_pk>/delete/", issuers.issuer_delete, name="issuer-delete"),
    path("access/issuers/<int:issuer_pk>/rules/new/", issuers.rule_new, name="rule-new"),
    path("access/rules/<int:rule_pk>/", issuers.rule_edit, name="rule"),
    path("access/rules/<int:rule_pk>/delete/", issuers.rule_delete, name="rule-delete"),
    path("people/", people.people_list, name="people"),
    path("people/<int:user_pk>/active/", people.person_active, name="person-active"),
    path("people/<int:user_pk>/password/", people.person_password, name="person-password"),
    path("roles/", roles.role_list, name="roles"),
    path("roles/<int:grant_pk>/delete/", roles.role_delete, name="role-delete"),
    path("keys/", keys.key_list, name="keys"),
    path("keys/new/", keys.key_new, name="key-new"),
    path("keys/tools/", keys.key_tools, name="key-tools"),
    path("keys/<int:key_pk>/", keys.key_edit, name="key"),
    path("keys/<int:key_pk>/rotate/", keys.key_rotate, name="key-rotate"),
    path("keys/<int:key_pk>/revoke/", keys.key_revoke, name="key-revoke"),
]
