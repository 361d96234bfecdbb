"""TLS with a real MariaDB, as libpq's sslmode means it."""

from dataclasses import replace

import pytest

from core.errors import DataSourceUnavailableError
from gateways.mysql.checks.inspection import inspect_mysql
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.source import MysqlSource
from tests.gateways.mysql.queries import make_query
from tests.mariadb_server import MariadbServer


@pytest.mark.parametrize(
    ("host", "mode", "is_root_known", "code"),
    [
        pytest.param("127.0.0.1", "verify-full", True, "encrypted", id="verified"),
        pytest.param("localhost", "verify-ca", True, "encrypted-unverified", id="another name"),
        pytest.param("127.0.0.1", "require", False, "encrypted-unverified", id="not verified"),
        pytest.param("127.0.0.1", "prefer", False, "encrypted-unverified", id="preferred"),
        pytest.param("localhost", "verify-full", True, "tls-failed", id="wrong name"),
        pytest.param("127.0.0.1", "verify-full", False, "tls-failed", id="unknown root"),
    ],
)
async def test_connection_is_as_safe_as_it_must_be(
    mariadb: MariadbServer,
    shop: MysqlSettings,
    host: str,
    *,
    mode: str,
    is_root_known: bool,
    code: str,
) -> None:
    root = str(mariadb.directory / "certificate.pem")
    extra = {"sslmode": mode} | ({"sslrootcert": root} if is_root_known else {})
    settings = replace(shop, host=host, extra=extra)

    report = await inspect_mysql(settings)
    async with MysqlSource(settings) as source:
        query = make_query("SELECT note, id FROM orders WHERE id = 1")
        if code == "tls-failed":
            with pytest.raises(DataSourceUnavailableError):
                await source.run(query)
        else:
            assert (await source.run(query)).rows == [("가" * 8_192, 1)]

    assert code in {finding.code for finding in report.findings}
