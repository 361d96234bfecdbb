"""The picture beside an answer, of tools whose people chose that agents get it."""

import asyncio
import logging
from collections.abc import Mapping

from msgspec.structs import replace

from core.pictures import plan_picture
from core.results import Answer
from core.toolspec import JsonValue

logger = logging.getLogger(__name__)

_DRAWN_WITHIN_S = 3.0


async def add_picture(answer: Answer, chart: Mapping[str, JsonValue]) -> Answer:
    """The answer with its chart as PNG; as it is where its rows cannot be drawn.

    No failure of the drawing is one of the call.
    """
    try:
        async with asyncio.timeout(_DRAWN_WITHIN_S):
            png = await asyncio.to_thread(_draw, answer, chart)
    except Exception:  # the rows are the answer, whatever becomes of a picture of them
        logger.warning("the picture of an answer was not drawn", exc_info=True)
        return answer
    return replace(answer, images=(png,)) if png else answer


def _draw(answer: Answer, chart: Mapping[str, JsonValue]) -> bytes:
    """The picture, b'' if there is nothing to draw."""
    # Most servers draw nothing, and do without what that takes.
    from gateways.pictures.charts import draw_chart  # noqa: PLC0415

    picture = plan_picture(chart, answer)
    return draw_chart(picture) if picture else b""
