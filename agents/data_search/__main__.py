"""`python -m agents.data_search [question]`."""

import os
import sys

from agents.data_search.chat import main

if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Python would take seconds to take the libraries' modules apart; all that was opened is closed.
    os._exit(code)
