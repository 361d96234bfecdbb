"""A tool, for every front end: its rows, its document, how it is opened, run and found; may import catalog, access, gateways, core. Tests: tests/tools."""
