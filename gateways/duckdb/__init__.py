"""DuckDB databases and folders of files as data sources, each in processes of its own; may import core.

`import duckdb` is for the modules that run in those processes: session, gate, files and converting.
"""
