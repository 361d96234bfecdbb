"""What an administrator should know of a PostgreSQL data source before tools read it; may import core and psycopg."""
