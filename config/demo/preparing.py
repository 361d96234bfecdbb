"""Makes the demo answer before anything is served: its catalogue is scanned, described and indexed."""

import logging

from asgiref.sync import async_to_sync

from catalog.documents.catalogue import refresh_all_documents
from catalog.documents.indexing import (
    IndexingBusyError,
    IndexTarget,
    count_pending,
    index_changed,
)
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from catalog.models import ScanState
from catalog.scans.scanning import find_or_queue_scan, find_scannable, run_scan
from catalog.scans.state import ScanBusyError, ScanLostError
from config.demo.catalogue import load_catalogue
from config.demo.vectors import ShippedEmbedder, read_shipped
from core.errors import EmbeddingError, VectorStoreError
from gateways.vectors.store import VectorStore

logger = logging.getLogger(__name__)


def prepare_catalogue() -> None:
    """Do it once, with the vectors that are shipped; where a server is away, jobs do it later."""
    try:
        if None in find_scannable(without=[ScanState.DONE]):
            run_scan(find_or_queue_scan(None, ""))
        load_catalogue()
        target = IndexTarget(vector_store_settings().collection, embedding_settings().model)
        if refresh_all_documents() or count_pending(target):
            async_to_sync(_index)()
    except (ScanBusyError, ScanLostError, IndexingBusyError) as error:
        logger.info("the demo is being prepared by another process: %s", error)
    except (EmbeddingError, VectorStoreError) as error:
        logger.warning("the demo's documents are indexed later: %s", error)


async def _index() -> None:
    embedder = ShippedEmbedder(embedding_settings(), read_shipped())
    try:
        async with VectorStore(vector_store_settings()) as store:
            await index_changed(embedder, store)
    finally:
        await embedder.close()
