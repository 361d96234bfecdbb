"""What ADK's commands load: `app`, and its `root_agent`."""

import os
import sys

from agents.data_search.application import build_app
from agents.data_search.environment import RECORDED_NOTICE, read_environment

environment = read_environment(os.environ)
if environment.is_recorded:
    # ADK's commands send logs to a file.
    sys.stderr.write(f"{RECORDED_NOTICE}\n")
app = build_app(environment)
root_agent = app.root_agent
