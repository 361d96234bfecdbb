"""What the database does by itself about data sources, MCP servers, the catalogue and documents."""

from typing import Any

from django.contrib.postgres.operations import TrigramExtension

from access.audit.triggers import audited, name_in

REMEMBER_REMOVED_DOCUMENTS = """
CREATE FUNCTION h_remember_removed_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO h_removed_document (key) SELECT key FROM removed;
    RETURN NULL;
END $$;
CREATE TRIGGER h_reference_document_removed AFTER DELETE ON h_reference_document
    REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION h_remember_removed_documents();
"""
FORGET_REMOVED_DOCUMENTS = "DROP FUNCTION h_remember_removed_documents() CASCADE;"

# What a DELETE of the parent does, child, its column, parent.
LINKS = (
    ("CASCADE", "h_data_source_check", "source_id", "h_data_source"),
    ("CASCADE", "h_data_source_allowed_users", "datasource_id", "h_data_source"),
    ("CASCADE", "h_data_source_allowed_users", "user_id", "auth_user"),
    ("CASCADE", "h_data_source_allowed_groups", "datasource_id", "h_data_source"),
    ("CASCADE", "h_data_source_allowed_groups", "group_id", "auth_group"),
    ("CASCADE", "h_catalog_table", "source_id", "h_data_source"),
    ("CASCADE", "h_catalog_scan", "source_id", "h_data_source"),
    ("CASCADE", "h_catalog_schema_state", "source_id", "h_data_source"),
    ("CASCADE", "h_catalog_column", "table_id", "h_catalog_table"),
    ("CASCADE", "h_catalog_relation", "table_id", "h_catalog_table"),
    ("CASCADE", "h_catalog_relation", "target_id", "h_catalog_table"),
    ("CASCADE", "h_catalog_table_tags", "catalogtable_id", "h_catalog_table"),
    ("CASCADE", "h_catalog_table_tags", "tag_id", "h_catalog_tag"),
    ("CASCADE", "h_mcp_server_tool", "server_id", "h_mcp_server"),
    ("SET NULL", "h_catalog_query", "user_id", "auth_user"),
    ("CASCADE", "h_data_source_secret", "source_id", "h_data_source"),
    ("CASCADE", "h_data_source_operation", "source_id", "h_data_source"),
)

# What each process that calls a server notes of its health, and what the server says of itself.
_HEALTH = (
    *("state", "trouble", "trouble_message", "unreachable_since", "checked_at", "read_at"),
    *("server_info", "protocol", "faults"),
)
# Tools that a server offers are no change of ours; that one of them is accepted is.
_ACCEPTED = (
    ("INSERT", "NEW.accepted IS NOT NULL OR NEW.is_active"),
    ("UPDATE", ""),
    ("DELETE", "OLD.accepted IS NOT NULL"),
)
_ALLOWED_ON = name_in("h_data_source", "datasource_id")
_SOURCE = name_in("h_data_source", "source_id")
_USER = name_in("auth_user", "user_id", key="integer", label="username")
_GROUP = name_in("auth_group", "group_id", key="integer")
_SERVER = name_in("h_mcp_server", "server_id")
_TABLE = name_in("h_catalog_table", "table_id")
AUDITED = (
    audited("h_data_source", ignored=["updated_at"]),
    audited("h_data_source_allowed_users", f"concat_ws(' · ', {_ALLOWED_ON}, {_USER})"),
    audited("h_data_source_allowed_groups", f"concat_ws(' · ', {_ALLOWED_ON}, {_GROUP})"),
    audited(
        "h_data_source_secret",
        f"concat_ws(' · ', {_SOURCE}, $1->>'name')",
        ignored=["updated_at"],
    ),
    audited("h_mcp_server", ignored=_HEALTH),
    audited(
        "h_mcp_server_tool",
        f"concat_ws('_', {_SERVER}, $1->>'name')",
        ignored=["seen", "seen_digest", "gone_at", "first_seen_at"],
        events=_ACCEPTED,
    ),
    audited(
        "h_catalog_column",
        f"concat_ws('.', {_TABLE}, $1->>'name')",
        events=[("UPDATE", "OLD.is_masked IS DISTINCT FROM NEW.is_masked")],
    ),
)


class KeptTrigramExtension(TrigramExtension):
    """pg_trgm; one that another role has made stays when the migration is taken back."""

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        with schema_editor.connection.cursor() as cursor:
            owned = "SELECT FROM pg_extension WHERE extname = %s AND pg_has_role(extowner, 'USAGE')"
            cursor.execute(owned, [self.name])
            may_drop = cursor.rowcount == 1
        if may_drop:
            super().database_backwards(app_label, schema_editor, from_state, to_state)
