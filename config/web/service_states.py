"""The states of the services that the web side needs, all asked at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Literal

import httpx
import redis
from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _

from access.models import RuntimeInstance
from config import env
from config.celery import app
from config.services.leftovers import start_time
from config.services.options import LOOPBACK
from config.services.readiness import answers_http
from config.services.state import read_json
from core.errors import ConfigurationError
from tools.drift import RUNTIME_SILENT_AFTER

DEADLINE_S = 1.0
# A worker's answer comes within milliseconds; that there is none can be said only after waiting.
_WORKER_ANSWER_S = 0.7
State = Literal["ok", "away", "unused", "unknown"]


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """How a service is, and one sentence about it; never a password or an address with one."""

    state: State
    text: str


@dataclass(frozen=True, slots=True)
class ServiceState:
    """A service by its name, with its answer."""

    name: str | Promise
    answer: HealthAnswer


Check = tuple[str | Promise, Callable[[], HealthAnswer]]


def read_service_states() -> list[ServiceState]:
    """All services, in order; what has not answered within DEADLINE_S is away."""
    # This thread has the connection that the session was read over; it asks the rows itself.
    collect = ask_all(REMOTE)
    return [*(ServiceState(name, check()) for name, check in OWN), *collect()]


def ask_all(
    checks: Sequence[Check], deadline_s: float = DEADLINE_S
) -> Callable[[], list[ServiceState]]:
    """Start all checks at once; the result waits for them, all together no longer than the deadline."""
    pool = ThreadPoolExecutor(max_workers=len(checks))
    language = get_language()

    def ask(check: Callable[[], HealthAnswer]) -> HealthAnswer:
        # A thread does not know the language of the page.
        with override(language):
            return check()

    futures = [pool.submit(ask, check) for _name, check in checks]

    def collect() -> list[ServiceState]:
        wait(futures, timeout=deadline_s)
        pool.shutdown(wait=False, cancel_futures=True)
        return [
            ServiceState(name, _answer_of(future, deadline_s))
            for (name, _check), future in zip(checks, futures, strict=True)
        ]

    return collect


def check_database() -> HealthAnswer:
    """The application's own PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        version = cursor.fetchone()[0]
    return HealthAnswer("ok", f"PostgreSQL {version}")


def check_runtimes() -> HealthAnswer:
    """The processes that serve tools."""
    alive = RuntimeInstance.objects.filter(last_seen_at__gte=timezone.now() - RUNTIME_SILENT_AFTER)
    if not (count := alive.count()):
        return HealthAnswer("away", _("None has reported lately; manage.py runmcp starts one."))
    return HealthAnswer("ok", _("Serving now: %(count)d") % {"count": count})


def check_redis() -> HealthAnswer:
    """The broker of background jobs."""
    if not settings.REDIS_URL:
        return HealthAnswer("unused", _("Not set; jobs run in the process that begins them."))
    with _open_redis() as client:
        return HealthAnswer("ok", f"Redis {client.info('server')['redis_version']}")


def check_worker() -> HealthAnswer:
    """Whether a worker takes jobs."""
    if not settings.REDIS_URL:
        return HealthAnswer("unused", _("Not needed without Redis."))
    with _open_redis() as client:
        # Celery would try to connect again and again.
        client.ping()
    answers = app.control.broadcast("ping", reply=True, timeout=_WORKER_ANSWER_S, limit=1)
    if not answers:
        return HealthAnswer("away", _("No worker answers; background jobs wait."))
    return HealthAnswer("ok", ", ".join(next(iter(answers))))


def check_beat() -> HealthAnswer:
    """What begins the regular jobs; only `manage.py up` knows of its process."""
    if not settings.REDIS_URL:
        return HealthAnswer("unused", _("Not needed without Redis."))
    try:
        entry = read_json(env.data_dir() / "processes.json").get("beat")
    except (ConfigurationError, OSError):
        entry = None
    match entry:
        case [int(pid), str(started)] if start_time(pid) == started:
            return HealthAnswer("ok", _("Runs under manage.py up"))
        case [_pid, _started]:
            return HealthAnswer("away", _("Its process has ended."))
    return HealthAnswer("unknown", _("Not started by manage.py up, and it does not report."))


def check_chroma() -> HealthAnswer:
    """The store of vectors."""
    if not settings.CHROMADB_HOST:
        return HealthAnswer("unused", _("Not set; reference documents are not searched."))
    if answers_http(settings.CHROMADB_HOST, settings.CHROMADB_PORT, "/api/v2/heartbeat"):
        return HealthAnswer("ok", settings.CHROMADB_COLLECTION_NAME)
    return HealthAnswer("away", _("It does not answer."))


def check_embeddings() -> HealthAnswer:
    """The embedding server, by any answer of it: texts would cost money with some."""
    url = settings.TEXT_EMBEDDING_MODEL_URL
    if not url:
        return HealthAnswer("unused", _("Not set; searches compare words only."))
    address = httpx.URL(url)
    is_own = address.host in LOOPBACK
    with httpx.Client(timeout=DEADLINE_S, trust_env=not is_own) as client:
        status = client.get(address).status_code
    if status >= 500:
        return HealthAnswer("away", _("It answers with status %(status)d.") % {"status": status})
    return HealthAnswer("ok", settings.TEXT_EMBEDDING_MODEL_NAME)


OWN: tuple[Check, ...] = (
    (gettext_lazy("Database"), check_database),
    (gettext_lazy("Runtimes"), check_runtimes),
)
REMOTE: tuple[Check, ...] = (
    (gettext_lazy("Redis"), check_redis),
    (gettext_lazy("Worker"), check_worker),
    (gettext_lazy("Beat"), check_beat),
    (gettext_lazy("Chroma"), check_chroma),
    (gettext_lazy("Embedding server"), check_embeddings),
)


def _open_redis() -> redis.Redis:
    times = {"socket_timeout": DEADLINE_S, "socket_connect_timeout": DEADLINE_S}
    return redis.Redis.from_url(settings.REDIS_URL, **times)


def _answer_of(future: Future[HealthAnswer], deadline_s: float) -> HealthAnswer:
    if not future.done() or future.cancelled():
        text = _("No answer within %(seconds)s s.") % {"seconds": f"{deadline_s:g}"}
        return HealthAnswer("away", text)
    # Whatever a library raises, its text may hold the address with its password.
    if future.exception() is not None:
        return HealthAnswer("away", _("It does not answer."))
    return future.result()
