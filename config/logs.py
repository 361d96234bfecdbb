"""Log lines: as text for people or as JSON for collectors, each with the id of its request."""

import logging
import time
from typing import Any, Literal

from pythonjsonlogger.json import JsonFormatter

from access.request_ids import REQUEST_ID

LogFormat = Literal["text", "json"]

# What no format here shows is not looked up for each line (as "Optimization" in Python's manual of
# logging has it); a line for each call costs a third less.
logging._srcfile = None
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False


class LineFormatter(logging.Formatter):
    """Writes the time of a line once for all lines of a second."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._second = (0, "")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 - logging's
        second = int(record.created)
        if second != self._second[0]:
            text = time.strftime(datefmt or self.default_time_format, self.converter(second))
            self._second = (second, text)
        return f"{self._second[1]},{int(record.msecs):03d}"


class RequestIdFilter(logging.Filter):
    """Gives each record `request_id`, '-' outside of requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = REQUEST_ID.get() or "-"
        return True


class RefusalFilter(logging.Filter):
    """Makes one line of a refused request: where our code refused it explains nothing."""

    def filter(self, record: logging.LogRecord) -> bool:
        if 400 <= getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True


def logging_settings(level: str, log_format: str) -> dict[str, Any]:
    """Django's LOGGING: everything, the lines of servers and workers too, goes to standard error."""
    ours_alone = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request": {"()": RequestIdFilter}, "refusal": {"()": RefusalFilter}},
        "formatters": {
            "text": {
                "()": LineFormatter,
                "fmt": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s",
            },
            "json": {
                "()": JsonFormatter,
                "fmt": "%(levelname)s %(name)s %(message)s %(request_id)s",
                "rename_fields": {"levelname": "level", "name": "logger"},
                "timestamp": True,
            },
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "filters": ["request", "refusal"],
                "formatter": log_format,
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {**ours_alone, "level": "INFO"},
            # It has handlers of its own before Django is set up.
            "uvicorn": ours_alone,
            "uvicorn.access": ours_alone,
            "uvicorn.error": ours_alone,
            # `manage.py up` waits for its line "ready".
            "celery": {**ours_alone, "level": "INFO"},
            "httpx": {"level": "WARNING"},
            # They write addresses, session ids and what other servers answer.
            "httpx2": {"level": "WARNING"},
            "mcp.client": {"level": "CRITICAL"},
        },
    }
