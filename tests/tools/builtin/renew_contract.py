"""The published contract of the built-in tools.

`python manage.py shell -c "from tests.tools.builtin.renew_contract import renew; renew()"` rewrites it.
"""

import json
from pathlib import Path
from typing import Any

from core.bindings import CallerFacts
from gateways.document_server.client import DocumentServerClient, DocumentServerSettings
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings
from gateways.vectors.store import VectorStore, VectorStoreSettings
from tools.builtin.catalogue import RemoteCatalogue
from tools.builtin.documents import DocumentSearch
from tools.builtin.registry import builtin_tools
from tools.builtin.tool import BuiltinTool

GOLDEN = Path(__file__).parent / "builtin_contract.json"


def make_builtin_tools() -> dict[str, BuiltinTool]:
    """Every built-in tool, connected to nothing."""
    embedder = EmbeddingClient(EmbeddingSettings(url="", model=""))
    store = VectorStore(VectorStoreSettings(host="localhost", port=1, collection="none"))

    async def search_by_words(_query: str, _limit: int) -> list[str]:
        return []

    async def find_tools(_query: str, _limit: int, _facts: CallerFacts) -> dict[str, Any]:
        return {"tools": [], "degraded": True}

    search = DocumentSearch(embedder, store, search_by_words)
    remote = DocumentServerClient(DocumentServerSettings(url="http://localhost:1"))
    return builtin_tools(search, RemoteCatalogue(remote), find_tools)


def read_contract() -> list[dict[str, Any]]:
    """What agents are shown of each built-in tool, as in `tools/list`."""
    return [_published(tool) for tool in make_builtin_tools().values()]


def renew() -> None:
    """Make what is there now the contract."""
    GOLDEN.write_text(json.dumps(read_contract(), ensure_ascii=False, indent=2) + "\n")


def _published(tool: BuiltinTool) -> dict[str, Any]:
    return {
        "name": tool.spec.name,
        "title": tool.spec.title,
        "description": tool.spec.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.spec.annotations,
    }
