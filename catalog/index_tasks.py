"""Jobs that bring documents of the catalogue and their vectors up to date."""

from celery import shared_task

from catalog.documents.pending import RUN_S, index_pending_for
from catalog.documents.tables import refresh_source_documents, remove_unserved_documents
from catalog.jobs import send_job

INDEX_PENDING = "catalog.index_tasks.index_pending"
REFRESH_SOURCE = "catalog.index_tasks.refresh_source"


@shared_task(ignore_result=True, time_limit=10 * RUN_S)
def index_pending() -> None:
    """Embed what changed; another job follows while there is more."""
    remove_unserved_documents()
    if index_pending_for(RUN_S):
        send_job(INDEX_PENDING)


@shared_task(ignore_result=True)
def refresh_source(source_id: int | None) -> None:
    """Write the documents of a data source's tables anew, and have them embedded."""
    refresh_source_documents(source_id)
    send_job(INDEX_PENDING)
