"""Calls of functions that do more than read, in every spelling that the server takes for a call."""

# ruff: noqa: S608 - SQL is what this module is about; nothing in it comes from outside.

from tests.plugin import POSTGRES

_LOGIN = f"host=127.0.0.1 port={POSTGRES.port} dbname=hostile user=hostile_owner password=careless"

# By the name that the answer gives: the function itself is refused.
DENIED: dict[str, tuple[str, ...]] = {
    "pg_sleep": (
        "SELECT pg_sleep(30)",
        "SELECT PG_Sleep (30)",
        "SELECT pg_catalog.pg_sleep(30)",
        'SELECT "pg_catalog" . "pg_sleep" (30)',
        "SELECT pg_catalog./* . */pg_sleep -- (\n (30)",
        "SELECT * FROM pg_sleep(30) AS t(slept)",
        "SELECT * FROM ROWS FROM (pg_sleep(30), generate_series(1, 2))",
        "SELECT 1 FROM item, LATERAL pg_sleep(item.id)",
        "SELECT 1 ORDER BY pg_sleep(30)",
        "SELECT 1 FROM item GROUP BY id HAVING pg_sleep(30) IS NULL",
        "SELECT sum(1) FILTER (WHERE pg_sleep(30) IS NULL) OVER (ORDER BY pg_sleep(30)) FROM item",
        "SELECT CASE WHEN id > 0 THEN pg_sleep(30) END FROM item",
        "SELECT 1 LIMIT (SELECT 1 FROM pg_sleep(30))",
        "VALUES (pg_sleep(30))",
        "SELECT * FROM json_table('[1]', '$[*]' COLUMNS (a int PATH '$', b text PATH '$'"
        " DEFAULT pg_sleep(30)::text ON EMPTY))",
        "SELECT * FROM item TABLESAMPLE bernoulli ((SELECT 100 FROM pg_sleep(30)))",
        "SELECT (30.0::float8).pg_sleep",
        "SELECT (30.0::float8) . /* ( /* */ */ -- x\n pg_sleep",
        'SELECT (30.0::float8)."pg_sleep"',
        "SELECT seconds.pg_sleep FROM generate_series(30.0::float8, 30) AS seconds",
        'SELECT "s"."pg_sleep" FROM generate_series(30.0::float8, 30) AS s',
        "SELECT 1 AS seconds FROM (VALUES (30.0::float8)) AS t(s) WHERE (t.s).pg_sleep IS NULL",
        "WITH t AS (SELECT 30.0::float8 AS s) SELECT (SELECT (s).pg_sleep) FROM t",
    ),
    "pg_sleep_for": ("SELECT pg_sleep_for('30 s')", "SELECT ('30 s'::interval).pg_sleep_for"),
    "pg_sleep_until": ("SELECT pg_sleep_until('tomorrow')", "SELECT (now()).pg_sleep_until"),
    "set_config": (
        "SELECT set_config('statement_timeout', '0', false)",
        "SELECT set_config('transaction_read_only', 'off', true), remove_items()",
        "SELECT n FROM generate_series(1, 2) AS n WHERE set_config('search_path', '', false) = ''",
        "SELECT set_config(setting_name => 'role', new_value => 'postgres', is_local => false)",
    ),
    "pg_terminate_backend": (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
        "SELECT (pid).pg_terminate_backend FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
    ),
    "pg_cancel_backend": (
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity",
        "SELECT (a.pid).pg_cancel_backend FROM pg_stat_activity AS a",
    ),
    "pg_advisory_lock": (
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_advisory_lock(1, 2)",
        "SELECT (1::bigint).pg_advisory_lock",
        "SELECT n.pg_advisory_lock FROM generate_series(1::bigint, 1000) AS n",
    ),
    "pg_try_advisory_lock_shared": ("SELECT (1::bigint).pg_try_advisory_lock_shared",),
    "pg_advisory_xact_lock": ("SELECT pg_advisory_xact_lock(1)",),
    "pg_advisory_unlock_all": ("SELECT pg_advisory_unlock_all()",),
    "pg_notify": ("SELECT pg_notify('hostile', 'loud')",),
    "nextval": (
        "SELECT nextval('counter')",
        "SELECT ('counter'::regclass).nextval",
        "SELECT coalesce(NULL, 1, nextval('counter')) FROM item",
    ),
    "setval": ("SELECT setval('counter', 1000000)",),
    "setseed": ("SELECT setseed(0.5)", "SELECT (0.5::float8).setseed"),
    "lo_create": ("SELECT lo_create(0)",),
    "lo_creat": ("SELECT (1).lo_creat",),
    "lo_from_bytea": ("SELECT lo_from_bytea(0, 'x')",),
    "lo_import": ("SELECT lo_import('/etc/passwd')", "SELECT ('/etc/passwd'::text).lo_import"),
    "lo_export": ("SELECT lo_export(1, '/tmp/toolbuilder-hostile-marker')",),
    "lo_unlink": ("SELECT lo_unlink(oid) FROM pg_largeobject_metadata",),
    "query_to_xml": ("SELECT query_to_xml('DELETE FROM sale RETURNING 1', true, true, '')",),
    "query_to_xmlschema": ("SELECT query_to_xmlschema('SELECT pg_sleep(30)', true, true, '')",),
    "cursor_to_xml": ("SELECT cursor_to_xml('c', 1, true, true, '')",),
    "ts_stat": ("SELECT * FROM ts_stat('SELECT pg_sleep(30)::text::tsvector')",),
    "ts_rewrite": ("SELECT ts_rewrite('a', 'SELECT ''a''::tsquery, ''b''::tsquery')",),
    "crosstab": (
        "SELECT * FROM crosstab('SELECT 1, pg_sleep(30)::text, 1') AS t(a int, b int)",
        "SELECT ('SELECT 1, pg_sleep(30)::text, 1'::text).crosstab",
    ),
    "connectby": (
        "SELECT * FROM connectby('(SELECT pg_sleep(30)) AS t', 'a', 'b', '1', 0) AS t(a int, b int)",
    ),
    "dblink": (
        f"SELECT * FROM dblink('{_LOGIN}', 'DELETE FROM sale RETURNING id') AS t(id int)",
        f"SELECT * FROM public.dblink('{_LOGIN}', 'COMMIT') AS t(id text)",
    ),
    "dblink_exec": (f"SELECT dblink_exec('{_LOGIN}', 'DELETE FROM sale')",),
    "dblink_connect": (
        f"SELECT dblink_connect('{_LOGIN}')",
        f"SELECT ('{_LOGIN}'::text).dblink_connect",
        "SELECT dblink_connect('host=169.254.169.254 connect_timeout=30')",
    ),
    "dblink_send_query": ("SELECT dblink_send_query('c', 'DELETE FROM sale')",),
    "pg_read_file": (
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT ('/etc/passwd'::text).pg_read_file",
        "SELECT (name).pg_read_file FROM (VALUES ('postgresql.conf'::text)) AS t(name)",
    ),
    "pg_read_binary_file": ("SELECT ('/etc/passwd'::text).pg_read_binary_file",),
    "pg_ls_dir": ("SELECT pg_ls_dir('/')", "SELECT ('/'::text).pg_ls_dir"),
    "pg_stat_file": ("SELECT pg_stat_file('/etc/passwd')",),
    "pg_reload_conf": ("SELECT pg_reload_conf()",),
    "pg_rotate_logfile": ("SELECT pg_rotate_logfile()",),
    "pg_switch_wal": ("SELECT pg_switch_wal()",),
    "pg_promote": ("SELECT pg_promote()",),
    "pg_logical_emit_message": ("SELECT pg_logical_emit_message(false, 'a', 'b')",),
    "pg_create_restore_point": ("SELECT ('a'::text).pg_create_restore_point",),
    "pg_create_physical_replication_slot": (
        "SELECT pg_create_physical_replication_slot('hostile')",
        "SELECT ('hostile'::name).pg_create_physical_replication_slot",
    ),
    "pg_export_snapshot": ("SELECT pg_export_snapshot()",),
    "pg_stat_reset": ("SELECT pg_stat_reset()",),
    "pg_stat_reset_shared": ("SELECT ('io'::text).pg_stat_reset_shared",),
    "pg_log_backend_memory_contexts": ("SELECT (pg_backend_pid()).pg_log_backend_memory_contexts",),
    "pg_import_system_collations": ("SELECT ('public'::regnamespace).pg_import_system_collations",),
    "txid_current": ("SELECT txid_current() FROM generate_series(1, 100000)",),
    "pg_current_xact_id": ("SELECT pg_current_xact_id()",),
}
TREAT: tuple[str, ...] = (
    "SELECT TREAT(30 AS pg_sleep)",
    "SELECT treat /* */ (30.0 AS pg_catalog.pg_sleep)",
    'SELECT TREAT((30) AS "pg_sleep")',
    "SELECT TREAT(1 AS pg_advisory_lock)",
    "SELECT TREAT('/etc/passwd'::text AS pg_read_file)",
    "SELECT TREAT('counter' AS nextval)",
)

