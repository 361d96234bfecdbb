"""MariaDB and MySQL as data sources; may import core. Tests: tests/gateways/mysql, tests/hostile."""
