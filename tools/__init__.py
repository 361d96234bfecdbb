"""A tool, whoever uses it: its rows, its document, how it is opened, run, found; may import catalog, access, gateways, core. Tests: tests/tools."""