_READ_ONLY = "in a read-only transaction|read-write mode|permission denied"
# Code of the data source's own, called where nobody sees a call: the transaction holds.
OWN_CODE: dict[str, tuple[str, str]] = {
    "function": ("SELECT remove_items()", _READ_ONLY),
    "function for each row": ("SELECT id, remove_item(item) FROM item", _READ_ONLY),
    "function as an attribute": ("SELECT item.remove_item FROM item", _READ_ONLY),
    "function as a table": ("SELECT * FROM remove_items()", _READ_ONLY),
    "function that frees the transaction": ("SELECT free_transaction()", _READ_ONLY),
    "function that makes a temporary table": ("SELECT shadow()", _READ_ONLY),
    "function in a default": ("SELECT run_text('INSERT INTO trapped VALUES (2)')", _READ_ONLY),
    "text that deletes": ("SELECT run_text('DELETE FROM sale')", _READ_ONLY),
    "text that commits": ("SELECT run_text('COMMIT')", "EXECUTE of transaction commands"),
    "text that grants": ("SELECT run_text('GRANT ALL ON sale TO PUBLIC')", _READ_ONLY),
    "aggregate": ("SELECT sum_removing(id) FROM item", _READ_ONLY),
    "aggregate as a window": ("SELECT sum_removing(id) OVER (ORDER BY id) FROM item", _READ_ONLY),
    "operator": ("SELECT 1 <!> 2", _READ_ONLY),
    "operator by its schema": ("SELECT 1 OPERATOR(public.<!>) 2", _READ_ONLY),
    "cast": ("SELECT ROW(1)::parcel::int", _READ_ONLY),
    "domain": ("SELECT 1::checked", _READ_ONLY),
    "domain in JSON": (
        "SELECT * FROM json_to_recordset('[{\"a\": 1}]') AS t(a checked)",
        _READ_ONLY,
    ),
    "view": ("SELECT * FROM removing", _READ_ONLY),
    "view with a sequence": ("TABLE numbering", _READ_ONLY),
    "function in order by": ("SELECT id FROM item ORDER BY remove_item(item)", _READ_ONLY),
    "function in an unused column": (
        "SELECT 1 FROM item WHERE id = 1 OR remove_items() = 1 OFFSET 0",
        _READ_ONLY,
    ),
}
