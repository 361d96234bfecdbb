"""Tools and their parameters are followed by the audit trail."""

from django.db import migrations

from access.audit.triggers import audited

_TOOL = "(SELECT name FROM h_custom_tool WHERE id = ($1->>'tool_id')::integer)"


class Migration(migrations.Migration):
    dependencies = [("tools", "0005_limits"), ("access", "0004_audit_trail")]

    operations = [
        # The hash is that of the other columns.
        audited("h_custom_tool", ignored=["updated_at", "content_hash"]),
        audited("h_custom_tool_param", f"concat_ws('.', {_TOOL}, $1->>'param_name')"),
    ]
