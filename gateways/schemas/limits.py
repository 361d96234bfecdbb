"""How much is read of a database's tables, at most, and how long that may take."""

# PostgreSQL lets a comment be a gigabyte; people read the first lines.
COMMENT_LIMIT = 10_000
TABLE_LIMIT = 100_000
# So many tables are asked for at once.
BATCH_SIZE = 500
STRUCTURE_TIMEOUT_MS = 30_000

# The way to a database on another continent counts: 150 ms a packet, and a first query takes 3 s.
SAMPLE_TIMEOUT_MS = 4_000
SAMPLE_CELL_LIMIT = 200
SAMPLE_BYTE_LIMIT = 200_000
SAMPLE_COLUMN_LIMIT = 100
