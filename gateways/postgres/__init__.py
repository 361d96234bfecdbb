"""PostgreSQL as a data source; may import core and psycopg."""
