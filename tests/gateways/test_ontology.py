"""OpenAPI documents are taken in as objects, texts, files and addresses."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.errors import ImportFileError
from gateways.ontology import OntologyBuilder

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/users/{id}": {
            "delete": {"operationId": "delete_user", "summary": "Delete a user", "responses": {}},
            "get": {"operationId": "get_user", "summary": "Get a user", "responses": {}},
        }
    },
}


@pytest.fixture
def address() -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/openapi.json" else 404)
            self.end_headers()
            self.wfile.write(json.dumps(DOCUMENT).encode())

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_document_may_be_an_object_a_text_a_file_or_an_address(
    tmp_path: Path, address: str
) -> None:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(DOCUMENT))
    sources = (DOCUMENT, json.dumps(DOCUMENT), path, str(path), f"{address}/openapi.json")
    yaml = 'openapi: "3.1.0"\npaths:\n  /users:\n    get: {operationId: get_user, responses: {}}\n'

    for source in sources:
        builder = OntologyBuilder()
        tools = builder.ingest_openapi(source, server_name="crm")
        assert {tool.name for tool in tools} == {"delete_user", "get_user"}
        assert builder.attributes("delete_user")["annotations"]["destructiveHint"] is True
        assert "crm" in builder.attributes("get_user")["tags"]
    assert [tool.name for tool in OntologyBuilder().ingest_openapi(yaml)] == ["get_user"]


def test_lists_of_mcp_tools_come_into_the_same_graph() -> None:
    builder = OntologyBuilder()
    builder.ingest_openapi(DOCUMENT)

    builder.ingest_mcp_tools([{"name": "find_user", "inputSchema": {}}], server_name="crm")

    assert builder.attributes("find_user")["metadata"]["mcp_server"] == "crm"
    assert 0 <= builder.similarity("find_user", "get_user") <= 1


def test_what_cannot_be_read_is_said(tmp_path: Path, address: str) -> None:
    for source in (str(tmp_path / "none.json"), f"{address}/none", "http://[", "openapi: [", ""):
        with pytest.raises(ImportFileError):
            OntologyBuilder().ingest_openapi(source)
