"""Calls: a partition for each month, so that old ones are dropped as a whole."""

from django.db import migrations, models

_INDEXES = """
CREATE INDEX call_record_at ON h_call_record (at DESC, id DESC);
CREATE INDEX call_record_tool ON h_call_record (tool_name, at DESC);
CREATE INDEX call_record_failed ON h_call_record (at DESC, id DESC, outcome) WHERE NOT outcome = 'ok';
"""
_COPY = """
INSERT INTO h_call_record OVERRIDING SYSTEM VALUE SELECT * FROM h_call_record_before;
SELECT setval(pg_get_serial_sequence('h_call_record', 'id'), max(id)) FROM h_call_record;
DROP TABLE h_call_record_before;
"""
# A row of any moment finds a place: those of no month go to the default partition.
_PART = """
LOCK TABLE h_call_record IN ACCESS EXCLUSIVE MODE;
ALTER TABLE h_call_record RENAME TO h_call_record_before;
CREATE TABLE h_call_record (LIKE h_call_record_before INCLUDING DEFAULTS INCLUDING IDENTITY)
    PARTITION BY RANGE (at);
CREATE TABLE h_call_record_default PARTITION OF h_call_record DEFAULT;
DO $$
DECLARE
    month timestamp;
BEGIN
    FOR month IN SELECT generate_series(
        date_trunc('month', coalesce(min(at), now()) AT TIME ZONE 'UTC'),
        date_trunc('month', now() AT TIME ZONE 'UTC') + interval '3 months',
        interval '1 month') FROM h_call_record_before
    LOOP
        EXECUTE format(
            'CREATE TABLE h_call_record_%s PARTITION OF h_call_record FOR VALUES FROM (%L) TO (%L)',
            to_char(month, 'YYYY_MM'),
            month AT TIME ZONE 'UTC',
            (month + interval '1 month') AT TIME ZONE 'UTC'
        );
    END LOOP;
END $$;
"""
_PART_KEYS = """
ALTER TABLE h_call_record ADD CONSTRAINT h_call_record_pkey PRIMARY KEY (id, at);
ALTER TABLE h_call_record ADD CONSTRAINT call_record_once UNIQUE (runtime_id, number, at);
"""
_WHOLE = """
LOCK TABLE h_call_record IN ACCESS EXCLUSIVE MODE;
ALTER TABLE h_call_record RENAME TO h_call_record_before;
CREATE TABLE h_call_record (LIKE h_call_record_before INCLUDING DEFAULTS INCLUDING IDENTITY);
"""
_WHOLE_KEYS = """
ALTER TABLE h_call_record ADD CONSTRAINT h_call_record_pkey PRIMARY KEY (id);
ALTER TABLE h_call_record ADD CONSTRAINT call_record_once UNIQUE (runtime_id, number);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0004_audit_trail"),
    ]

    operations = [
        migrations.RunSQL(
            [_PART, _COPY, _PART_KEYS, _INDEXES],
            [_WHOLE, _COPY, _WHOLE_KEYS, _INDEXES],
            state_operations=[
                migrations.RemoveConstraint(model_name="callrecord", name="call_record_once"),
                migrations.AddConstraint(
                    model_name="callrecord",
                    constraint=models.UniqueConstraint(
                        fields=("runtime_id", "number", "at"), name="call_record_once"
                    ),
                ),
            ],
        ),
    ]
