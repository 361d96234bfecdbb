"""`python -m config.services`: `manage.py up` without loading Django."""

import sys

from config.services.command_line import main

sys.exit(main(sys.argv[1:]))
