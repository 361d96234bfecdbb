"""What follows from a change of the catalogue: words to search by, documents, vectors."""

from collections.abc import Collection

from django.db import transaction

from catalog.documents.tables import refresh_table_documents, remove_unserved_documents
from catalog.jobs import INDEX_PENDING, REFRESH_SOURCE, send_job
from catalog.models import DataSource
from catalog.searching.texts import refresh_search_texts


def tables_changed(table_ids: Collection[int]) -> None:
    """Once the transaction is committed, let searches find these tables as they are then.

    To be called after any change of the rows of tables, columns or tags. Words are found at once,
    meanings when a worker has embedded what changed, or at the next `manage.py index_documents`.
    """
    ids = sorted(set(table_ids))

    def refresh() -> None:
        refresh_search_texts(ids)
        if refresh_table_documents(ids):
            send_job(INDEX_PENDING)

    if ids:
        transaction.on_commit(refresh, robust=True)


def source_changed(source: DataSource | None) -> None:
    """Once the transaction is committed, let documents tell of a data source only what all may know.

    To be called after a data source was saved; with None after one was deleted.
    """
    source_id = source.pk if source else None

    def refresh() -> None:
        if remove_unserved_documents():
            send_job(INDEX_PENDING)
        # The others are of no danger, and there may be thousands.
        if source_id is not None:
            send_job(REFRESH_SOURCE, source_id)

    transaction.on_commit(refresh, robust=True)
