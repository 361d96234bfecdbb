"""Reference documents may be about a table as a whole."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0006_reference_documents")]

    operations = [
        migrations.RemoveConstraint(
            model_name="referencedocument",
            name="h_reference_document_kind",
        ),
        migrations.AlterField(
            model_name="referencedocument",
            name="kind",
            field=models.TextField(
                choices=[
                    ("table", "table"),
                    ("column", "column"),
                    ("query", "example query"),
                    ("text", "text"),
                ],
                verbose_name="kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="referencedocument",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["table", "column", "query", "text"])),
                name="h_reference_document_kind",
            ),
        ),
    ]
