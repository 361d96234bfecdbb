"""The shop of the engines' contract on the run's PostgreSQL, with a role of its own."""

from dataclasses import replace

import psycopg
import pytest

from config.services.postgres import EmbeddedPostgres
from gateways.postgres.settings import PostgresSettings
from tests.gateways.engine_contract.stands import DATABASE, TABLES, Stand

_ENDLESS = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a * b < 0"


def make_stand(_name: str, _folder: object, request: pytest.FixtureRequest) -> Stand:
    """On the run's PostgreSQL, with a role of its own."""
    postgres: EmbeddedPostgres = request.getfixturevalue("embedded_postgres")
    with psycopg.connect(postgres.dsn("postgres", "superuser"), autocommit=True) as root:
        root.execute(f"CREATE DATABASE {DATABASE}")
        root.execute("CREATE ROLE contract_reader LOGIN PASSWORD 'contract'")
    owner = postgres.dsn(DATABASE, "superuser")

    def write(sql: str) -> None:
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute(sql)

    for sql in (
        *TABLES,
        "COMMENT ON TABLE stores IS 'Shops'",
        "COMMENT ON COLUMN stores.name IS 'Town'",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO contract_reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO contract_reader",
    ):
        write(sql)
    url = f"postgresql://contract_reader:contract@127.0.0.1:{postgres.port}/{DATABASE}"
    settings = PostgresSettings.from_dsn(url)
    rows = "(SELECT n FROM generate_series(1, 5000) AS g(n)) t"
    return Stand(settings, replace(settings, port=1), url, write, _ENDLESS, rows)
