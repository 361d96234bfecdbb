"""The database that the statements are let loose on, and the snapshot that shows what they did."""

# ruff: noqa: S608 - SQL is what this module is about; nothing in it comes from outside.

MARKER = "/tmp/toolbuilder-hostile-marker"
READER, OWNER = "hostile_reader", "hostile_owner"

ROLES = f"""
CREATE ROLE {OWNER} LOGIN PASSWORD 'careless' CREATEDB CREATEROLE;
CREATE ROLE {READER} LOGIN PASSWORD 'careful' NOINHERIT;
GRANT pg_signal_backend, pg_execute_server_program, pg_write_server_files, pg_monitor TO {OWNER};
"""
EXTENSIONS = """
CREATE EXTENSION dblink;
CREATE EXTENSION tablefunc;
CREATE EXTENSION hstore;
"""
# Everything here is made by the owner, whom the careless source connects as.
TABLES = """
CREATE TABLE item (
    id int PRIMARY KEY, name text, price numeric(10, 2), stock int, tags text[],
    code text GENERATED ALWAYS AS ('i-' || name) STORED
);
INSERT INTO item VALUES
    (1, 'apple', 1.50, 10, '{red,fruit}'), (2, 'bread', 2.00, 0, '{food}'),
    (3, 'cheese', 7.25, 4, '{}'), (4, 'date', NULL, NULL, NULL);
CREATE TABLE sale (
    id int PRIMARY KEY, item_id int REFERENCES item, region text, day date, at timestamptz,
    quantity int, amount numeric(10, 2)
);
INSERT INTO sale VALUES
    (1, 1, 'KR', '2026-01-05', '2026-01-05 09:00+09', 2, 3.00),
    (2, 1, 'JP', '2026-01-06', '2026-01-06 09:00+09', 4, 6.00),
    (3, 2, 'KR', '2026-01-06', '2026-01-06 23:30+09', 1, 2.00),
    (4, 3, 'US', '2026-02-01', '2026-02-01 12:00-05', 2, 14.50),
    (5, 3, 'KR', '2026-02-03', '2026-02-03 10:00+09', 1, 7.25),
    (6, 1, 'US', '2026-02-03', '2026-02-03 18:00-05', 10, 15.00);
CREATE TABLE staff (id int PRIMARY KEY, boss_id int, name text);
INSERT INTO staff VALUES (1, NULL, 'Ann'), (2, 1, 'Bo'), (3, 1, 'Cy'), (4, 2, 'Di');
CREATE TABLE event (id int PRIMARY KEY, body jsonb);
INSERT INTO event VALUES
    (1, '{"kind": "click", "at": {"x": 1, "y": 2}, "tags": ["a", "b"], "n": 10}'),
    (2, '{"kind": "view", "at": {"x": 5}, "tags": [], "n": 2.5}'),
    (3, '{"kind": "click", "tags": ["b"], "n": null}');
CREATE TABLE document (id int PRIMARY KEY, body text, place vector(3));
INSERT INTO document VALUES
    (1, 'the quick brown fox', '[1,0,0]'), (2, 'a lazy dog sleeps', '[0,1,0]'),
    (3, 'quick dogs and foxes', '[1,1,0]');
CREATE TABLE booking (id int PRIMARY KEY, during daterange, hours int4range);
INSERT INTO booking VALUES
    (1, '[2026-01-01,2026-01-10)', '[9,12)'), (2, '[2026-01-08,2026-01-20)', '[13,18)');
CREATE TABLE "매출 집계" ("지역" text, "売上" int, "delete" int, "update" text, "a""b" int, "%s ?" int);
INSERT INTO "매출 집계" VALUES ('서울', 7, 1, 'x', 2, 3), ('부산', 5, 2, 'y', 4, 6);
CREATE TABLE word_table ("select" int, "from" int, count int, "left" text, random int);
INSERT INTO word_table VALUES (1, 2, 3, 'four', 5);
CREATE SEQUENCE counter;
CREATE FUNCTION remove_items() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
    $$ BEGIN DELETE FROM sale; RETURN 1; END $$;
CREATE FUNCTION remove_item(item) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
    $$ BEGIN DELETE FROM sale WHERE item_id = $1.id; RETURN $1.id; END $$;
CREATE FUNCTION add_removing(int, int) RETURNS int LANGUAGE sql AS 'SELECT remove_items() + $2';
CREATE FUNCTION free_transaction() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
    $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM sale; RETURN 'freed'; END $$;
CREATE FUNCTION shadow() RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN CREATE TEMP TABLE item AS SELECT 1 AS id; RETURN 1; END $$;
CREATE FUNCTION run_text(text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
    $$ BEGIN EXECUTE $1; RETURN 'done'; END $$;
CREATE FUNCTION linger(float8) RETURNS float8 LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep($1); RETURN $1; END $$;
CREATE FUNCTION soil() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    PERFORM set_config('work_mem', '77MB', false);
    PERFORM set_config('search_path', 'pg_catalog', false);
    PERFORM set_config('statement_timeout', '0', false);
    PERFORM set_config('app.user', 'somebody', false);
    EXECUTE 'LISTEN hostile'; RETURN 'soiled'; END $$;
CREATE FUNCTION take_lock() RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_lock(7); RETURN 7; END $$;
CREATE PROCEDURE clear_sales() LANGUAGE sql AS 'DELETE FROM sale';
CREATE AGGREGATE sum_removing(int) (SFUNC = add_removing, STYPE = int, INITCOND = '0');
CREATE OPERATOR <!> (LEFTARG = int, RIGHTARG = int, FUNCTION = add_removing);
CREATE OPERATOR <~> (RIGHTARG = float8, FUNCTION = linger);
CREATE TYPE parcel AS (weight int);
CREATE FUNCTION open_parcel(parcel) RETURNS int LANGUAGE sql AS 'SELECT remove_items()';
CREATE CAST (parcel AS int) WITH FUNCTION open_parcel(parcel);
CREATE DOMAIN checked AS int CHECK (remove_items() + VALUE > 0);
CREATE VIEW removing AS SELECT remove_items() AS removed;
CREATE VIEW lingering AS SELECT pg_sleep(30)::text AS slept;
CREATE VIEW numbering AS SELECT nextval('counter') AS number;
CREATE TABLE secret (id int, owner text, body text);
INSERT INTO secret VALUES (1, 'hostile_reader', 'own'), (2, 'somebody', 'foreign');
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON secret USING (owner = current_user);
CREATE TABLE trapped (id int);
INSERT INTO trapped VALUES (1);
ALTER TABLE trapped ENABLE ROW LEVEL SECURITY;
CREATE POLICY trap ON trapped TO hostile_reader USING (remove_items() > 0);
CREATE TABLE closed (id int, body text);
INSERT INTO closed VALUES (1, 'closed to the reader');
"""
GRANTS = f"""
REVOKE TEMPORARY ON DATABASE hostile FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO {READER};
GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER};
REVOKE ALL ON closed FROM {READER};
"""

