"""What ADK's commands load: `app`, and its `root_agent`."""

import os
import sys

from google.adk.apps import App

from agents.data_search.application import build_app
from agents.data_search.environment import RECORDED_NOTICE, read_environment


def _build_app_of_process() -> App:
    environment = read_environment(os.environ)
    if environment.is_recorded:
        # ADK's commands send logs to a file.
        sys.stderr.write(f"{RECORDED_NOTICE}\n")
    return build_app(environment)


app = _build_app_of_process()
root_agent = app.root_agent
