"""An embedding server to whom texts mean what a few words in them say."""

import json

from tests.gateways.embeddings.scripted_server import Exchange

# One number of a vector each; the last stands for all else.
AXES = (("refund", "money", "환불"), ("weather", "rain", "날씨"))


def meaning(text: str) -> list[float]:
    """Near to those of texts that speak of the same."""
    return [*(1.0 if any(word in text for word in words) else 0.0 for words in AXES), 0.1]


async def meanings(exchange: Exchange) -> None:
    """A right answer."""
    texts = exchange.content["input"]
    data = [{"index": index, "embedding": meaning(text)} for index, text in enumerate(texts)]
    await exchange.send(json.dumps({"data": data}).encode())


async def wider_meanings(exchange: Exchange) -> None:
    """A right answer of another model: with one number more."""
    texts = exchange.content["input"]
    data = [
        {"index": index, "embedding": [*meaning(text), 0.1]} for index, text in enumerate(texts)
    ]
    await exchange.send(json.dumps({"data": data}).encode())
