"""Tools that others describe (MCP lists, OpenAPI documents, function calling) as plain data.

Imports the standard library, PyYAML's parser, orjson and the rest of core; reads no file and no
network.
"""