# What a call could have changed for others: data, objects, locks, sessions, files.
WORLD = f"""
SELECT
    (SELECT md5(string_agg(s::text, ',' ORDER BY id)) FROM sale AS s) AS sales,
    (SELECT md5(string_agg(i::text, ',' ORDER BY id)) FROM item AS i) AS items,
    (SELECT count(*) FROM pg_class) AS relations,
    (SELECT count(*) FROM pg_proc) AS functions,
    (SELECT md5(string_agg(r::text, ',' ORDER BY oid)) FROM pg_authid AS r) AS roles,
    (SELECT md5(string_agg(s::text, ',')) FROM pg_db_role_setting AS s) AS role_settings,
    (SELECT count(*) FROM pg_largeobject_metadata) AS large_objects,
    (SELECT (last_value, is_called)::text FROM counter) AS counter,
    (SELECT count(*) FROM pg_prepared_xacts) AS prepared_transactions,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())) AS advisory_locks,
    (SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE application_name ~ '^hostile_') AS locks,
    (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bystander') AS bystanders,
    (SELECT count(*) FROM pg_stat_activity
        WHERE application_name ~ '^hostile_' AND (state <> 'idle' OR backend_xmin IS NOT NULL)) AS at_work,
    (SELECT count(*) FROM pg_ls_dir('.') AS name WHERE name ~ 'hostile') AS server_files,
    pg_stat_file('{MARKER}', true) IS NOT NULL AS has_marker
"""
# What a call could have left for the next one on its connection.
SESSION = """
SELECT pg_backend_pid(), current_user::text, current_schemas(true)::text, pg_my_temp_schema(),
    (SELECT md5(string_agg(name || setting, ',' ORDER BY name)) FROM pg_settings
        WHERE name <> 'transaction_read_only' AND position('.' IN name) = 0),
    current_setting('search_path'), nullif(current_setting('app.user', true), ''),
    (SELECT count(*) FROM pg_prepared_statements
        WHERE from_sql OR name !~ '^toolbuilder_[0-9a-f]{8}_[0-9]+$'), (SELECT count(*) FROM pg_cursors),
    (SELECT count(*) FROM pg_listening_channels())
"""
