"""The Celery application: workers run tasks, beat sends the nightly ones."""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.schedules import crontab
from celery.signals import setup_logging
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

_CASES_HOUR, _, _CASES_MINUTE = settings.CASES_NIGHTLY_TIME.partition(":")
app = Celery("toolbuilder")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["access", "catalog", "toolbuilder"])
app.conf.beat_schedule = {
    "prune-call-records": {
        "task": "access.tasks.prune_call_records",
        "schedule": crontab(hour="3", minute="10"),
    },
    "count-calls": {
        "task": "access.tasks.count_calls",
        "schedule": crontab(minute="5"),
    },
    "prune-tool-searches": {
        "task": "toolbuilder.tasks.prune_tool_searches",
        "schedule": crontab(hour="3", minute="15"),
    },
    "run-nightly-cases": {
        "task": "toolbuilder.tasks.run_nightly_cases",
        "schedule": crontab(hour=_CASES_HOUR, minute=_CASES_MINUTE),
    },
    "prune-runtimes": {
        "task": "access.tasks.prune_runtimes",
        "schedule": crontab(minute="*/10"),
    },
    "prune-ended-sessions": {
        "task": "access.tasks.prune_ended_sessions",
        "schedule": crontab(hour="3", minute="25"),
    },
    "publish-audit-head": {
        "task": "access.tasks.publish_audit_head",
        "schedule": crontab(hour="0", minute="5"),
    },
    "forget-limit-windows": {
        "task": "access.tasks.forget_limit_windows",
        "schedule": crontab(hour="3", minute="35"),
    },
    "warn-of-limits": {
        "task": "access.tasks.warn_of_limits",
        "schedule": crontab(minute="10"),
    },
    "prune-searches": {
        "task": "catalog.tasks.prune_searches",
        "schedule": crontab(hour="3", minute="20"),
    },
    "scan-all": {
        "task": "catalog.tasks.scan_all",
        "schedule": crontab(hour="3", minute="30"),
    },
    # Documents whose job was lost, or that changed while a server was away.
    "index-pending": {
        "task": "catalog.tasks.index_pending",
        "schedule": crontab(),
    },
    "look-after-scans": {
        "task": "catalog.tasks.look_after_scans",
        "schedule": crontab(minute="*/5"),
    },
    # Behind the scans of the night.
    "check-tools": {
        "task": "toolbuilder.tasks.check_tools",
        "schedule": crontab(hour="5", minute="0"),
    },
    # Which of them are there, and what they say of their tools now.
    "check-mcp-servers": {
        "task": "toolbuilder.tasks.check_mcp_servers",
        "schedule": crontab(minute="*/5"),
    },
    "record-outside-versions": {
        "task": "toolbuilder.tasks.record_outside_versions",
        "schedule": crontab(minute="40"),
    },
    "forget-old-tool-names": {
        "task": "toolbuilder.tasks.forget_old_tool_names",
        "schedule": crontab(hour="3", minute="45"),
    },
    "forget-playground-chats": {
        "task": "toolbuilder.tasks.forget_playground_chats",
        "schedule": crontab(hour="3", minute="50"),
    },
    # What other programs changed, and what waited for vectors.
    "measure-saved-questions": {
        "task": "toolbuilder.tasks.measure_saved_questions",
        "schedule": crontab(minute="*/10"),
    },
    "refresh-tool-uses": {
        "task": "toolbuilder.tasks.refresh_tool_uses",
        "schedule": crontab(minute="*/10"),
    },
}

if not settings.CASES_NIGHTLY:
    del app.conf.beat_schedule["run-nightly-cases"]


def keep_logging(**_signal: Any) -> None:
    """Log as every other process does; Celery would replace the handlers by its own."""
    logging.config.dictConfig(settings.LOGGING)


setup_logging.connect(keep_logging)
if settings.METRICS_PORT:
    from config.metrics import measure_jobs

    measure_jobs()
if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
    from config.traces import trace_jobs

    trace_jobs()
