"""The vectors that are shipped: of the texts as they are, and used without the embedding server."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asgiref.sync import async_to_sync

from catalog.documents.portions import PROBE
from catalog.documents.searchable import embedded_text
from catalog.documents.stored import load_files
from catalog.documents.tables import refresh_all_documents
from catalog.models import ReferenceDocument
from catalog.scans.scanning import find_or_queue_scan, run_scan
from config.demo.catalogue import load_catalogue
from config.demo.loading import FOLDER, load_tools
from config.demo.vectors import (
    ShippedEmbedder,
    ShippedVectors,
    hash_passage,
    load_tool_vectors,
    read_shipped,
)
from config.services.postgres import EmbeddedPostgres
from core.errors import EmbeddingUnavailableError
from core.execution import CompiledTool
from core.retrieval.tool_texts import hash_texts
from gateways.embeddings.client import EmbeddingSettings, TextRole
from tools.builtin.registry import BuiltinServices, builtin_tools
from tools.finding.index import findable, to_search_tool
from tools.finding.vector_rows import HashedVectors
from tools.models import ToolVector
from tools.registry import read_served_rows

RENEW = "renew them: python -m config.demo.renew_vectors"
AWAY = "http://127.0.0.1:9"


def settings_of(model: str) -> EmbeddingSettings:
    return EmbeddingSettings(url=AWAY, model=model)


async def find_nothing(*_given: Any) -> dict[str, Any]:
    return {}


@pytest.mark.django_db
def test_vectors_are_of_the_tools_as_they_are() -> None:
    load_tools()
    rows = read_served_rows({})
    services = BuiltinServices()
    builtin = builtin_tools(services.search, services.catalogue, find_nothing)
    defined = {spec.name: CompiledTool(spec) for spec in rows.specs}
    async_to_sync(services.close)()

    served = findable(builtin, defined).items()
    wanted = {name: hash_texts(to_search_tool(tool)) for name, tool in served}

    shipped = {name: one.content_hash for name, one in read_shipped().tools.items()}
    assert shipped == wanted, RENEW


@pytest.mark.django_db(transaction=True)
def test_vectors_are_of_the_documents_as_they_are(shop: EmbeddedPostgres) -> None:
    run_scan(find_or_queue_scan(None, ""))
    load_catalogue()
    load_files({"demo": [FOLDER / "documents.jsonl"]})
    refresh_all_documents()
    texts = [PROBE, *map(embedded_text, ReferenceDocument.objects.all())]

    assert {hash_passage(text) for text in texts} == read_shipped().passages.keys(), RENEW


def test_file_gives_back_what_was_written(tmp_path: Path) -> None:
    one, other = np.array([0.25, 0.5], np.float32), np.array([0.5, 1], np.float32)
    written = ShippedVectors("m", {"a": one}, {"tool": HashedVectors("h", (one, other))})

    written.write(tmp_path / "vectors.npz")

    found = read_shipped(tmp_path / "vectors.npz")
    assert (found.model, found.tools["tool"].content_hash) == ("m", "h")
    assert [each.tolist() for each in found.tools["tool"].pair] == [one.tolist(), other.tolist()]
    assert found.passages["a"].tolist() == one.tolist()


async def test_known_passage_needs_no_server() -> None:
    shipped = read_shipped()
    embedder = ShippedEmbedder(settings_of(shipped.model), shipped)

    embeddings = await embedder.embed([PROBE, f" {PROBE} "], TextRole.PASSAGE)
    await embedder.close()

    assert (len(embeddings.vectors), embeddings.dimension) == (2, 384)
    assert embeddings.vectors[0] == embeddings.vectors[1]


@pytest.mark.parametrize(
    ("model", "texts", "role"),
    [
        pytest.param("", [PROBE, "a changed text"], TextRole.PASSAGE, id="changed text"),
        pytest.param("", [PROBE], TextRole.QUERY, id="query"),
        pytest.param("another", [PROBE], TextRole.PASSAGE, id="another model"),
    ],
)
async def test_server_is_asked_for_everything_else(
    model: str, texts: list[str], role: TextRole
) -> None:
    shipped = read_shipped()
    embedder = ShippedEmbedder(settings_of(model or shipped.model), shipped)

    with pytest.raises(EmbeddingUnavailableError):
        await embedder.embed(texts, role)

    await embedder.close()


@pytest.mark.django_db
def test_vectors_of_tools_are_loaded_once_and_for_this_model_alone(settings: Any) -> None:
    load_tools()
    settings.TEXT_EMBEDDING_MODEL_NAME = "another"
    assert load_tool_vectors() == 0

    settings.TEXT_EMBEDDING_MODEL_NAME = read_shipped().model

    assert load_tool_vectors() == len(read_shipped().tools)
    assert load_tool_vectors() == 0
    assert ToolVector.objects.count() == len(read_shipped().tools)


@pytest.mark.django_db
def test_without_the_demo_only_builtin_tools_have_vectors(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_NAME = read_shipped().model

    load_tool_vectors()

    assert set(ToolVector.objects.values_list("tool_name", flat=True)) < read_shipped().tools.keys()
    assert ToolVector.objects.filter(tool_name="search_similar_documents").exists()
    assert not ToolVector.objects.filter(tool_name="multiply_numbers").exists()
