"""MariaDB and MySQL as data sources, on a real MariaDB."""
