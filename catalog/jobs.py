"""Sending jobs to the workers from any process, without waiting for a broker that is away."""

import logging
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from celery import Celery

logger = logging.getLogger(__name__)

# The tasks of catalog.tasks by name: importing them would import what sends them.
SCAN_SOURCE = "catalog.tasks.scan_source"
INDEX_PENDING = "catalog.tasks.index_pending"
REFRESH_SOURCE = "catalog.tasks.refresh_source"
_TIMEOUT_S = 2


def send_job(name: str, *arguments: object, delay_s: float = 0) -> bool:
    """Queue the task of this name, such as INDEX_PENDING, to run after a delay; False if that failed.

    It fails where there is no broker, or where it does not answer within seconds. What a job does
    must therefore be found undone by something else too.
    """
    if not settings.REDIS_URL:
        return False
    # Here, since the served side sends nothing and starts without it.
    from kombu.exceptions import OperationalError  # noqa: PLC0415

    try:
        _sender(settings.CELERY_BROKER_URL).send_task(
            name, args=arguments, ignore_result=True, retry=False, countdown=delay_s or None
        )
    except OperationalError as error:
        logger.warning("job %s was not sent: %s", name, type(error.__cause__ or error).__name__)
        return False
    return True


@lru_cache(maxsize=2)
def _sender(broker_url: str) -> "Celery":
    from celery import Celery  # noqa: PLC0415 - as above

    # Its own: the web side and the commands do not load the workers' application.
    sender = Celery("sender", broker=broker_url, set_as_current=False)
    # Without these kombu tries for ever to reach a broker.
    sender.conf.broker_transport_options = {
        "max_retries": 0,
        "connect_retries_timeout": _TIMEOUT_S,
        "socket_connect_timeout": _TIMEOUT_S,
        "socket_timeout": _TIMEOUT_S,
    }
    return sender
