"""Data sources, other MCP servers and what is masked are followed by the audit trail."""

from django.db import migrations

from access.audit.triggers import audited

_SOURCE = "(SELECT name FROM h_data_source WHERE id = ($1->>'datasource_id')::bigint)"
_USER = "(SELECT username FROM auth_user WHERE id = ($1->>'user_id')::integer)"
_GROUP = "(SELECT name FROM auth_group WHERE id = ($1->>'group_id')::integer)"
_SERVER = "(SELECT name FROM h_mcp_server WHERE id = ($1->>'server_id')::bigint)"
_TABLE = "(SELECT name FROM h_catalog_table WHERE id = ($1->>'table_id')::bigint)"
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


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial"), ("access", "0004_audit_trail")]

    operations = [
        audited("h_data_source", ignored=["updated_at"]),
        audited("h_data_source_allowed_users", f"concat_ws(' · ', {_SOURCE}, {_USER})"),
        audited("h_data_source_allowed_groups", f"concat_ws(' · ', {_SOURCE}, {_GROUP})"),
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
    ]
