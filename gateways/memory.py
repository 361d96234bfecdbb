"""Memory of this process that is free and that the system does not have back yet."""

import asyncio
import ctypes
import gc

# More than uvloop (250) and asyncio (255) keep of one kind.
FREE_LIST = 256


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


async def renew_free_lists() -> None:
    """Free the objects that uvloop and asyncio keep for their next handles, timers and waits; about 2 ms.

    After a burst they lie all over its memory, and one in use keeps a whole MiB of Python's from going
    back. New ones, which lie side by side, fill the lists in their place. Belongs into the loop's thread.
    """
    loop = asyncio.get_running_loop()
    waited = loop.create_future()
    made: list[object] = []
    for _ in range(2 * FREE_LIST):
        handle, timer = loop.call_soon(_do_nothing), loop.call_later(1, _do_nothing)
        handle.cancel()
        timer.cancel()
        made += (handle, timer, iter(waited))
    # Until then the loop holds them too.
    await asyncio.sleep(0)
    # The second half fills the lists, and finds no room for the first, which was taken out of them.
    del made[len(made) // 2 :]
    made.clear()


def _do_nothing() -> None:
    pass
