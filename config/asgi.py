"""The web side as an ASGI application."""

import gc
import os
from multiprocessing import parent_process

from django.conf import settings
from django.core.asgi import get_asgi_application

from access.request_ids import Application, RequestIds
from config.web.static_files import StaticAnswers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Each request runs in a thread of its own, which could not hand its connection on to the next.
os.environ.setdefault("DATABASE_POOL_SIZE", "8")
# Else every eighth page waits 150 ms while all that Django keeps is looked through for garbage.
gc.set_threshold(50_000, 20, 50)

if settings.METRICS_PORT and parent_process() is not None:
    # One of several workers; a process that serves alone does it when it begins to.
    from config.metrics import web_metrics

    web_metrics().listen()

application: Application = RequestIds(StaticAnswers(get_asgi_application()))
if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
    from config.traces import ClosesTraces

    application = ClosesTraces(application)
