"""A database with a column of every type, and a source that reads it as a role with SELECT alone."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from gateways.mysql.settings import MysqlSettings
from gateways.mysql.source import MysqlSource
from tests.mariadb_server import MariadbServer

TABLES = (
    """CREATE TABLE stores (
        id int unsigned AUTO_INCREMENT PRIMARY KEY COMMENT 'Key of the store',
        name varchar(50) NOT NULL, `odd``name 매출` text
    ) COMMENT 'Shops'""",
    """CREATE TABLE orders (
        id bigint PRIMARY KEY, store_id int unsigned, total decimal(10, 2), at datetime(3), day date,
        year_ year, bits bit(10), kind enum('a', 'b'), tags set('x', 'y'), took time(2),
        moment timestamp NULL, content blob, ratio float, large bigint unsigned, facts json,
        place geometry, latin varchar(10) CHARACTER SET latin1, uid uuid, address inet6,
        exact decimal(65, 30), is_paid boolean, code binary(4), note longtext,
        KEY by_total (total), FOREIGN KEY (store_id) REFERENCES stores (id)
    )""",
    "INSERT INTO stores VALUES (1, 'Seoul', 'x'), (2, 'Busan', NULL), (3, '東京', '🙂')",
    """INSERT INTO orders VALUES (1, 1, 12.50, '2026-01-02 03:04:05.5', '2026-02-03', 2026,
        b'1010101010', 'a', 'x,y', '838:59:59.5', '2026-01-01 00:00:00', x'00ff', 1.1,
        18446744073709551615, '{"a": 1}', point(1, 2), 'é', '00000000-0000-0000-0000-000000000001',
        '::1', '1.000000000000000000000000000001', true, 'ab', repeat('가', 9000))""",
    "INSERT INTO orders (id, day, at) VALUES (2, '2026-00-00', '0000-00-00')",
    "INSERT INTO orders (id) VALUES (3)",
    "CREATE VIEW totals AS SELECT store_id, sum(total) AS total FROM orders GROUP BY store_id",
)


@pytest.fixture(scope="session")
def shop(mariadb: MariadbServer) -> MysqlSettings:
    return mariadb.make_database("gateways", *TABLES)


@pytest_asyncio.fixture
async def source(shop: MysqlSettings) -> AsyncIterator[MysqlSource]:
    async with MysqlSource(shop) as source:
        yield source
