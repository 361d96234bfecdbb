"""A change of an issuer or of its rules is heard by every runtime, as one of what is served."""

from django.db import migrations

_TABLES = ("h_token_issuer", "h_claim_rule")
_BUMP = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_DROP = "DROP TRIGGER bump_registry ON {table};"


class Migration(migrations.Migration):
    dependencies = [("tools", "0007_record_arguments"), ("access", "0008_issuers")]

    operations = [
        migrations.RunSQL(
            "".join(_BUMP.format(table=table) for table in _TABLES),
            "".join(_DROP.format(table=table) for table in _TABLES),
        )
    ]
