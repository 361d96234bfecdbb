"""Every table of the application's database: backed up, or left out with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BackedUpTable:
    """A table whose rows are in a backup.

    `secrets` are columns that hold one, with the SQL of what stands there without --with-secrets;
    `skips_without_secrets` leaves all rows out then. `reset` are columns that are never true elsewhere.
    """

    name: str
    secrets: Mapping[str, str] = field(default_factory=dict)
    skips_without_secrets: bool = False
    reset: Mapping[str, str] = field(default_factory=dict)


# As Django marks a password that nobody can sign in with.
_NO_PASSWORD = "'!' || md5(random()::text)"  # noqa: S105 - SQL, no password
_NO_TEXT = "''"
# Parents first.
BACKED_UP: tuple[BackedUpTable, ...] = (
    BackedUpTable("django_content_type"),
    BackedUpTable("auth_permission"),
    BackedUpTable("auth_group"),
    BackedUpTable("auth_group_permissions"),
    BackedUpTable("auth_user", secrets={"password": _NO_PASSWORD}),
    BackedUpTable("auth_user_groups"),
    BackedUpTable("auth_user_user_permissions"),
    BackedUpTable("h_preferences"),
    BackedUpTable("h_api_key"),
    BackedUpTable(
        "h_token_issuer", secrets={"client_secret": _NO_TEXT, "introspection_secret": _NO_TEXT}
    ),
    BackedUpTable("h_claim_rule"),
    BackedUpTable("h_issuer_person"),
    BackedUpTable("h_mcp_toolset"),
    BackedUpTable("h_mcp_toolset_tool"),
    BackedUpTable("h_mcp_tool_limit"),
    BackedUpTable("h_role_grant"),
    BackedUpTable("h_data_source", secrets={"password": _NO_TEXT}),
    BackedUpTable("h_data_source_allowed_users"),
    BackedUpTable("h_data_source_allowed_groups"),
    BackedUpTable("h_data_source_secret", skips_without_secrets=True),
    BackedUpTable("h_data_source_operation"),
    BackedUpTable("h_mcp_server", secrets={"token": _NO_TEXT}),
    BackedUpTable("h_mcp_server_tool"),
    BackedUpTable("h_catalog_tag"),
    BackedUpTable("h_catalog_table"),
    BackedUpTable("h_catalog_table_tags"),
    BackedUpTable("h_catalog_column"),
    BackedUpTable("h_catalog_relation"),
    BackedUpTable("h_catalog_schema_state"),
    BackedUpTable("h_glossary_concept"),
    BackedUpTable(
        "h_reference_document",
        # Vectors are made again: another installation has another store.
        reset={"indexed_hash": _NO_TEXT, "indexed_with": _NO_TEXT, "indexed_at": "NULL"},
    ),
    BackedUpTable("h_custom_tool"),
    BackedUpTable("h_custom_tool_param"),
    BackedUpTable("h_custom_tool_alias"),
    BackedUpTable("h_custom_tool_file"),
    BackedUpTable("h_custom_tool_version"),
    BackedUpTable("h_custom_tool_draft"),
    BackedUpTable("h_custom_tool_case"),
    BackedUpTable("h_custom_tool_nightly"),
    BackedUpTable("h_tool_review"),
    BackedUpTable("h_tool_review_comment"),
    BackedUpTable("h_search_question"),
    BackedUpTable("h_playground_question"),
    BackedUpTable("h_audit"),
    BackedUpTable("h_audit_head"),
)
LEFT_OUT: Mapping[str, str] = {
    "django_migrations": "the manifest says which have run",
    "django_session": "people sign in again",
    "django_admin_log": "the audit trail has it",
    "h_call_record": "the record of calls is large: keep it by pg_dump",
    "h_call_day": "counted from the record of calls",
    "h_caller_day": "counted from the record of calls",
    "h_duration_day": "counted from the record of calls",
    "h_tool_search": "a record, as that of calls",
    "h_search_use": "a record, as that of calls; the search learns it again",
    "h_search_measurement": "saved questions are measured again after the next publishing",
    "h_catalog_query": "a record, as that of calls",
    "h_runtime_instance": "processes that ran then",
    "h_ended_session": "sessions of agents that ran then",
    "h_sign_in_attempt": "forgotten after an hour anyway",
    "h_known_client": "browsers are known again after a sign-in",
    "h_mcp_tool_limit_count": "what is counted of a running window",
    "h_mcp_tool_limit_tally": "what is counted of a running window",
    "h_mcp_tool_limit_state": "who counts at the moment",
    "h_registry_revision": "each installation counts its own changes",
    "h_registry_change": "each installation counts its own changes",
    "h_custom_tool_quarantine": "runtimes say it again",
    "h_custom_tool_rest": "runtimes say it again",
    "h_custom_tool_use": "found again from the statements",
    "h_custom_tool_use_state": "found again from the statements",
    "h_custom_tool_trial": "answers of data sources, of test runs",
    "h_tool_replay": "answers of data sources, of replays",
    "h_tool_replay_call": "answers of data sources, of replays",
    "h_playground_chat": "answers of data sources and of a model",
    "h_playground_run": "answers of a model, of one day",
    "h_tool_vector": "embedded again",
    "h_removed_document": "vectors that another store has to forget",
    "h_data_source_check": "checked again within seconds",
    "h_default_source_check": "checked again within seconds",
    "h_catalog_scan": "scans that ran then",
}
# Rows of these are there after `migrate` alone, or by variables: they make no installation a used one.
OF_EVERY_INSTALLATION = frozenset(
    {"django_content_type", "auth_permission", "h_audit", "h_audit_head", "h_mcp_tool_limit_state"}
)
