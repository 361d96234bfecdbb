"""The Celery application: workers run tasks, beat sends the nightly ones."""

import os

from celery import Celery
from celery.schedules import crontab

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("toolbuilder")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["access"])
app.conf.beat_schedule = {
    "prune-call-records": {
        "task": "access.tasks.prune_call_records",
        "schedule": crontab(hour="3", minute="10"),
    },
    "prune-runtimes": {
        "task": "access.tasks.prune_runtimes",
        "schedule": crontab(minute="*/10"),
    },
}
