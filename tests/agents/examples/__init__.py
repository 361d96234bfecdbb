"""The programs of examples/ and the configurations of docs/clients.md, against a running server."""
