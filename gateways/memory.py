"""Memory of this process that is free and that the system does not have back yet."""

import ctypes
import gc


def give_back_memory(*, freezes: bool = False) -> bool:
    """Give free memory back to the system; False where the C library has no way to (it is not glibc).

    glibc keeps what lies below anything that is still in use: after a burst of 2,000 callers as much
    again as the whole process had. Takes some milliseconds; best in a thread. Garbage is collected
    first, unless all that there is now is to stay (`freezes`) and never to be looked through again.
    """
    if freezes:
        gc.freeze()
    else:
        gc.collect()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return False
    trim(0)
    return True
