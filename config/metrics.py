"""The metrics of the web side and of the workers; imported only where metrics are on."""

import time
from dataclasses import dataclass
from functools import cache
from typing import Any

from celery import signals
from django.conf import settings

from gateways.telemetry.durations import Durations
from gateways.telemetry.exposition import Exposition


@dataclass(frozen=True)
class ProcessMetrics:
    """What a process notes, and how it tells of it."""

    durations: Durations
    exposition: Exposition

    def listen(self) -> None:
        """Serve them on a port of their own, where one is set."""
        if settings.METRICS_PORT:
            self.exposition.listen(settings.METRICS_HOST, settings.METRICS_PORT)


@cache
def web_metrics() -> ProcessMetrics:
    """Those of this process of the web side."""
    text = "Time from taking a request to its answer."
    labels = ["view", "method", "status"]
    return _with_exposition(Durations("toolbuilder_web_request_duration_seconds", text, labels))


@cache
def worker_metrics() -> ProcessMetrics:
    """Those of this process of a worker."""
    text = "Time that background jobs took."
    return _with_exposition(Durations("toolbuilder_job_duration_seconds", text, ["job", "state"]))


def measure_jobs() -> None:
    """Note each job of this worker from now on, and serve the metrics where its jobs run."""
    began_at: dict[str, float] = {}

    def begin(task_id: str, **_signal: Any) -> None:
        began_at[task_id] = time.perf_counter()

    def end(task_id: str, task: Any, state: str | None = None, **_signal: Any) -> None:
        took_s = time.perf_counter() - began_at.pop(task_id, time.perf_counter())
        worker_metrics().durations.note((task.name, state or ""), took_s)

    def listen(sender: Any = None, **_signal: Any) -> None:
        # A pool of processes runs no job in the first one: each of the others serves its own.
        pool = type(getattr(sender, "pool", None)).__module__
        if not pool.endswith(".prefork"):
            worker_metrics().listen()

    signals.task_prerun.connect(begin, weak=False)
    signals.task_postrun.connect(end, weak=False)
    signals.worker_ready.connect(listen, weak=False)
    signals.worker_process_init.connect(listen, weak=False)


def _with_exposition(durations: Durations) -> ProcessMetrics:
    exposition = Exposition(lambda: [durations.family()], settings.METRICS_TOKEN)
    return ProcessMetrics(durations, exposition)
