"""An OpenAPI document at an address, which may be called under the same rules as a service."""

from asgiref.sync import async_to_sync

from catalog.sources.connections import address_rules
from core.errors import EditError
from core.http_answers import HttpAnswer, decode, require_success, require_whole
from core.ingest.addresses import parse_web_address
from core.ingest.requests import PlainRequest
from core.messages import message
from gateways.http.service import HttpSource
from gateways.http.settings import HttpSettings

_ANSWER_WITHIN_MS = 15_000


def fetch_document(url: str, byte_limit: int) -> str:
    """The text at the address. Raises EditError for one that may not be called, and DataSourceError."""
    rules = address_rules()
    address = parse_web_address(url, rules)
    path, _, query = address.target.partition("?")
    origin = str(address).removesuffix(address.target)
    settings = HttpSettings(server_url=origin, rules=rules)

    async def fetch() -> HttpAnswer:
        source = HttpSource(settings)
        try:
            return await source.send(
                PlainRequest("GET", f"{origin}{path}", query),
                byte_limit=byte_limit,
                timeout_ms=_ANSWER_WITHIN_MS,
            )
        finally:
            await source.close()

    answer = async_to_sync(fetch)()
    require_success(answer)
    require_whole(answer, byte_limit)
    if not answer.body:
        raise EditError(message("ingest.empty_address", "There is no document at this address."))
    return decode(answer)
