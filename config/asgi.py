"""The web side as an ASGI application."""

import os

from django.core.asgi import get_asgi_application

from access.request_ids import RequestIds
from config.web.static_files import StaticAnswers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Each request runs in a thread of its own, which could not hand its connection on to the next.
os.environ.setdefault("DATABASE_POOL_SIZE", "8")

application = RequestIds(StaticAnswers(get_asgi_application()))
