"""A change of who may use a data source, or of what its check said, bumps the registry revision."""

from django.db import migrations

RIGHTS = ("h_data_source_allowed_users", "h_data_source_allowed_groups", "auth_user_groups")

BUMP_AFTER_ANY_WRITE = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""

# Row by row, since most writes change nothing that matters here: a log-in, a check with the same outcome.
BUMP_WHERE_IT_MATTERS = """
CREATE TRIGGER bump_registry_on_new AFTER INSERT ON {table} FOR EACH ROW
WHEN ({new}) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_change AFTER UPDATE ON {table} FOR EACH ROW
WHEN ({change}) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_end AFTER DELETE ON {table} FOR EACH ROW
WHEN ({end}) EXECUTE FUNCTION toolbuilder_bump_registry();
"""

DROP_ANY = "DROP TRIGGER bump_registry ON {table};"
DROP_WHERE = """
DROP TRIGGER bump_registry_on_new ON {table};
DROP TRIGGER bump_registry_on_change ON {table};
DROP TRIGGER bump_registry_on_end ON {table};
"""

USERS = {
    "table": "auth_user",
    "new": "NEW.is_active AND NEW.is_superuser",
    "change": (
        "(OLD.is_active, OLD.is_superuser, OLD.username)"
        " IS DISTINCT FROM (NEW.is_active, NEW.is_superuser, NEW.username)"
    ),
    "end": "OLD.is_active AND OLD.is_superuser",
}
CHECKS = {
    "table": "h_data_source_check",
    "new": "NEW.refusal <> ''",
    "change": (
        "(OLD.refusal <> '' OR NEW.refusal <> '')"
        " AND (OLD.refusal, OLD.target) IS DISTINCT FROM (NEW.refusal, NEW.target)"
    ),
    "end": "OLD.refusal <> ''",
}


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0004_parameter_binding"),
        ("catalog", "0005_cascade_in_the_database"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        *(
            migrations.RunSQL(
                BUMP_AFTER_ANY_WRITE.format(table=table), DROP_ANY.format(table=table)
            )
            for table in RIGHTS
        ),
        *(
            migrations.RunSQL(
                BUMP_WHERE_IT_MATTERS.format(**parts), DROP_WHERE.format(table=parts["table"])
            )
            for parts in (USERS, CHECKS)
        ),
    ]
