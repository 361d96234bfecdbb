"""Free ports on this machine, and whether one is taken."""

import random
import socket
from collections import deque

# Below the ports that systems hand out to outgoing connections, so that a stored one stays free.
FIRST_PORT, LAST_PORT = 20_000, 29_999
# From choosing a port until a server listens there pass seconds, in which it is still free.
_chosen: deque[int] = deque(maxlen=100)


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """True if a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        # As servers do: connections of a server that is gone do not count.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(1)
        except OSError:
            return False
    return True


def choose_free_port(taken: frozenset[int] = frozenset()) -> int:
    """A port on 127.0.0.1 that nobody listens on, that is not in `taken` and none of the last 100 chosen here."""
    while True:
        port = random.randint(FIRST_PORT, LAST_PORT)  # noqa: S311 - not a secret
        if port not in taken and port not in _chosen and is_free(port):
            _chosen.append(port)
            return port
