"""`python -m agents.data_search.demo_llm [--port N]`: serve the scripted model until Ctrl-C."""

import argparse
import sys

from agents.data_search.demo_llm.serving import MODEL_NAME, NOTICE, base_url, open_port, serve
from agents.data_search.demo_llm.variants import Variant


def main() -> int:
    """Say what this is and where, and serve."""
    parser = argparse.ArgumentParser(description=NOTICE)
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free port")
    port = parser.parse_args().port
    try:
        listener = open_port(port)
    except OSError:
        sys.stderr.write(f"port {port} is already in use; choose another with --port\n")
        return 1
    others = ", ".join(variant for variant in Variant if variant != MODEL_NAME)
    sys.stdout.write(
        f"{NOTICE}\nLLM_BASE_URL={base_url(listener)}\nLLM_MODEL='{MODEL_NAME}'\n"
        f"Models that make one mistake on purpose: {others}\n"
    )
    sys.stdout.flush()
    serve(listener)
    return 0


if __name__ == "__main__":
    sys.exit(main())
