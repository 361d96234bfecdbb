"""Which documents wait for their vectors, most urgent first, and which vectors have no document any more."""

import django.db.models.functions.datetime
from django.db import migrations, models

REMEMBER_REMOVED = """
CREATE FUNCTION h_remember_removed_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO h_removed_document (key) SELECT key FROM removed;
    RETURN NULL;
END $$;
CREATE TRIGGER h_reference_document_removed AFTER DELETE ON h_reference_document
    REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION h_remember_removed_documents();
"""
FORGET_REMOVED = """
DROP TRIGGER h_reference_document_removed ON h_reference_document;
DROP FUNCTION h_remember_removed_documents();
"""


class Migration(migrations.Migration):
    dependencies = [("catalog", "0009_scans")]

    operations = [
        migrations.AddField(
            model_name="referencedocument",
            name="is_urgent",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddIndex(
            model_name="referencedocument",
            index=models.Index(
                models.OrderBy(models.F("is_urgent"), descending=True),
                models.OrderBy(models.F("updated_at"), descending=True),
                condition=models.Q(("indexed_hash", models.F("content_hash")), _negated=True),
                name="h_reference_document_pending",
            ),
        ),
        migrations.CreateModel(
            name="RemovedDocument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.TextField()),
                (
                    "removed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={"db_table": "h_removed_document"},
        ),
        migrations.RunSQL(REMEMBER_REMOVED, FORGET_REMOVED),
    ]
