"""What is asked of PostgreSQL's own tables: pg_catalog, as information_schema takes seconds where this takes none."""

from core.statement import compile_statement
from gateways.schema_reading import COMMENT_LIMIT

TYPE_LIMIT = 500

# Names are written with their schema, since the search path may hold functions of anybody.
_COMMENT = (
    f"CASE WHEN pg_catalog.length(d.description) > {COMMENT_LIMIT}"
    f" THEN pg_catalog.left(d.description, {COMMENT_LIMIT - 1}) || '…'"
    " ELSE coalesce(d.description, '') END"
)
_NAMES_OF = """ARRAY(
    SELECT a.attname::text FROM pg_catalog.unnest({}) WITH ORDINALITY AS u(number, position)
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = {} AND a.attnum = u.number
    ORDER BY u.position)"""

# Of an enum its values, of a domain what it is made of: the name alone does not tell what may be compared.
_TYPE = f"""CASE t.typtype
    WHEN 'e' THEN coalesce((
        SELECT CASE WHEN pg_catalog.length(v.text) > {TYPE_LIMIT}
            THEN pg_catalog.left(v.text, {TYPE_LIMIT - 1}) || '…' ELSE v.text END
        FROM (
            SELECT 'enum(' || pg_catalog.string_agg(
                pg_catalog.quote_literal(l.enumlabel), ',' ORDER BY l.enumsortorder) || ')' AS text
            FROM pg_catalog.pg_enum AS l WHERE l.enumtypid = t.oid) AS v
    ), pg_catalog.format_type(t.oid, NULL))
    WHEN 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod)
    ELSE pg_catalog.format_type(a.atttypid, a.atttypmod) END"""  # noqa: S608 - a number

# What unqualified names can mean to this role: the schemas of the search path. A partition is part of
# its table; what belongs to an extension, such as pg_stat_statements, is no data of the user's.
TABLE_NAMES = compile_statement("""
SELECT n.nspname::text, c.relname::text
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = ANY(pg_catalog.current_schemas(false))
AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_depend AS e
    WHERE e.classid = 'pg_catalog.pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
ORDER BY n.nspname::text COLLATE "C", c.relname::text COLLATE "C"
""")

# Only the bare name `unnest` takes several lists, and always means the server's own.
# An estimate of -1 says that the table was never analysed. A partitioned table has the rows of its
# partitions; pg_partition_tree is empty for all others.
TABLES = compile_statement(f"""
SELECT c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text, {_COMMENT},
    CASE c.relkind WHEN 'v' THEN NULL
    WHEN 'p' THEN (
        SELECT sum(p.reltuples)::bigint FROM pg_catalog.pg_partition_tree(c.oid) AS t
        JOIN pg_catalog.pg_class AS p ON p.oid = t.relid WHERE t.isleaf AND p.reltuples >= 0)
    ELSE CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END END
FROM unnest(:schemas::text[], :names::text[]) AS asked(schema, name)
JOIN pg_catalog.pg_namespace AS n ON n.nspname = asked.schema::name
JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = asked.name::name
LEFT JOIN pg_catalog.pg_description AS d
    ON d.objoid = c.oid AND d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
""")  # noqa: S608 - the pieces are ours

COLUMNS = compile_statement(f"""
SELECT a.attrelid::bigint, a.attname::text, {_TYPE},
    NOT (a.attnotnull OR t.typnotnull), coalesce(a.attnum = ANY(k.conkey), false), {_COMMENT}
FROM pg_catalog.pg_attribute AS a
JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_constraint AS k ON k.conrelid = a.attrelid AND k.contype = 'p'
LEFT JOIN pg_catalog.pg_description AS d
    ON d.objoid = a.attrelid AND d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = a.attnum
WHERE a.attrelid = ANY(:tables::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
AND (pg_catalog.has_table_privilege(a.attrelid, 'SELECT')
    OR pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT'))
ORDER BY a.attrelid, a.attnum
""")  # noqa: S608 - the pieces are ours

# A key to a partitioned table has a second row for each partition, with a parent.
FOREIGN_KEYS = compile_statement(f"""
SELECT k.conrelid::bigint, k.conname::text, {_NAMES_OF.format("k.conkey", "k.conrelid")},
    n.nspname::text, c.relname::text, {_NAMES_OF.format("k.confkey", "k.confrelid")}
FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_class AS c ON c.oid = k.confrelid
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE k.conrelid = ANY(:tables::oid[]) AND k.contype = 'f' AND k.conparentid = 0
ORDER BY k.conrelid, k.conkey, k.conname
""")  # noqa: S608 - the pieces are ours

# Of a server without pg_catalog: the names and types that the SQL standard's own tables tell.
PLAIN_TABLE_NAMES = compile_statement("""
SELECT table_schema::text, table_name::text FROM information_schema.tables
WHERE table_schema = ANY(:schemas) ORDER BY 1, 2
""")
PLAIN_COLUMNS = compile_statement("""
SELECT c.table_schema::text, c.table_name::text, t.table_type::text, c.column_name::text,
    c.data_type::text, c.is_nullable::text
FROM information_schema.columns AS c JOIN information_schema.tables AS t
    ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = ANY(:schemas) AND c.table_name = ANY(:names)
ORDER BY c.table_schema, c.table_name, c.ordinal_position
""")
