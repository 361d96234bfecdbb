"""Which tables the audit trail follows, and the triggers of migrations that make it do so."""

from collections.abc import Sequence

from django.db.migrations import RunSQL

# Each has the triggers of `audited`; before a write to one of them the database is told who writes.
AUDITED_TABLES = (
    "auth_group",
    "auth_group_permissions",
    "auth_user",
    "auth_user_groups",
    "auth_user_user_permissions",
    "h_api_key",
    "h_catalog_column",
    "h_claim_rule",
    "h_custom_tool",
    "h_custom_tool_case",
    "h_custom_tool_nightly",
    "h_custom_tool_alias",
    "h_custom_tool_param",
    "h_custom_tool_version",
    "h_data_source",
    "h_data_source_allowed_groups",
    "h_data_source_allowed_users",
    "h_data_source_secret",
    "h_mcp_server",
    "h_mcp_server_tool",
    "h_mcp_tool_limit",
    "h_mcp_toolset",
    "h_mcp_toolset_tool",
    "h_role_grant",
    "h_token_issuer",
    "h_tool_review",
)

# Deferred: an immediate one would lock the chain's head in the middle of a transaction, and two of
# them, in the other order, each other.
_CHANGE = """
CREATE CONSTRAINT TRIGGER {trigger} AFTER {events} ON {table} DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW {condition}EXECUTE FUNCTION toolbuilder_audit_change({name}, '{{{ignored}}}');
"""
_TRUNCATE = """
CREATE TRIGGER audit_truncate AFTER TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_audit_truncate();
"""
_EVERY_EVENT = (("INSERT OR UPDATE OR DELETE", ""),)


def audited(
    table: str,
    name: str = "$1->>'name'",
    *,
    ignored: Sequence[str] = (),
    events: Sequence[tuple[str, str]] = _EVERY_EVENT,
) -> RunSQL:
    """The migration after which changes of the table's rows are entered in the trail.

    `name` is SQL for the name of a row, which is $1 as JSON; a change of only `ignored` columns is
    no entry. `events` are those of triggers, each with its WHEN or ''.
    """
    quoted = "'" + name.replace("'", "''") + "'"
    triggers = {f"audit_{number}": event for number, event in enumerate(events, start=1)}
    create = "".join(
        _CHANGE.format(
            trigger=trigger,
            events=event,
            table=table,
            condition=f"WHEN ({condition}) " if condition else "",
            name=quoted,
            ignored=",".join(ignored),
        )
        for trigger, (event, condition) in triggers.items()
    )
    drop = "".join(
        f"DROP TRIGGER {trigger} ON {table};" for trigger in (*triggers, "audit_truncate")
    )
    return RunSQL(create + _TRUNCATE.format(table=table), drop)


def name_in(table: str, column: str, *, key: str = "bigint", label: str = "name") -> str:
    """SQL, for `audited`, of the `label` of the row in `table` to which a row's `column` refers."""
    return f"(SELECT {label} FROM {table} WHERE id = ($1->>'{column}')::{key})"  # noqa: S608 - our names
