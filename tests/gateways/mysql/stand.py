"""The shop of the engines' contract on the run's MariaDB, with a role that reads one database."""

from dataclasses import replace

import pytest

from tests.gateways.engine_contract.stands import DATABASE, TABLES, Stand
from tests.mariadb_server import MariadbServer

_ENDLESS = "SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq * b.seq = -1"


def make_stand(_name: str, _folder: object, request: pytest.FixtureRequest) -> Stand:
    """On the run's MariaDB, with a role that reads one database."""
    server: MariadbServer = request.getfixturevalue("mariadb")
    settings = server.make_database(
        DATABASE,
        *TABLES,
        "ALTER TABLE stores COMMENT 'Shops', MODIFY name varchar(50) NOT NULL COMMENT 'Town'",
    )

    def write(sql: str) -> None:
        server.run(sql, database=DATABASE)

    url = f"mysql://{settings.user}:{settings.password}@127.0.0.1:{settings.port}/{DATABASE}?sslmode=disable"
    rows = "(SELECT seq AS n FROM seq_1_to_5000) t"
    return Stand(settings, replace(settings, port=1), url, write, _ENDLESS, rows)
