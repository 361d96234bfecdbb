"""The check of a data source of MariaDB or MySQL; each module asks about one thing."""
